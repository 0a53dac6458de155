#include "numbered_samples.h"

#include "usage.h"
#include <sluice/io/workers/registry.h>

#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sluice::app {
namespace {

constexpr const char* kReader = "sluice augment";

// Names of files may have any bytes, which JSON as text may not.
std::string packed(const nlohmann::json& json) {
  std::string text;
  nlohmann::json::to_msgpack(json, text);
  return text;
}

auto make_reader(const WorkerArguments& arguments) {
  const nlohmann::json json = nlohmann::json::from_msgpack(arguments.argument);
  DatasetOptions options;
  options.data = json.at("data");
  options.list = json.at("list");
  options.tar = json.at("tar");
  options.path = json.at("path");
  options.label = json.at("label");
  options.offsets = json.at("offsets");
  options.wants = static_cast<Wants>(json.at("wants").get<int>());
  options.boxes = json.at("boxes");
  options.box_format = static_cast<BoxFormat>(json.at("box_format").get<int>());
  options.mask = json.at("mask");
  NumberedSamples samples{open_dataset(options), [](std::int64_t) { return false; }};
  if (samples.fingerprint() != json.at("fingerprint").get<std::string>())
    throw Error("the dataset is not what it was when the run began: leave it alone until the end");
  return samples;
}
SLUICE_WORKER(kReader, make_reader);

}  // namespace

Workers<NumberedSample> start_readers(const DatasetOptions& options, const Dataset& dataset,
                                      int workers) {
  const nlohmann::json json = {{"data", options.data},
                               {"list", options.list},
                               {"tar", options.tar},
                               {"path", options.path},
                               {"label", options.label},
                               {"offsets", options.offsets},
                               {"wants", static_cast<int>(options.wants)},
                               {"boxes", options.boxes},
                               {"box_format", static_cast<int>(options.box_format)},
                               {"mask", options.mask},
                               {"fingerprint", dataset.fingerprint()}};
  try {
    return sluice::workers<NumberedSample>(
        kReader, dataset.size(), {.workers = workers, .argument = packed(json), .retry = true});
  } catch (const BuildError& error) {
    throw UsageError(fmt::format("--workers {}: {}", workers, error.what()));
  }
}

}  // namespace sluice::app
