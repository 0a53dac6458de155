#include <sluice/cuda/jpeg/batch.h>
#include <sluice/cuda/jpeg/kernels.h>
#include <sluice/cuda/jpeg/synchronize.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <numeric>

namespace sluice::device {
namespace {

// The kernels read whole words.
constexpr std::uint64_t kWord = 4;
constexpr std::uint64_t kTokensBytes = sizeof(JpegToken) * JpegToken::kCount;  // of a dictionary

std::uint64_t rounded(std::uint64_t bytes, std::uint64_t to = 256) {
  return (bytes + to - 1) / to * to;
}

// Returns the position after all arrays of the launch, where the files' bytes begin.
std::uint64_t head_bytes(const JpegLaunch& launch) {
  return rounded(launch.token_tiles_at + sizeof(std::uint32_t) * launch.tiles.tokens);
}

// Puts longer segments first, because threads that run side by side wait for the slowest one.
void put_by_length(const std::vector<JpegSegment>& segments, std::byte* to) {
  constexpr int kBits = 6;
  std::uint32_t longest = 0, first[(1 << kBits) + 1] = {};
  for (const JpegSegment& segment : segments)
    longest = std::max(longest, segment.end - segment.begin);
  const int below = std::max(static_cast<int>(std::bit_width(longest)) - kBits, 0);
  const auto class_of = [&](const JpegSegment& segment) {
    return (longest - (segment.end - segment.begin)) >> below;
  };
  for (const JpegSegment& segment : segments) ++first[class_of(segment) + 1];
  std::partial_sum(std::begin(first), std::end(first), std::begin(first));
  for (const JpegSegment& segment : segments) {
    std::byte* const at = to + first[class_of(segment)]++ * sizeof(JpegSegment);
    std::memcpy(at, &segment, sizeof segment);
  }
}

}  // namespace

void JpegBatch::clear() {
  samples_.clear();
  codes_.clear();
  tokens_.clear();
  segments_ = subsequences_ = intervals_ = unindexed_ = pieces_ = runs_ = 0;
  bytes_ = fetched_ = blocks_ = 0;
  tiles_ = {};
}

std::uint32_t JpegBatch::find_codes(const JpegPlan& plan) {
  for (std::size_t i = codes_.size(); i > 0; --i) {
    const Codes& known = codes_[i - 1];
    if (known.hash == plan.sources_hash() &&
        std::memcmp(&known.plan->sources(), &plan.sources(), sizeof(JpegPlan::Sources)) == 0)
      return static_cast<std::uint32_t>(i - 1);
  }
  codes_.push_back({plan.sources_hash(), &plan});
  return static_cast<std::uint32_t>(codes_.size() - 1);
}

std::uint32_t JpegBatch::find_tokens(const JpegPlan& plan) {
  const auto found = std::find(tokens_.begin(), tokens_.end(), plan.tokens().get());
  if (found != tokens_.end()) return static_cast<std::uint32_t>(found - tokens_.begin());
  tokens_.push_back(plan.tokens().get());
  return static_cast<std::uint32_t>(tokens_.size() - 1);
}

bool JpegBatch::add(const JpegPlan& plan, std::span<const std::uint8_t> file,
                    const Output& output) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 32;
  const JpegUnindexed& unindexed = plan.sample().unindexed;
  if (bytes_ + plan.bytes() + kWord >= kMost || pieces_ + plan.pieces().size() >= kMost ||
      segments_ + plan.segments().size() >= kMost ||
      std::uint64_t{subsequences_} + unindexed.subsequences >= kMost)
    return false;
  Sample sample{&plan, file, plan.sample(), unindexed_};
  JpegSample& told = sample.told;
  told.first_segment = segments_;
  told.raw_at = fetched_;
  told.bytes_at = told.fetched == 0 ? bytes_
                  : told.runs == 0  ? fetched_
                                    : fetched_ + rounded(told.fetched, JpegPiece::kLine);
  told.first_piece = pieces_;
  told.first_run = runs_;
  told.out = output.at;
  told.out_stride = output.stride;
  told.first_tile = tiles_;
  told.unindexed.first_subsequence = subsequences_;
  told.unindexed.first_interval = intervals_;
  for (JpegComponent& component : told.components) component.first_block += blocks_;
  for (JpegGroupBlock& block : told.group) block.first += blocks_;
  told.codes = told.coding == JpegCoding::tokens ? find_tokens(plan) : find_codes(plan);
  samples_.push_back(sample);

