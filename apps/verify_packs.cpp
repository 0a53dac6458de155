#include "verify_packs.h"

#include "long_run.h"
#include "summary.h"
#include "usage.h"
#include <sluice/graph/pipeline.h>
#include <sluice/io/images/decode_image.h>
#include <sluice/io/packs/pack_in.h>
#include <sluice/io/packs/pack_jpeg.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/text.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <optional>
#include <span>
#include <tuple>

#include <fmt/format.h>

namespace sluice::app {
namespace {

// The samples of the packs beside their files.
struct PackedBesideFiles {
  const PackSource& source;
  const std::vector<std::int64_t>& samples;
  Pack<> packs;

  static constexpr bool blocks = true;
  std::int64_t size() const { return packs.size(); }
  std::string name(std::int64_t i) const { return packs.name(i); }
  std::tuple<Bytes, Bytes, bool> operator()(const SampleInfo& info) const {
    const std::int64_t i = samples[static_cast<std::size_t>(info.index)];
    const std::vector<std::string> cells = source.cells(i);
    for (std::size_t column = 0; column < cells.size(); ++column) {
      const std::string& name = source.columns()[column];
      if (packs.cell(info.index, name) != cells[column])
        throw Error(fmt::format("the column '{}' differs from that of {}",
                                escape_control_chars(name), escape_control_chars(source.name(i))));
    }
    return {packs.read_whole(info.index), source.file(i), packs.is_packed(info.index)};
  }
};

// Returns nothing if the file cannot be decoded.
std::optional<Image> pixels_of(std::span<const std::uint8_t> file) {
  try {
    Image image;
    decode_image_file(file, {}, image);
    return image;
  } catch (const Error&) {
    return {};
  }
}

bool compare(const Bytes& sample, const Bytes& file, bool is_packed) {
  const std::span<const std::uint8_t> original = file, stored = sample;
  if (!is_packed) {
    if (!std::equal(original.begin(), original.end(), stored.begin(), stored.end()))
      throw Error("the pack does not have the bytes of the file: it has changed since");
    return true;
  }
  const std::vector<std::uint8_t> unpacked = unpack_jpeg(stored);
  if (!std::equal(original.begin(), original.end(), unpacked.begin(), unpacked.end()))
    throw Error("unpacking does not give the bytes of the file: it has changed since");
  const std::optional<Image> pixels = pixels_of(stored), expected = pixels_of(original);
  if (pixels.has_value() != expected.has_value() || (pixels && !(*pixels == *expected)))
    throw Error("the packed image does not have the pixels of the file; report this file");
  return true;
}

}  // namespace

int verify_packs(const PackSource& source, const std::vector<std::int64_t>& samples,
                 const std::string& folder, int threads) {
  const Pack<> packs(std::vector<std::string>{folder}, {.columns = {}});
  if (packs.size() != static_cast<std::int64_t>(samples.size())) {
    throw Error(fmt::format("the packs in {} hold {}, but {} were packed; other packs are in it",
                            escape_control_chars(folder), counted(packs.size(), "sample"),
                            samples.size()));
  }
  constexpr int kBatch = 16;
  const auto start = std::chrono::steady_clock::now();
  Progress progress("file", packs.size());
  auto pipeline = make_pipeline(
      {.batch_size = kBatch, .threads = threads, .on_error = OnError::skip}, [&](Graph& g) {
        const auto [sample, file, is_packed] = g.read(PackedBesideFiles{source, samples, packs});
        return g.map("compare", compare, sample, file, is_packed);
      });
  const Interruption interruption([&pipeline] { pipeline.cancel(); });
  std::int64_t good = 0;
  std::vector<std::string> bad;
  {
    auto epoch = pipeline.epoch();
    while (!interruption.asked()) {
      const auto batch = epoch.next();
      if (!batch) break;
      good += static_cast<std::int64_t>(batch->size());
      for (const SampleError& error : batch->errors())
        bad.push_back(fmt::format("{}: {}", packs.name(error.key.index), strip_hint(error.what)));
      progress.add(static_cast<std::int64_t>(batch->size() + batch->errors().size()));
    }
  }
  progress.finish();
  if (interruption.asked()) {
    fmt::print("stopped early by {} after {} of {} were compared; the packs are complete\n",
               interruption.signal() == SIGINT ? "Ctrl-C" : "SIGTERM", good,
               counted(packs.size(), "file"));
    return 128 + interruption.signal();
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  fmt::print("verified {} in {:.2f} s: bytes, pixels and columns are those of the files\n",
             counted(good, "file"), seconds);
  if (bad.empty()) return 0;
  fmt::print("{} differ:\n", counted(bad.size(), "file"));
  name_each(bad, [](const std::string& one) { return escape_control_chars(one); });
  (void)std::fflush(stdout);
  throw Error(fmt::format("{} of {} differ from their files; pack them again",
                          counted(bad.size(), "sample"), packs.size()));
}

}  // namespace sluice::app
