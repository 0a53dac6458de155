// PictureReader: gives the bytes of encoded pictures, and with them the index that knows them.
// Internal: no user includes it.
//
// The index finds a picture by the hash of its bytes, which is computed once and then kept for as
// long as its file stays as it is (file_hashes.h).
//
// Ownership: a share of the index, 16 bytes a picture with one; no file is kept open. Threads: any
// number at once. Errors: IoError.
#pragma once

#include <sluice/io/sources/file_hashes.h>
#include <sluice/io/sources/open_file.h>
#include <sluice/runtime/bytes.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace sluice {

class PictureReader {
 public:
  // Pictures are numbered from 0. The index may be null.
  PictureReader(std::shared_ptr<JpegIndex> index, std::size_t pictures) : index_(std::move(index)) {
    if (index_ != nullptr) hashes_ = std::make_unique<FileHashes>(pictures);
  }

  // Picture i is all of this file.
  Bytes read(std::size_t i, const std::string& path) const;

  // Picture i is what fetch() reads of the file.
  template <class Fetch>
  Bytes read(std::size_t i, const OpenFile& file, const Fetch& fetch) const {
    if (index_ == nullptr) return fetch();
    const auto began = std::chrono::system_clock::now();
    const FileState before = file.state();
    Bytes bytes = fetch();
    std::optional<std::uint64_t> hash;
    if (file.is_local()) hash = hashes_->of(i, bytes, {before, file.state(), began});
    bytes.set_index(index_, hash);
    return bytes;
  }

 private:
  std::shared_ptr<JpegIndex> index_;
  std::unique_ptr<FileHashes> hashes_;  // with an index
};

// Throws for what is larger than any picture. `name` as a message shows it.
void require_size_of_picture(const std::string& name, std::uint64_t bytes);

}  // namespace sluice
