// KnownJpeg and JpegIndexLearner: what is known about a JPEG file before it is decoded, and what an
// index may learn about it. Internal: users do not include it.
//
// Ownership: refers to the file, to its Bytes if they are on demand, and to the index. Threads: one
// for each object; several may share an index. Errors: those of reading Bytes on demand;
// std::bad_alloc.
#pragma once

#include <sluice/io/jpeg/entropy.h>
#include <sluice/io/jpeg/index.h>
#include <sluice/io/sources/files.h>
#include <sluice/runtime/bytes.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace sluice {

struct KnownJpeg {
  std::span<const std::uint8_t> there;  // the whole file, or the prefix that has been read
  const Bytes* on_demand = nullptr;     // reads the rest; null if the whole file is there
  JpegIndex* index = nullptr;
  std::optional<std::uint64_t> hash;

  JpegDigest digest() const {
    return hash && on_demand != nullptr ? JpegDigest{*hash, on_demand->size()}
                                        : digest_of(there, hash);
  }
  void read_all() {
    there = *on_demand;
    on_demand = nullptr;
  }
};

inline KnownJpeg known_jpeg(const Bytes& file) {
  KnownJpeg known{file.prefix(), file.is_on_demand() ? &file : nullptr, file.index(),
                  file.content_hash()};
  if (known.on_demand != nullptr && (!known.hash || known.there.size() < 2)) known.read_all();
  return known;
}

// Asks an index about a file, and teaches it what was read.
class JpegIndexLearner {
 public:
  JpegIndexLearner() = default;
  JpegIndexLearner(JpegIndex& index, const JpegDigest& digest) : index_(&index), digest_(digest) {
    try {
      known_ = index_->find(digest_);
    } catch (const IoError& error) {
      damage_ = error.what();
    }
  }
  // The reason why the index could not be read; empty if it could.
  std::string& damage() { return damage_; }
  const JpegIndexEntry* known() const { return known_ ? &*known_ : nullptr; }
  bool is_sound() const { return known_ && known_->complete; }

  // Call before `rows` rows of groups are read.
  void begin(JpegEntropy& entropy, std::uint32_t rows) {
    if (index_ == nullptr || is_sound() || !index_->grows()) return;
    // A row is known by the record of the next one.
    if (known_ && known_->records.size() > std::size_t{rows} * known_->per_row) return;
    const std::uint32_t per_row = entropy.groups_per_row();
    notes_.emplace();
    notes_->grain = index_->grain() > 0 ? std::min(index_->grain(), per_row) : per_row;
    notes_->per_row = (per_row + notes_->grain - 1) / notes_->grain;
    entropy.record(*notes_, rows, known_ ? known_->records : std::span<const JpegIndexRecord>());
  }
  // `complete`: the whole file has been read, and nothing is wrong with it.
  void end(bool complete) {
    if (notes_) index_->keep(digest_, std::move(*notes_), complete);
  }

 private:
  JpegIndex* index_ = nullptr;
  JpegDigest digest_;
  std::optional<JpegIndexEntry> known_;
  std::string damage_;
  std::optional<JpegIndexNotes> notes_;
};

}  // namespace sluice
