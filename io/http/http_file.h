// HttpFile: a file at a URL that is read at any place, by parts of it. Internal: no user includes
// it.
//
// Parts of at least 64 KiB are asked for, and the last one is kept, so that what lies close
// together is asked for once. All are of the file as it was when it was opened: servers are told
// its ETag, and that of each answer must be the same.
//
// Ownership: refers to the client. Threads: one at a time; each read waits. Errors: IoError, as
// requests have it, also when it is opened.
#pragma once

#include <sluice/io/http/client.h>
#include <sluice/io/sources/random_access.h>
#include <sluice/runtime/bytes.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace sluice::detail {

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

// The bytes of a file from `first` on that are in memory; the rest is as if it were not there.
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