  segments_ += told.segments;
  subsequences_ += unindexed.subsequences;
  intervals_ += unindexed.intervals;
  unindexed_ += unindexed.bytes > 0 ? 1 : 0;
  pieces_ += told.pieces;
  runs_ += told.runs;
  if (told.fetched == 0) bytes_ += rounded(plan.bytes(), kWord);
  fetched_ += rounded(told.fetched, JpegPiece::kLine);
  if (told.runs > 0) fetched_ += rounded(plan.bytes(), JpegPiece::kLine);
  blocks_ += told.blocks;
  const JpegTiles more = tiles_of(told);
  tiles_.huffman += more.huffman;
  tiles_.dct += more.dct;
  tiles_.pixels += more.pixels;
  tiles_.subsequences += more.subsequences;
  tiles_.starts += more.starts;
  tiles_.fetch += more.fetch;
  tiles_.unstuff += more.unstuff;
  tiles_.tokens += more.tokens;
  return true;
}

JpegLaunch JpegBatch::lay_out() const {
  JpegLaunch launch;
  launch.samples = static_cast<std::uint32_t>(samples_.size());
  launch.codes = static_cast<std::uint32_t>(codes_.size());
  launch.dictionaries = static_cast<std::uint32_t>(tokens_.size());
  launch.unindexed = unindexed_;
  launch.tiles = tiles_;
  std::uint64_t at = 0;
  const auto place = [&at](std::uint64_t& of, std::uint64_t bytes) {
    of = at;
    at = rounded(at + bytes);
  };
  place(launch.samples_at, sizeof(JpegSample) * samples_.size());
  place(launch.sources_at, sizeof(JpegPlan::Sources) * codes_.size());
  place(launch.segments_at, sizeof(JpegSegment) * segments_);
  place(launch.huffman_tiles_at, sizeof(std::uint32_t) * tiles_.huffman);
  place(launch.dct_tiles_at, sizeof(std::uint32_t) * tiles_.dct);
  place(launch.pixel_tiles_at, sizeof(std::uint32_t) * tiles_.pixels);
  place(launch.subsequence_tiles_at, sizeof(std::uint32_t) * tiles_.subsequences);
  place(launch.start_tiles_at, sizeof(std::uint32_t) * tiles_.starts);
  place(launch.intervals_at, sizeof(JpegInterval) * intervals_);
  place(launch.unindexed_at, sizeof(std::uint32_t) * unindexed_);
  place(launch.pieces_at, sizeof(JpegPiece) * pieces_);
  place(launch.runs_at, sizeof(JpegRun) * runs_);
  place(launch.fetch_tiles_at, sizeof(std::uint32_t) * tiles_.fetch);
  place(launch.unstuff_tiles_at, sizeof(std::uint32_t) * tiles_.unstuff);
  place(launch.tokens_at, kTokensBytes * tokens_.size());
  place(launch.token_tiles_at, sizeof(std::uint32_t) * tiles_.tokens);
  launch.block_bytes = at + bytes_;
  launch.coefficients_at = rounded(sizeof(std::uint32_t) * samples_.size());
  launch.planes_at = launch.coefficients_at + 64 * sizeof(std::int16_t) * blocks_;
  launch.tallies_at = rounded(launch.planes_at + 64 * blocks_);
  launch.starts_at = launch.tallies_at + sizeof(JpegTally) * subsequences_;
  launch.states_at = launch.starts_at + sizeof(JpegStart) * subsequences_;
  launch.codes_at = rounded(launch.states_at + sizeof(JpegStates) * subsequences_);
  launch.fetched_at = rounded(launch.codes_at + sizeof(JpegCodes) * codes_.size());
  launch.scratch_bytes = launch.fetched_at + fetched_;
  return launch;
}

std::size_t JpegBatch::upload_bytes() const { return lay_out().block_bytes; }
std::size_t JpegBatch::scratch_bytes() const { return lay_out().scratch_bytes; }

void JpegBatch::fill_head(std::byte* upload) const {
  const JpegLaunch launch = lay_out();
  for (std::size_t i = 0; i < codes_.size(); ++i) {
    std::memcpy(upload + launch.sources_at + i * sizeof(JpegPlan::Sources),
                &codes_[i].plan->sources(), sizeof(JpegPlan::Sources));
  }
  for (std::size_t i = 0; i < tokens_.size(); ++i)
    std::memcpy(upload + launch.tokens_at + i * kTokensBytes, tokens_[i]->tokens().data(),
                kTokensBytes);
}

