#include <sluice/io/http/http_file.h>
#include <sluice/io/http/url.h>
#include <sluice/io/readers/files.h>

#include <algorithm>

namespace sluice::detail {
namespace {

constexpr std::uint64_t kPart = std::uint64_t{64} << 10;

}  // namespace

HttpFile::HttpFile(HttpClient& client, std::string url) : client_(client), url_(std::move(url)) {
  HttpAnswer got = client_.get(
      {.url = url_, .range = HttpRange{0, std::min<std::uint64_t>(kPart, client_.max_bytes())}});
  if (got.size == 0) throw IoError(name() + ": the server does not say how long it is");
  size_ = got.size;
  version_ = std::move(got.version);
  part_ = std::move(got.bytes);
}

std::string HttpFile::name() const { return "'" + shown_url(url_) + "'"; }

void HttpFile::fetch(std::uint64_t offset, std::uint64_t size) const {
  const std::uint64_t most = std::min<std::uint64_t>(size_ - offset, client_.max_bytes());
  HttpAnswer got = client_.get({.url = url_,
                                .range = HttpRange{offset, std::min(most, std::max(size, kPart))},
                                .version = version_});
  if (got.size != size_) {
    throw IoError(name() + " has changed since it was opened: it had " + std::to_string(size_) +
                  " bytes, and has " + std::to_string(got.size));
  }
  part_begin_ = offset;
  part_ = std::move(got.bytes);
}

std::size_t HttpFile::read(std::uint64_t offset, std::span<std::uint8_t> first,
                           std::span<std::uint8_t> then) const {
  if (offset >= size_) return 0;
  std::uint64_t wanted = std::min<std::uint64_t>(first.size() + then.size(), size_ - offset);
  std::size_t done = 0;
  while (wanted > 0) {
    if (offset < part_begin_ || offset + wanted > part_begin_ + part_.size()) fetch(offset, wanted);
    const std::size_t got = PartInMemory({}, part_begin_, part_).read(offset, first, then);
    if (got == 0) break;
    done += got;
    offset += got;
    wanted -= got;
    const std::size_t of_first = std::min(got, first.size());
    first = first.subspan(of_first);
    then = then.subspan(got - of_first);
  }
  return done;
}

std::size_t PartInMemory::read(std::uint64_t offset, std::span<std::uint8_t> first,
                               std::span<std::uint8_t> then) const {
  if (offset < first_ || offset - first_ >= bytes_.size()) return 0;
  const auto rest = bytes_.subspan(static_cast<std::size_t>(offset - first_));
  const std::size_t of_first = std::min(first.size(), rest.size());
  std::copy_n(rest.begin(), of_first, first.begin());
  const std::size_t of_then = std::min(then.size(), rest.size() - of_first);
  std::copy_n(rest.begin() + static_cast<std::ptrdiff_t>(of_first), of_then, then.begin());
  return of_first + of_then;
}

}  // namespace sluice::detail
