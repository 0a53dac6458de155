#include "augment_source.h"

#include "input_paths.h"
#include "output_paths.h"
#include "result_range.h"
#include "results.h"
#include "sheet.h"
#include "usage.h"
#include <sluice/io/workers/registry.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include <fmt/format.h>

namespace sluice::app {
namespace fs = std::filesystem;

DatasetOptions find_data_options(const AugmentOptions& options,
                                 const std::optional<SavedPlan>& plan) {
  DatasetOptions dataset = options.dataset;
  dataset.wants = plan ? wants_of(*plan) : wants_of(options.recipe);
  if (dataset.wants == Wants::mask && !can_write_masks())
    throw UsageError("masks are written as PNG files, and this program was built without libpng");
  const DatasetOptions defaults;
  if (dataset.wants != Wants::boxes &&
      (dataset.boxes != defaults.boxes || dataset.box_format != defaults.box_format)) {
    throw UsageError(
        "--boxes and --box-format are for --recipe detection, and for plans that take "
        "boxes: leave them out");
  }
  if (dataset.wants != Wants::mask && dataset.mask != defaults.mask) {
    throw UsageError(
        "--mask is for --recipe segmentation, and for plans that take a mask: leave it "
        "out");
  }
  return dataset;
}

namespace {

// Throws UsageError if the output file exists, and the list names it.
void check_not_listed(const char* option, const std::string& path, const Dataset& list) {
  std::error_code error;
  if (path.empty() || !fs::is_regular_file(path, error)) return;
  for (std::int64_t i = 0; i < list.size(); ++i) {
    if (fs::equivalent(list.name(i), path, error)) {
      throw UsageError(
          fmt::format("{} {} is a file that the list names: give another", option, path));
    }
  }
}

}  // namespace

std::shared_ptr<const Dataset> find_dataset(const AugmentOptions& options,
                                            const DatasetOptions& dataset) {
  check_dataset(dataset, "augment");
  const bool may_have = dataset.wants == Wants::boxes && !dataset.pack.empty();
  if (dataset.wants != Wants::label && dataset.list.empty() && !may_have) {
    throw UsageError(fmt::format("{} needs --list: {}",
                                 options.pipeline.empty()
                                     ? fmt::format("--recipe {}", name_of(options.recipe))
                                     : fmt::format("--pipeline {}", options.pipeline),
                                 list_with(dataset.wants)));
  }
  if (options.workers > 0 && options.index != "off")
    throw UsageError("--workers and --index exclude each other: processes share no index");
  if (!dataset.pack.empty() && options.index != "off")
    throw UsageError("--index is for JPEG files; packs need none: leave it out with --pack");
  if (dataset.verify) {
    if (dataset.data.empty() && dataset.list.empty())
      throw UsageError("--verify is for --data and --list; packs always compare their checksums");
    if (!is_index_file(options.index))
      throw UsageError("--verify needs --index FILE, which sluice index has made of the folder");
  }
  Inputs inputs{dataset.data, options.pipeline, {dataset.list, dataset.offsets}};
  inputs.files.insert(inputs.files.end(), dataset.pack.begin(), dataset.pack.end());
  for (const std::string& archive : archives_of(dataset.tar)) inputs.files.push_back(archive);
  if (is_index_file(options.index)) inputs.files.push_back(options.index);
  check_apart("--out", options.out, inputs);
  std::error_code ignored;
  if (fs::exists(options.out, ignored) && !fs::is_directory(options.out, ignored)) {
    throw UsageError(
        fmt::format("--out {} is not a folder: give a new folder, or an empty one", options.out));
  }
  const auto check = [&](const char* option, const std::string& file) {
    if (file.empty()) return;
    check_out_file(option, file, inputs);
    check_folder_of(option, file, options.out);
    if (may_be_result(options.out, file)) {
      throw UsageError(
          fmt::format("{} {} has a name that results get: give it another", option, file));
    }
  };
  check("--sheet", options.sheet);
  check("--checkpoint", options.checkpoint);
  check("--trace", options.trace);
  check_names_differ({"--out", "--checkpoint", "--sheet", "--trace"},
                     {options.out, options.checkpoint, options.sheet, options.trace});
  std::shared_ptr<const Dataset> opened = open_dataset(dataset, chosen_index(options.index));
  if (!dataset.list.empty()) {
    for (const auto& [option, file] : {std::pair{"--sheet", &options.sheet},
                                       {"--checkpoint", &options.checkpoint},
                                       {"--trace", &options.trace}})
      check_not_listed(option, *file, *opened);
  }
  if (!options.shard.empty()) {
    // With more processes than samples, a process would run through epochs without any.
    const std::int64_t processes = ProcessShard(options.shard).shard().count;
    if (processes > opened->size()) {
      throw UsageError(
          fmt::format("--shard {}: {} cannot be shared by {} processes; give an N of "
                      "at most {}",
                      options.shard, counted(opened->size(), "sample"), processes, opened->size()));
    }
  }
  return opened;
}

namespace {

constexpr const char* kReader = "sluice augment";

// The argument of a worker: words, each ended by a zero byte, which no word contains. The archives
// and the packs come last, because their number varies.
std::string packed(const DatasetOptions& options, const std::string& fingerprint) {
  std::string text;
  const auto add = [&](const std::string& word) { text.append(word).push_back('\0'); };
  add(fingerprint);
  add(std::to_string(static_cast<int>(options.wants)));
  add(std::to_string(static_cast<int>(options.box_format)));
  for (const std::string* const word : {&options.data, &options.list, &options.path, &options.label,
                                        &options.boxes, &options.mask, &options.offsets})
    add(*word);
  add(options.pack.empty() ? "tar" : "pack");
  for (const std::string& path : options.pack.empty() ? options.tar : options.pack) add(path);
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
  std::vector<std::string>& paths = take() == "tar" ? options.tar : options.pack;
  while (at < text.size()) paths.push_back(take());
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
