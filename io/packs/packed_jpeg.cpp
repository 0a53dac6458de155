#include <sluice/io/little_endian.h>
#include <sluice/io/packs/packed_jpeg.h>

#include <cstring>

#include <fmt/format.h>

// Header-only, so that nothing has to be linked.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace sluice {

using Parts = PackedJpegParts;

namespace {

[[noreturn]] void fail(const char* what) {
  throw PackError(fmt::format("the packed JPEG is damaged: {}", what));
}

// The head with its parts, before anything of it is checked.
struct Head {
  std::span<const std::uint8_t> dictionary, sample;
};

Head split(std::span<const std::uint8_t> bytes) {
  if (bytes.size() < Parts::kPrefixBytes) fail("it ends within its first 16 bytes");
  const auto version = detail::read_little<std::uint32_t>(bytes, 8);
  if (version != Parts::kVersion) {
    throw PackError(fmt::format("the packed JPEG has version {}, but this is a program for {}",
                                version, Parts::kVersion));
  }
  const std::size_t size = detail::read_little<std::uint32_t>(bytes, 12);
  const auto rest = bytes.subspan(Parts::kPrefixBytes);
  if (size > rest.size()) fail("it ends within its dictionary");
  return {rest.first(size), rest.subspan(size)};
}

// Returns the head of a sample, with a valid checksum.
std::span<const std::uint8_t> checked_head(std::span<const std::uint8_t> sample) {
  if (sample.size() < Parts::kFixedBytes) fail("it ends within its head");
  const std::size_t bytes = detail::read_little<std::uint32_t>(sample, 0);
  if (bytes < Parts::kFixedBytes || bytes > sample.size()) fail("it ends within its head");
  const auto head = sample.first(bytes);
  if (checksum_of_packed_head(head) != detail::read_little<std::uint64_t>(head, 32))
    fail("its head has another checksum");
  return head;
}

std::span<const std::uint8_t> header_in(std::span<const std::uint8_t> head) {
  const std::size_t bytes = detail::read_little<std::uint16_t>(head, 12);
  if (bytes > head.size() - Parts::kFixedBytes) fail("its JPEG header is too long");
  return head.subspan(Parts::kFixedBytes, bytes);
}

}  // namespace

bool is_packed_jpeg(std::span<const std::uint8_t> file) noexcept {
  return file.size() >= sizeof(Parts::kMagic) &&
         std::memcmp(file.data(), Parts::kMagic, sizeof(Parts::kMagic)) == 0;
}

std::uint64_t checksum_of_dictionary(std::span<const std::uint8_t> dictionary) noexcept {
  return XXH3_64bits(dictionary.data(), dictionary.size());
}

std::uint32_t checksum_of_packed_row(std::span<const std::uint8_t> row) noexcept {
  return static_cast<std::uint32_t>(XXH3_64bits(row.data(), row.size()));
}

std::uint64_t checksum_of_packed_head(std::span<const std::uint8_t> head) noexcept {
  // The fixed part is short, so its checksum is the seed of the rest's.
  const std::uint64_t fixed = XXH3_64bits(head.data(), Parts::kFixedBytes - 8);
  const auto rest = head.subspan(Parts::kFixedBytes);
  return XXH3_64bits_withSeed(rest.data(), rest.size(), fixed);
}

void PackedJpeg::open(std::span<const std::uint8_t> bytes) {
  const Head parts = split(bytes);
  const auto head = checked_head(parts.sample);
  dictionary_ = parts.dictionary;
  header_ = header_in(head);
  const std::size_t rows_bytes = detail::read_little<std::uint32_t>(head, 4);
  const std::size_t restoring = detail::read_little<std::uint32_t>(head, 8);
  dictionary_checksum_ = detail::read_little<std::uint64_t>(head, 24);
  grain_ = head[14];
  rows_ = detail::read_little<std::uint32_t>(head, 16);
  per_row_ = detail::read_little<std::uint32_t>(head, 20);
  if (grain_ == 0 || rows_ == 0 || per_row_ == 0) fail("it has no groups");
  // A JPEG image has at most 65,535 columns and rows.
  if (rows_ > 65535 || per_row_ > 65535) fail("it has too many groups");
  segments_ = (per_row_ + grain_ - 1) / grain_;
  table_ = head.subspan(Parts::kFixedBytes + header_.size());
  if (table_.size() != std::size_t{rows_} * (4 + 2 * std::size_t{segments_}))
    fail("the table of its rows has another size");
  begins_.resize(rows_ + std::size_t{1});
  std::uint64_t at = 0;
  for (std::uint32_t row = 0; row < rows_; ++row) {
    begins_[row] = static_cast<std::uint32_t>(at);
    const auto entry = entry_of(row);
    for (std::uint32_t i = 0; i < segments_; ++i)
      at += detail::read_little<std::uint16_t>(entry, 4 + 2 * std::size_t{i});
  }
  if (at != rows_bytes) fail("its segments have another size in all");
  begins_[rows_] = static_cast<std::uint32_t>(at);
  data_ = Parts::kPrefixBytes + dictionary_.size() + head.size();
  size_ = data_ + rows_bytes + restoring;
}

PackTokens PackedJpeg::tokens() const {
  if (checksum_of_dictionary(dictionary_) != dictionary_checksum_)
    fail("its dictionary has another checksum");
  return PackTokens(dictionary_);
}

std::span<const std::uint8_t> PackedJpeg::entry_of(std::uint32_t row) const noexcept {
  const std::size_t bytes = 4 + 2 * std::size_t{segments_};
  return table_.subspan(row * bytes, bytes);
}

ByteRange PackedJpeg::range_of_rows(std::uint32_t first, std::uint32_t last) const noexcept {
  return {data_ + begins_[first], data_ + begins_[last + 1]};
}

bool PackedJpeg::is_sound(std::span<const std::uint8_t> whole, std::uint32_t row) const noexcept {
  const ByteRange range = range_of_rows(row, row);
  return range.end <= whole.size() &&
         checksum_of_packed_row(whole.subspan(range.begin, range.size())) ==
             detail::read_little<std::uint32_t>(entry_of(row), 0);
}

void PackedJpeg::check_rows(std::span<const std::uint8_t> whole) const {
  for (std::uint32_t row = 0; row < rows_; ++row) {
    if (is_sound(whole, row)) continue;
    throw PackError(fmt::format(
        "the packed JPEG is damaged: row {} of its {} rows of blocks has another checksum", row + 1,
        rows_));
  }
}

std::uint32_t PackedJpeg::segment_bytes(std::uint32_t row, std::uint32_t number) const noexcept {
  return detail::read_little<std::uint16_t>(entry_of(row), 4 + 2 * std::size_t{number});
}

std::span<const std::uint8_t> PackedJpeg::segment(std::span<const std::uint8_t> whole,
                                                  std::uint32_t row,
                                                  std::uint32_t number) const noexcept {
  std::size_t begin = data_ + begins_[row];
  for (std::uint32_t i = 0; i < number; ++i) begin += segment_bytes(row, i);
  return whole.subspan(begin, segment_bytes(row, number));
}

std::span<const std::uint8_t> header_of_packed_jpeg(std::span<const std::uint8_t> file) {
  return header_in(checked_head(split(file).sample));
}

}  // namespace sluice
