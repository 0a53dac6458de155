// ByteSource: where Bytes come from that are read when they are needed, part by part.
//
// Ownership: Bytes own their source (Bytes::on_demand). Threads: one at a time, any of them.
// Errors: whatever read() throws goes to whoever asked for the part.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace sluice {

// The bytes begin .. end - 1 of a file.
struct ByteRange {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t size() const { return end - begin; }
  bool operator==(const ByteRange&) const = default;
};

class ByteSource {
 public:
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;
  // Fills these parts of `whole`, which are in order and lie apart. Touches nothing else of it. If
  // it throws, none of them counts as read.
  virtual void read(std::span<const ByteRange> parts, std::span<std::uint8_t> whole) = 0;
};

namespace detail {

// Which parts of some bytes are there, and where the others come from. Any number of threads may
// ask at once: a part is read once, and what is there is not written again.
class BytesOnDemand {
 public:
  // Ranges that lie no further apart are read in one go: copying a page takes about as long as
  // asking the system.
  static constexpr std::size_t kGap = 4096;

  // The first `there` bytes have been read.
  BytesOnDemand(std::size_t there, std::unique_ptr<ByteSource> source)
      : source_(std::move(source)) {
    if (there > 0) there_.push_back({0, there});
  }

  // Reads what is missing of these parts, which may lie in any order. Throws std::out_of_range for
  // one that does not lie inside.
  void read(std::span<const ByteRange> parts, std::span<std::uint8_t> whole);
  void read_all(std::span<std::uint8_t> whole) {
    if (all_.load(std::memory_order_acquire)) return;
    const ByteRange all{0, whole.size()};
    read({&all, 1}, whole);
  }
  bool has_all() const { return all_.load(std::memory_order_acquire); }
  // How many bytes are there from the first one on.
  std::size_t prefix() const;

 private:
  mutable std::mutex mutex_;
  std::unique_ptr<ByteSource> source_;
  std::vector<ByteRange> there_;  // in order; they do not touch
  std::atomic<bool> all_{false};
};

}  // namespace detail
}  // namespace sluice
