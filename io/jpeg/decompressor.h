// JpegDecompressor: a thread's libjpeg object and its way through one picture: header, start, rows.
// Internal: no user includes it.
//
// The library's part is made anew for each picture: it would keep the tables of the former one, and
// a file that lacks some would decode with those. That costs less than can be measured. What is
// kept is memory of our own: a row, a piece of the file, Huffman tables laid out for reading.
//
// Ownership: refers to the file and the output of the picture at work. Threads: one. Errors:
// JpegError, std::bad_alloc; the object is then good for the next picture.
#pragma once

#include <sluice/io/jpeg/decode.h>
#include <sluice/io/jpeg/entropy.h>
#include <sluice/io/jpeg/guard.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sluice {

// What is to be done with the rows of one picture; plain data, so that a step may use it.
struct JpegRowJob {
  Rectangle region;     // of the stored picture, at the scale that it is decoded at
  bool cut = false;     // let the library skip rows and columns
  bool to_end = false;  // read all rows and what follows them
  bool sound = false;   // nothing is wrong with the file, so that what follows need not be read
  int channels = 0;     // of the output
  bool cmyk = false;    // convert four channels to them
  // Where the region's first pixel goes. Of the region's rows so many have room; then the next one
  // takes the place of the first. With `margins` each row may overwrite the pixels on both sides of
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

  // Reads the header of `file` as the start of a new picture.
  void open(std::span<const std::uint8_t> file, const JpegOptions& options);
  // Starts decoding.
  void start();
  // Lets an entropy decoder of our own read the codes, if it can: see JpegEntropy::attach. `file`
  // begins where that of open() does. From here on false means that it gave up, and the picture has
  // to be opened again and started without it.
  bool use_own_entropy(std::span<const std::uint8_t> file, const JpegIndexEntry* index,
                       std::span<const ByteRange> parts);
  // Whether the entropy decoder is our own.
  bool is_ours() const { return ours_; }
  JpegEntropy& entropy() { return entropy_; }

  // The columns that are computed so that those of the region come out right.
  struct Columns {
    int left = 0;
    int width = 0;
  };
  Columns columns(const Rectangle& region) const;
  // The rows of a picture that has been started: begin_rows(), then read_rows() with ends that
  // grow, up to the region's height, then end_rows(), which reads what follows if it is to be read.
  // `job` must stay. The rows of the region up to `end` - 1 have been written then.
  bool begin_rows(const JpegRowJob& job);
  bool read_rows(int end);
  bool end_rows();

  // Frees what the library holds.
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
  // Steps: no locals with destructors, no exceptions.
  void read_header();
  void go_to_region();
  void deliver();
  void end();
  static void check_scans(j_common_ptr object);

  jpeg_decompress_struct info_{};
  JpegErrors errors_;
  Progress progress_{};
  std::span<const std::uint8_t> file_;
  int max_scans_ = 0;
  bool ours_ = false;
  JpegEntropy entropy_;
  const JpegRowJob* job_ = nullptr;
  int left_ = 0;                       // the column that the library's rows begin with
  JDIMENSION end_ = 0;                 // the row up to which deliver() reads
  std::vector<std::uint8_t> scratch_;  // one row of the library's output
};

}  // namespace sluice
