// HttpFile: random access to a file at a URL. PartInMemory: the same for a part of a file that is
// in memory. Internal: for datasets at URLs.
#pragma once

#include <sluice/io/http/client.h>
#include <sluice/io/readers/open_file.h>
#include <sluice/runtime/bytes.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace sluice::detail {

// Each request asks for at least 64 KiB, but not for more than HttpOptions::max_bytes. The last
// part is kept, so nearby reads need one request. A larger read needs several. All parts belong to
// the same version of the file: requests send its ETag, and the ETag of each answer must match.
//
// Ownership: refers to the client. Threads: one at a time; each read waits. Errors: IoError as for
// requests, also from the constructor.
class HttpFile final : public RandomAccess {
 public:
  HttpFile(HttpClient& client, std::string url);

  std::uint64_t size() const override { return size_; }
  std::size_t read(std::uint64_t offset, std::span<std::uint8_t> first,
                   std::span<std::uint8_t> then = {}) const override;
  std::string name() const override;
  // See HttpAnswer.
  const std::string& version() const { return version_; }

 private:
  void fetch(std::uint64_t offset, std::uint64_t size) const;

  HttpClient& client_;
  std::string url_;
  std::uint64_t size_ = 0;
  std::string version_;
  mutable std::uint64_t part_begin_ = 0;
  mutable Bytes part_;
};

// The bytes of a file from `first` on, held in memory. Reads elsewhere return nothing.
class PartInMemory final : public RandomAccess {
 public:
  PartInMemory(std::string name, std::uint64_t first, std::span<const std::uint8_t> bytes)
      : name_(std::move(name)), first_(first), bytes_(bytes) {}
  std::uint64_t size() const override { return first_ + bytes_.size(); }
  std::size_t read(std::uint64_t offset, std::span<std::uint8_t> first,
                   std::span<std::uint8_t> then = {}) const override;
  std::string name() const override { return name_; }

 private:
  std::string name_;
  std::uint64_t first_;
  std::span<const std::uint8_t> bytes_;
};

}  // namespace sluice::detail