void JpegBatch::fill_sample(std::byte* upload, std::size_t sample) const {
  const JpegLaunch launch = lay_out();
  const Sample& from = samples_[sample];
  JpegSample told = from.told;
  if (told.fetched == 0) {
    told.bytes_at += head_bytes(launch);
    copy_bytes(from, upload + told.bytes_at);
  }
  std::memcpy(upload + launch.samples_at + sample * sizeof told, &told, sizeof told);
  put_by_length(from.plan->segments(),
                upload + launch.segments_at + told.first_segment * sizeof(JpegSegment));
  const auto own = [&](std::uint64_t tiles_at, std::uint32_t first, std::uint32_t count) {
    std::fill_n(reinterpret_cast<std::uint32_t*>(upload + tiles_at) + first, count,
                static_cast<std::uint32_t>(sample));
  };
  const JpegTiles tiles = tiles_of(told);
  own(launch.huffman_tiles_at, told.first_tile.huffman, tiles.huffman);
  own(launch.dct_tiles_at, told.first_tile.dct, tiles.dct);
  own(launch.pixel_tiles_at, told.first_tile.pixels, tiles.pixels);
  own(launch.subsequence_tiles_at, told.first_tile.subsequences, tiles.subsequences);
  own(launch.start_tiles_at, told.first_tile.starts, tiles.starts);
  if (told.unindexed.bytes > 0) {
    own(launch.unindexed_at, from.unindexed, 1);
    std::memcpy(upload + launch.intervals_at + told.unindexed.first_interval * sizeof(JpegInterval),
                from.plan->intervals().data(), told.unindexed.intervals * sizeof(JpegInterval));
  }
  own(launch.fetch_tiles_at, told.first_tile.fetch, tiles.fetch);
  own(launch.unstuff_tiles_at, told.first_tile.unstuff, tiles.unstuff);
  own(launch.token_tiles_at, told.first_tile.tokens, tiles.tokens);
  if (told.fetched > 0) tell_pieces(from, upload, launch);
}

void JpegBatch::tell_pieces(const Sample& from, std::byte* upload, const JpegLaunch& launch) {
  const auto place = [](std::size_t bytes) { return static_cast<std::uint32_t>(bytes); };
  auto* piece = reinterpret_cast<JpegPiece*>(upload + launch.pieces_at) + from.told.first_piece;
  auto* run = reinterpret_cast<JpegRun*>(upload + launch.runs_at) + from.told.first_run;
  const std::size_t first = from.plan->fetched_from();
  for (const JpegPlan::Piece& of : from.plan->pieces()) {
    if (from.told.runs > 0) {
      *run++ = {place(of.begin - first), place(of.at)};
    } else {
      *piece++ = {from.file.data() + of.begin, place(of.at), place(of.bytes)};
    }
  }
}

void JpegBatch::copy_bytes(const Sample& from, std::byte* to) {
  for (const JpegPlan::Piece& piece : from.plan->pieces())
    std::memcpy(to + piece.at, from.file.data() + piece.begin, piece.bytes);
  // The rest of the last word is read, but not used.
  const std::size_t size = from.plan->bytes();
  std::memset(to + size, 0, rounded(size, kWord) - size);
}

void JpegBatch::fill(std::byte* upload) const {
  fill_head(upload);
  for (std::size_t i = 0; i < samples_.size(); ++i) fill_sample(upload, i);
}

JpegLaunch JpegBatch::arguments(const Memory& memory) const {
  JpegLaunch launch = lay_out();
  launch.block = memory.device_upload;
  launch.scratch = memory.scratch;
  return launch;
}

void JpegBatch::enqueue_upload(DeviceStream& stream, const Memory& memory) const {
  if (!samples_.empty()) stream.copy(memory.device_upload, memory.upload, upload_bytes());
}

void JpegBatch::enqueue_decode(DeviceStream& stream, const Memory& memory) {
  if (samples_.empty()) return;
  const JpegLaunch launch = arguments(memory);
  copies_.clear();
  for (const Sample& from : samples_) {
    if (from.told.runs == 0) continue;
    copies_.push_back({memory.scratch + launch.fetched_at + from.told.raw_at,
                       from.file.data() + from.plan->fetched_from(), from.told.fetched});
  }
  if (!copies_.empty()) stream.copy_all(copies_);
  stream.fill(memory.scratch, 0, launch.planes_at);
  const auto run = [&](const Kernel& kernel) {
    stream.launch(kernel, std::as_bytes(std::span(&launch, 1)));
  };
  run(kJpegCodes);
  if (launch.tiles.fetch > 0) run(kJpegFetch);
  if (launch.tiles.unstuff > 0) run(kJpegUnstuff);
  if (launch.unindexed > 0) {
    run(kJpegSynchronize);
    for (int i = 0; i < kJpegMoreLaunches; ++i) run(kJpegSynchronizeMore);
    run(kJpegFindStarts);
    run(kJpegHuffmanUnindexed);
  }
  if (launch.tiles.tokens > 0) run(kJpegTokens);
  for (const Kernel* kernel : {&kJpegHuffman, &kJpegInverseDct, &kJpegPixels}) run(*kernel);
}

void JpegBatch::enqueue_damage(DeviceStream& stream, const Memory& memory) const {
  if (samples_.empty()) return;
  stream.copy(memory.damage, memory.scratch, sizeof(std::uint32_t) * samples_.size());
}

void JpegBatch::enqueue(DeviceStream& stream, const Memory& memory) {
  enqueue_upload(stream, memory);
  enqueue_decode(stream, memory);
  enqueue_damage(stream, memory);
}

}  // namespace sluice::device
