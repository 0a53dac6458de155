#include "numbered_samples.h"

#include "usage.h"
#include <sluice/io/workers/registry.h>

#include <cstddef>
#include <string>

#include <fmt/format.h>

namespace sluice::app {
namespace {

constexpr const char* kReader = "sluice augment";

// The argument of a worker: words, each ended by a zero byte, which no word contains. The archives
// come last, because their number varies.
std::string packed(const DatasetOptions& options, const std::string& fingerprint) {
  std::string text;
  const auto add = [&](const std::string& word) { text.append(word).push_back('\0'); };
  add(fingerprint);
  add(std::to_string(static_cast<int>(options.wants)));
  add(std::to_string(static_cast<int>(options.box_format)));
  for (const std::string* const word : {&options.data, &options.list, &options.path, &options.label,
                                        &options.boxes, &options.mask, &options.offsets})
    add(*word);
  for (const std::string& archive : options.tar) add(archive);
  return text;
}

auto make_reader(const WorkerArguments& arguments) {
  const std::string& text = arguments.argument;
  std::size_t at = 0;
  const auto take = [&] {
    const std::size_t end = text.find('\0', at);
    if (end == std::string::npos) throw Error("a worker was told too little");
    std::string word = text.substr(at, end - at);
    at = end + 1;
    return word;
  };
  const std::string fingerprint = take();
  DatasetOptions options;
  options.wants = static_cast<Wants>(std::stoi(take()));
  options.box_format = static_cast<BoxFormat>(std::stoi(take()));
  for (std::string* const word : {&options.data, &options.list, &options.path, &options.label,
                                  &options.boxes, &options.mask, &options.offsets})
    *word = take();
  while (at < text.size()) options.tar.push_back(take());
  NumberedSamples samples{open_dataset(options), [](std::int64_t) { return false; }};
  if (samples.fingerprint() != fingerprint)
    throw Error("the dataset is not what it was when the run began: leave it alone until the end");
  return samples;
}
SLUICE_WORKER(kReader, make_reader);

}  // namespace

Workers<NumberedSample> start_readers(const DatasetOptions& options, const Dataset& dataset,
                                      int workers) {
  try {
    return sluice::workers<NumberedSample>(
        kReader, dataset.size(),
        {.workers = workers, .argument = packed(options, dataset.fingerprint()), .retry = true});
  } catch (const BuildError& error) {
    throw UsageError(fmt::format("--workers {}: {}", workers, error.what()));
  }
}

}  // namespace sluice::app
