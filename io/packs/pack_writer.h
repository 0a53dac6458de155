// PackWriter: writes files and their columns into packs, which pack_in reads.
//
//   PackWriter writer("imagenet-packed", {"name", "label"});
//   for (...) writer.add(read_file(path), {name, "7"});
//   writer.finish();
//
// Packs are written one after the other: part-00000.pack, part-00001.pack, ... Each appears when it
// is complete and on the disk. So if the writer is killed, or the disk is full, whole packs remain.
// With `resume`, writing continues after them. Pass the same files again: the writer skips those
// that are in finished packs.
//
// The writer rebuilds each JPEG file from what it will keep, and packs the file only if all bytes
// are equal. Other files, and JPEG files that cannot be rebuilt, are stored as they are; stats()
// counts them by reason. The dictionary is learnt from some files of the first pack that has enough
// JPEG files, and all later packs share it.
//
// Ownership: owns the files of the next pack, and while it packs them also the packed ones.
// Threads: one thread at a time may call it; add() and finish() use up to `threads` threads.
// stats() and cancel() may be called by any. Errors: IoError for a folder that cannot be written,
// that has packs already (without `resume`) or has other packs than these files would give;
// BuildError for options that do not fit. After an error, only the destructor may be called, and
// finished packs remain.
#pragma once

#include <sluice/runtime/bytes.h>
#include <sluice/runtime/error.h>

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace sluice {

// The largest files that are packed.
struct PackLimits {
  int max_scans = 100;                             // at most 100
  std::int64_t max_bytes = std::int64_t{1} << 30;  // of the coefficients
};

struct PackWriterOptions {
  std::int64_t pack_bytes = 256'000'000;  // of the original files in one pack; at least one file
  int threads = 0;                        // 0: one for each CPU of the process
  bool resume = false;
  PackLimits limits = {};
};

struct PackStats {
  std::int64_t files = 0;                       // added, without those that were skipped
  std::int64_t skipped = 0;                     // that were in finished packs already
  std::int64_t packed = 0;                      // JPEG files that were packed
  std::int64_t stored = 0;                      // files that are stored as they are
  std::int64_t file_bytes = 0;                  // of the files that are in packs written here
  std::int64_t pack_bytes = 0;                  // of these packs
  std::int64_t packs = 0;                       // written here
  std::map<std::string, std::int64_t> reasons;  // why files are stored as they are
};

// Thrown by a PackWriter that was cancelled.
class PackCancelled : public Error {
 public:
  PackCancelled() : Error("packing was cancelled") {}
};

class PackWriter {
 public:
  // Makes the folder if it is missing.
  PackWriter(std::string folder, std::vector<std::string> columns,
             const PackWriterOptions& options = {});
  ~PackWriter();
  PackWriter(const PackWriter&) = delete;
  PackWriter& operator=(const PackWriter&) = delete;

  // The number of samples in finished packs that the next add() calls will skip. A caller may leave
  // out `file` for them (pass empty bytes), but not the columns, which must be the same.
  std::int64_t to_skip() const;

  // Adds a file, with the text of each column. Writes a pack if there is enough for one.
  void add(Bytes file, std::vector<std::string> cells);
  // Writes the rest.
  void finish();
  // Makes a running or later add() or finish() throw PackCancelled instead of writing a pack. Files
  // that are being packed are completed first. Finished packs remain.
  void cancel() noexcept;

  PackStats stats() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Returns the bytes of the JPEG file from which this packed JPEG was made, as they were. Checks all
// of it. Throws JpegError for bytes that are damaged or no packed JPEG. Threads: any.
std::vector<std::uint8_t> unpack_jpeg(std::span<const std::uint8_t> packed);
// True if the bytes begin as a packed JPEG. Other bytes of a pack are files as they were.
bool is_packed_jpeg(std::span<const std::uint8_t> file) noexcept;

}  // namespace sluice
