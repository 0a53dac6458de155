#include <sluice/io/sources/gzip_sum.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include <zlib.h>

namespace sluice {
namespace {

static_assert(std::endian::native == std::endian::little);

std::uint32_t word_at(const std::uint8_t* at) {
  std::uint32_t word = 0;
  std::memcpy(&word, at, sizeof(word));
  return word;
}

}  // namespace

void GzipSum::read(std::span<const std::uint8_t> in) {
  const std::size_t kept = tail_.size() - std::min(in.size(), tail_.size());
  std::copy(tail_.end() - static_cast<std::ptrdiff_t>(kept), tail_.end(), tail_.begin());
  const std::size_t added = tail_.size() - kept;
  std::copy(in.end() - static_cast<std::ptrdiff_t>(added), in.end(),
            tail_.begin() + static_cast<std::ptrdiff_t>(kept));
}

void GzipSum::gave(std::span<const std::uint8_t> out) {
  size_ += static_cast<std::uint32_t>(out.size());
  crc_ = static_cast<std::uint32_t>(crc32_z(crc_, out.data(), out.size()));
}

bool GzipSum::is_wrong() const {
  return word_at(tail_.data() + 4) == size_ && word_at(tail_.data()) != crc_;
}

}  // namespace sluice
