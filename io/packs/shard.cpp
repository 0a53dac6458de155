#include <sluice/io/little_endian.h>
#include <sluice/io/packs/pack_jpeg.h>
#include <sluice/io/packs/packed_jpeg.h>
#include <sluice/io/packs/shard.h>
#include <sluice/io/readers/csv_cell.h>
#include <sluice/io/readers/files.h>
#include <sluice/io/readers/fingerprint.h>
#include <sluice/io/whole_file.h>
#include <sluice/runtime/text.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace sluice {
namespace {

using Span = std::span<const std::uint8_t>;
using detail::append_little;
using detail::read_little;

constexpr char kMagic[8] = {'S', 'L', 'U', 'I', 'C', 'E', 'P', 'K'};
constexpr char kEnd[8] = {'S', 'L', 'U', 'I', 'C', 'E', 'P', 'E'};
constexpr std::size_t kHeaderBytes = 32, kFooterBytes = 48, kEntryBytes = 24;
// A token has at most 11 bytes.
constexpr std::uint64_t kMostDictionaryBytes = 1 + 11 * PackToken::kCount;

std::uint64_t checksum_of(Span bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

[[noreturn]] void fail(const RandomAccess& file, const std::string& what) {
  throw IoError(fmt::format("the pack {} {}", file.name(), what));
}
[[noreturn]] void fail_damaged(const RandomAccess& file, std::string_view where) {
  fail(file, fmt::format("is damaged ({}); write it again with 'sluice pack'", where));
}

std::vector<std::uint8_t> read(const RandomAccess& file, std::uint64_t offset, std::uint64_t bytes,
                               const char* where) {
  // Piece by piece, since a forged size may be larger than memory.
  constexpr std::uint64_t kPiece = std::uint64_t{16} << 20;
  std::vector<std::uint8_t> out;
  while (out.size() < bytes) {
    const std::size_t before = out.size();
    out.resize(before + static_cast<std::size_t>(std::min(bytes - before, kPiece)));
    const auto piece = std::span(out).subspan(before);
    if (file.read(offset + before, piece) != piece.size()) fail_damaged(file, where);
  }
  return out;
}

// Returns the first part of the pack's packed JPEGs. The checksum of a dictionary does not protect
// from a forged one, so its tokens are checked here, and not only when a sample is decoded.
std::shared_ptr<const std::vector<std::uint8_t>> checked_begin(const RandomAccess& file,
                                                               Span dictionary) {
  try {
    (void)detail::read_pack_dictionary(dictionary);
  } catch (const PackError& error) {
    fail_damaged(file, error.what());
  }
  return std::make_shared<const std::vector<std::uint8_t>>(begin_of_packed_jpegs(dictionary));
}

// Takes numbers and texts from the index.
class Taker {
 public:
  Taker(const RandomAccess& file, Span bytes) : file_(file), bytes_(bytes) {}
  Span take(std::uint64_t count) {
    if (count > bytes_.size()) fail_damaged(file_, "its index");
    const Span taken = bytes_.first(count);
    bytes_ = bytes_.subspan(count);
    return taken;
  }
  std::uint32_t number() { return read_little<std::uint32_t>(take(4), 0); }
  std::string text(std::uint64_t bytes) {
    const Span taken = take(bytes);
    return {reinterpret_cast<const char*>(taken.data()), taken.size()};
  }
  std::size_t left() const { return bytes_.size(); }

 private:
  const RandomAccess& file_;
  Span bytes_;
};

}  // namespace

bool PackShard::is_one(const std::string& path) {
  char magic[sizeof(kMagic)] = {};
  std::ifstream(path, std::ios::binary).read(magic, sizeof(magic));
  return std::memcmp(magic, kMagic, sizeof(kMagic)) == 0;
}

PackShard PackShard::open(const RandomAccess& file, const Opening& how) {
  PackShard shard;
  const std::uint64_t size = shard.bytes_ = file.size();
  if (size < kHeaderBytes + kFooterBytes) fail(file, "is not a pack: it is too short");
  const std::vector<std::uint8_t> header = read(file, 0, kHeaderBytes, "its header");
  if (std::memcmp(header.data(), kMagic, sizeof(kMagic)) != 0)
    fail(file, "is not a pack of Sluice");
  const auto version = read_little<std::uint32_t>(header, 8);
  if (version != kVersion) {
    fail(file, fmt::format("has version {}, but this is a program for version {}; install a newer "
                           "one, or write the pack again",
                           version, kVersion));
  }
  if (checksum_of(Span(header).first(24)) != read_little<std::uint64_t>(header, 24))
    fail_damaged(file, "its header");
  const std::vector<std::uint8_t> footer = read(file, size - kFooterBytes, kFooterBytes, "its end");
  if (std::memcmp(footer.data(), kEnd, sizeof(kEnd)) != 0 ||
      checksum_of(Span(footer).first(40)) != read_little<std::uint64_t>(footer, 40))
    fail_damaged(file, "it is cut, or its end has changed");
  const std::uint64_t dictionary_bytes = read_little<std::uint32_t>(header, 12);
  const auto index_at = read_little<std::uint64_t>(footer, 8);
  const auto index_bytes = read_little<std::uint64_t>(footer, 16);
  const auto samples = read_little<std::uint64_t>(footer, 24);
  const std::uint64_t end = size - kFooterBytes;
  if (index_at > end || index_bytes != end - index_at ||
      index_at < kHeaderBytes + dictionary_bytes || dictionary_bytes > kMostDictionaryBytes)
    fail_damaged(file, "its length is wrong");
  if (index_bytes > how.most_index_bytes) {
    fail(file, fmt::format("has an index of {} bytes; more than {}, which is {}", index_bytes,
                           how.limit, how.most_index_bytes));
  }
  const std::vector<std::uint8_t> dictionary =
      read(file, kHeaderBytes, dictionary_bytes, "its dictionary");
  if (checksum_of(dictionary) != read_little<std::uint64_t>(header, 16))
    fail_damaged(file, "its dictionary");
  if (how.before != nullptr && std::ranges::equal(how.before->dictionary(), dictionary)) {
    shard.begin_ = how.before->begin_;
  } else {
    shard.begin_ = checked_begin(file, dictionary);
  }
  const std::vector<std::uint8_t> index = read(file, index_at, index_bytes, "its index");
  shard.checksum_ = checksum_of(index);
  if (shard.checksum_ != read_little<std::uint64_t>(footer, 32)) fail_damaged(file, "its index");

  Taker from(file, index);
  const std::uint32_t columns = from.number();
  if (columns > kMostColumns) fail_damaged(file, "its columns");
  for (std::uint32_t i = 0; i < columns; ++i) shard.columns_.push_back(from.text(from.number()));
  const std::uint64_t row_bytes = kEntryBytes + 4 * std::uint64_t{columns};
  if (samples > from.left() / row_bytes) fail_damaged(file, "its index");
  shard.entries_.resize(samples);
  for (Entry& entry : shard.entries_) {
    const Span row = from.take(kEntryBytes);
    entry = {read_little<std::uint64_t>(row, 0), read_little<std::uint32_t>(row, 8),
             read_little<std::uint32_t>(row, 12), read_little<std::uint64_t>(row, 16)};
    if (entry.offset < kHeaderBytes + dictionary_bytes || entry.offset > index_at ||
        entry.bytes > index_at - entry.offset || entry.head > entry.bytes)
      fail_damaged(file, "its index");
  }
  shard.cells_.resize(samples * columns + 1);
  for (std::size_t i = 0; i + 1 < shard.cells_.size(); ++i)
    shard.cells_[i + 1] = shard.cells_[i] + from.number();
  if (shard.cells_.back() != from.left()) fail_damaged(file, "its columns");
  shard.texts_ = from.text(from.left());
  return shard;
}

Span PackShard::dictionary() const { return Span(*begin_).subspan(PackedJpegParts::kPrefixBytes); }

std::string_view PackShard::cell(std::int64_t i, std::size_t column) const {
  const std::size_t at = static_cast<std::size_t>(i) * columns_.size() + column;
  return std::string_view(texts_).substr(cells_[at], cells_[at + 1] - cells_[at]);
}

bool PackShard::is_intact(std::int64_t i, Span bytes) const {
  return checksum_of(bytes) == entry(i).checksum;
}

namespace {

using detail::in_quotes;

std::string in_a_row(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + in_quotes(name);
  return all.empty() ? "none" : all;
}

}  // namespace

void PackTable::add(std::string name, PackShard shard) {
  if (!packs_.empty() && shard.columns() != columns()) {
    throw IoError(fmt::format("the pack '{}' has the columns {}, but '{}' has {}; read them apart",
                              escape_control_chars(name), in_a_row(shard.columns()),
                              escape_control_chars(packs_.front().name), in_a_row(columns())));
  }
  const std::int64_t end = size() + shard.size();
  packs_.push_back({std::move(name), std::move(shard), end});
}

void PackTable::choose(const char* reader, const std::vector<std::string>& columns,
                       std::size_t types) {
  if (columns.size() != types) {
    throw BuildError(fmt::format("{}: there are {} types for {} columns ({})", reader, types,
                                 columns.size(), in_a_row(columns)));
  }
  wanted_ = columns;
  for (const std::string& column : columns) numbers_.push_back(number_of(column));
}

std::size_t PackTable::number_of(const std::string& column) const {
  const auto found = std::find(columns().begin(), columns().end(), column);
  if (found == columns().end()) {
    throw IoError(fmt::format("the pack '{}' has no column {}; its columns: {}",
                              escape_control_chars(packs_.front().name), in_quotes(column),
                              in_a_row(columns())));
  }
  return static_cast<std::size_t>(found - columns().begin());
}

PackTable::Place PackTable::place(std::int64_t i) const {
  const auto pack = std::upper_bound(packs_.begin(), packs_.end(), i,
                                     [](std::int64_t n, const Pack& one) { return n < one.end; });
  if (i < 0 || pack == packs_.end())
    throw std::out_of_range(fmt::format("there is no sample {}: the packs have {}", i, size()));
  return {static_cast<std::size_t>(pack - packs_.begin()), i - (pack->end - pack->shard.size())};
}

std::string PackTable::name(const Place& place) const {
  const auto column = std::find(columns().begin(), columns().end(), "name");
  return pack_name(place) + ":" +
         (column == columns().end()
              ? std::to_string(place.number)
              : std::string(shard(place).cell(
                    place.number, static_cast<std::size_t>(column - columns().begin()))));
}

void PackTable::check(const Place& place, Span bytes) const {
  if (shard(place).is_intact(place.number, bytes)) return;
  throw IoError(fmt::format("the sample '{}' is damaged: its bytes have another checksum",
                            escape_control_chars(name(place))));
}

std::string_view PackTable::cell(std::int64_t i, const std::string& column) const {
  const Place at = place(i);
  return shard(at).cell(at.number, number_of(column));
}

std::string_view PackTable::text(std::int64_t i, std::size_t wanted) const {
  const Place at = place(i);
  return shard(at).cell(at.number, numbers_[wanted]);
}

void PackTable::fail(std::int64_t i, std::size_t wanted, const char* what) const {
  throw IoError(fmt::format("sample '{}', column {}: {}", escape_control_chars(name(place(i))),
                            in_quotes(wanted_[wanted]), what));
}

std::string PackTable::fingerprint() const {
  detail::Fingerprint print;
  for (const Pack& pack : packs_) {
    print.add(std::string_view(pack.name).substr(pack.name.rfind('/') + 1));
    print.add(pack.shard.checksum());
  }
  return print.text();
}

void write_shard(const std::string& path, Span dictionary, const std::vector<std::string>& columns,
                 std::span<const PackSample> samples) {
  std::vector<std::uint8_t> header(std::begin(kMagic), std::end(kMagic));
  append_little(header, PackShard::kVersion);
  append_little(header, static_cast<std::uint32_t>(dictionary.size()));
  append_little(header, checksum_of(dictionary));
  append_little(header, checksum_of(header));

  std::vector<std::uint8_t> index, sizes, texts;
  append_little(index, static_cast<std::uint32_t>(columns.size()));
  const auto append_text = [](std::vector<std::uint8_t>& to, const std::string& text) {
    to.insert(to.end(), text.begin(), text.end());
  };
  for (const std::string& column : columns) {
    append_little(index, static_cast<std::uint32_t>(column.size()));
    append_text(index, column);
  }
  std::vector<Span> pieces = {header, dictionary};
  std::uint64_t at = header.size() + dictionary.size();
  for (const PackSample& sample : samples) {
    const Span bytes = sample.bytes;
    append_little(index, at);
    append_little(index, static_cast<std::uint32_t>(bytes.size()));
    append_little(index, sample.is_packed ? read_little<std::uint32_t>(bytes, 0) : 0);
    append_little(index, checksum_of(bytes));
    for (const std::string& text : sample.cells) {
      append_little(sizes, static_cast<std::uint32_t>(text.size()));
      append_text(texts, text);
    }
    pieces.push_back(bytes);
    at += bytes.size();
  }
  for (const auto* part : {&sizes, &texts}) index.insert(index.end(), part->begin(), part->end());

  std::vector<std::uint8_t> footer(std::begin(kEnd), std::end(kEnd));
  append_little(footer, at);
  append_little<std::uint64_t>(footer, index.size());
  append_little<std::uint64_t>(footer, samples.size());
  append_little(footer, checksum_of(index));
  append_little(footer, checksum_of(footer));
  pieces.insert(pieces.end(), {Span(index), Span(footer)});
  write_whole(path, pieces, Keep::system);
}

}  // namespace sluice
