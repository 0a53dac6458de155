// JpegDecompressor: a thread's libjpeg object, which decodes one image at a time: header, start,
// rows. Internal: users do not include it.
//
// The libjpeg object is created anew for each image. Otherwise it would keep the tables of the
// previous image, and a file that lacks tables would decode with those. The cost is too small to
// measure. Our own memory is kept: a row, a piece of the file, Huffman lookup tables.
//
// Ownership: refers to the file and the output of the current image. Threads: one. Errors:
// JpegError, std::bad_alloc; the object can then be used for the next image.
#pragma once

#include <sluice/io/jpeg/decode.h>
#include <sluice/io/jpeg/entropy.h>
#include <sluice/io/jpeg/libjpeg.h>
#include <sluice/io/jpeg/pixels.h>
#include <sluice/io/packs/pack_entropy.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sluice {

// Describes how the rows of one image are decoded. Plain data, so that a step may use it.
struct JpegRowJob {
  Rectangle region;     // of the stored image, at the decoded scale
  bool cut = false;     // let the library skip rows and columns
  bool to_end = false;  // read all rows and what follows them
  bool sound = false;   // the file is known to be sound, so what follows need not be read
  int channels = 0;     // of the output
  bool cmyk = false;    // convert four channels to `channels`
  // The address of the region's first pixel. `out` has room for `rows` rows of the region; then the
  // next row replaces the first. With `margins`, each row may overwrite the pixels on both sides of
  // it that columns() adds.
  std::uint8_t* out = nullptr;
  std::ptrdiff_t out_stride = 0;
  int rows = 0;
  bool margins = false;
};

class JpegDecompressor {
 public:
  JpegDecompressor() = default;
  JpegDecompressor(const JpegDecompressor&) = delete;
  JpegDecompressor& operator=(const JpegDecompressor&) = delete;
  ~JpegDecompressor() { discard(); }

  // Reads the header of `file`, which may be a packed JPEG, as the start of a new image.
  void open(std::span<const std::uint8_t> file, const JpegOptions& options);
  // Starts decoding.
  void start();
  // Lets our own entropy decoder read the codes, if it can: see JpegEntropy::attach. `file` begins
  // where that of open() does. From here on, false means that it has given up: the image must be
  // opened and started again without it.
  bool use_own_entropy(std::span<const std::uint8_t> file, const JpegIndexEntry* index,
                       std::span<const ByteRange> parts);
  // The head of a packed JPEG; null for other files.
  const PackedJpeg* packed() const { return packed_; }
  // Lets the rows first .. last of groups be decoded from a packed JPEG: see PackEntropy::attach.
  void use_packed(std::span<const std::uint8_t> file, std::uint32_t first, std::uint32_t last,
                  bool verify);
  // Lets JpegPixels make the pixels, if it takes the image, and if the coefficients come from our
  // own entropy decoder or a packed JPEG. Call before begin_rows().
  void use_own_pixels() { wants_own_pixels_ = true; }
  // True if our own entropy decoder reads the codes.
  bool is_ours() const { return ours_; }
  JpegEntropy& entropy() { return entropy_; }

  // The columns that must be decoded for the region's columns to be correct.
  struct Columns {
    int left = 0;
    int width = 0;
  };
  Columns columns(const Rectangle& region) const;
  // Decode the rows of an image that has been started. Call begin_rows(), then read_rows() with
  // growing ends up to the region's height, then end_rows(), which reads what follows if the job
  // asks for it. `job` must outlive these calls. read_rows() returns when the region's rows up to
  // `end` - 1 are written.
  bool begin_rows(const JpegRowJob& job);
  bool read_rows(int end);
  bool end_rows();

  // Frees the library's memory.
  void discard() noexcept;

  jpeg_decompress_struct& info() { return info_; }
  const jpeg_decompress_struct& info() const { return info_; }
  const JpegErrors& errors() const { return errors_; }
  std::string describe_damage() const;

 private:
  struct Progress {
    jpeg_progress_mgr manager;  // first: libjpeg hands out a pointer to it
    JpegDecompressor* owner;
  };

  bool run(JpegStep step);
  bool can_use_own_pixels(const JpegRowJob& job) const;
  // Steps of jpeg_guarded(): no locals with destructors, no exceptions.
  void read_header();
  void go_to_region();
  void deliver();
  void end();
  void end_own_pixels();
  static void check_scans(j_common_ptr object);

  jpeg_decompress_struct info_{};
  JpegErrors errors_;
  Progress progress_{};
  std::span<const std::uint8_t> file_;
  int max_scans_ = 0;
  bool ours_ = false;
  JpegEntropy entropy_;
  PackEntropy pack_entropy_;
  const PackedJpeg* packed_ = nullptr;
  bool wants_own_pixels_ = false;
  bool own_pixels_ = false;  // for the current rows
  JpegPixels pixels_;
  const JpegRowJob* job_ = nullptr;
  int left_ = 0;                       // the first column of the library's rows
  JDIMENSION end_ = 0;                 // deliver() reads rows before this one
  std::vector<std::uint8_t> scratch_;  // one row of the library's output
};

}  // namespace sluice
