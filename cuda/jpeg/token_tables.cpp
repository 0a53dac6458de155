#include <sluice/cuda/jpeg/token_tables.h>
#include <sluice/cuda/jpeg/tokens.h>
#include <sluice/io/packs/tokens.h>

#include <algorithm>
#include <utility>

namespace sluice::device {
namespace {

JpegToken lay_out(const PackToken& token) {
  JpegToken out;
  std::uint32_t signs = 0, sign_bits = 0;
  for (std::uint32_t i = 0; i < token.length; ++i) {
    out.magnitudes[i / 4] |= std::uint32_t{token.magnitude[i]} << (8 * (i % 4));
    if (!token.has_sign(i)) continue;
    signs |= 1u << i;
    ++sign_bits;
  }
  const std::uint32_t step = std::uint32_t{token.run} + token.length;
  out.kind = signs | std::uint32_t{token.run} << 8 | step << 16 | std::uint32_t{token.ends} << 23;
  out.raw = ((1u << token.extra) - 1) | std::uint32_t{token.extra} << 16 |
            (token.extra + sign_bits) << 24;
  return out;
}

static_assert(JpegToken::kBits == PackToken::kBits);
static_assert(JpegToken::kCoefficients == PackToken::kMostCoefficients);
// The reader of raw bits and the field for their number rely on it.
static_assert(PackToken::kMostExtraBits + PackToken::kMostCoefficients <= 24);
static_assert(device::kJpegSmallestPackSegment == detail::kSmallestPackSegment);

}  // namespace

JpegTokenTable::JpegTokenTable(const PackedJpeg& packed)
    : checksum_(packed.dictionary_checksum()),
      dictionary_(packed.dictionary().begin(), packed.dictionary().end()) {
  if (checksum_of_dictionary(dictionary_) != checksum_)
    throw PackError("the packed JPEG is damaged: its dictionary has another checksum");
  const std::vector<PackToken> tokens = detail::read_pack_dictionary(dictionary_);
  tokens_.reserve(tokens.size());
  for (const PackToken& token : tokens) tokens_.push_back(lay_out(token));
}

bool JpegTokenTable::is_of(const PackedJpeg& packed) const noexcept {
  const auto other = packed.dictionary();
  return packed.dictionary_checksum() == checksum_ &&
         std::equal(other.begin(), other.end(), dictionary_.begin(), dictionary_.end());
}

JpegTokenTables& JpegTokenTables::all() {
  static JpegTokenTables tables;
  return tables;
}

std::shared_ptr<const JpegTokenTable> JpegTokenTables::find_known(std::uint64_t checksum) {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(known_.begin(), known_.end(), [checksum](const Known& known) {
    return known.checksum == checksum;
  });
  if (found == known_.end()) return nullptr;
  std::rotate(found, found + 1, known_.end());
  return known_.back().table;
}

std::shared_ptr<const JpegTokenTable> JpegTokenTables::find(const PackedJpeg& packed) {
  const std::uint64_t checksum = packed.dictionary_checksum();
  auto table = find_known(checksum);
  // The comparison is long, so it is made without the lock.
  if (table != nullptr && table->is_of(packed)) return table;
  table = std::make_shared<const JpegTokenTable>(packed);
  const std::lock_guard lock(mutex_);
  // Another thread may have made it meanwhile.
  for (const Known& known : known_) {
    if (known.table->is_of(packed)) return known.table;
  }
  if (known_.size() == kMost) known_.erase(known_.begin());
  known_.push_back({checksum, table});
  return table;
}

std::size_t JpegTokenTables::size() const {
  const std::lock_guard lock(mutex_);
  return known_.size();
}

}  // namespace sluice::device
