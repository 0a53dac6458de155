#include "augment_options.h"

#include "common_options.h"
#include "validators.h"

#include <cstdint>
#include <limits>
#include <map>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace sluice::app {
namespace {

const std::map<std::string, OnError> kPolicies = {
    {"fail", OnError::fail}, {"skip", OnError::skip}, {"replace", OnError::replace}};

const std::map<std::string, BoxFormat> kBoxFormats = [] {
  std::map<std::string, BoxFormat> all;
  for (const BoxFormat format : {BoxFormat::xyxy, BoxFormat::xywh, BoxFormat::cxcywh})
    all[name_of(format)] = format;
  return all;
}();

std::vector<std::string> names_of(const auto& map) {
  std::vector<std::string> names;
  for (const auto& [name, value] : map) names.push_back(name);
  return names;
}

// Adds the options for the source of the samples, their selection and their order.
void add_samples(CLI::App& command, AugmentOptions& options, Words& words) {
  DatasetOptions& dataset = options.dataset;
  add_data(command, dataset.data)->required(false);
  CLI::Option* const list = add_list(command, dataset.list);
  CLI::Option* const tar =
      add_tar(command, dataset.tar,
              "tar archives, or a pattern of their names in quotes: files of one stem are one "
              "sample, and its .jpg or .jpeg is augmented");
  add_path(command, dataset.path)->needs(list);
  command
      .add_option("--label", dataset.label,
                  "the column of --list or --tar with the label, for plans that take one (default: "
                  "all labels are -1); with boxes, that of their labels (default: labels)")
      ->type_name("NAME");
  command
      .add_option("--boxes", dataset.boxes,
                  "the column of --list with the boxes, for --recipe detection (default: boxes)")
      ->needs(list)
      ->type_name("NAME");
  command
      .add_option("--box-format", words.box_format,
                  "what four numbers of a box are: xyxy (default: left, upper, right and lower "
                  "edge), xywh (as in COCO) or cxcywh; in pixels. Results have xyxy")
      ->needs(list)
      ->check(one_of(names_of(kBoxFormats)))
      ->type_name("FORMAT");
  command
      .add_option("--mask", dataset.mask,
                  "the column of --list that names the mask's file, for --recipe segmentation "
                  "(default: mask)")
      ->needs(list)
      ->type_name("NAME");
  add_offsets(command, dataset.offsets)->needs(tar);
  command
      .add_option("--count", options.count,
                  "how many samples; more than there are files means further epochs (default: each "
                  "file once)")
      ->check(number_from(std::int64_t{1}, std::int64_t{1} << 31))
      ->type_name("N");
  command.add_option("--epochs", options.epochs, "how often each file (default: once)")
      ->excludes("--count")
      ->check(number_from(std::int64_t{1}, std::int64_t{1} << 20))
      ->type_name("N");
  command.add_flag("--shuffle", options.shuffle,
                   "take the files in a random order, another one in each epoch: --count then "
                   "chooses at random. Results are the same as without");
  add_shard(command, options.shard);
  add_seed(command, options.seed, "the same seed gives the same pictures (default: 5)");
}

// Adds the options for the output folder and for resuming a run.
void add_results(CLI::App& command, AugmentOptions& options) {
  command
      .add_option("--out", options.out,
                  "folder for the results; made if it is missing, and empty unless --overwrite")
      ->required()
      ->type_name("DIR");
  command.add_flag("--overwrite", options.overwrite,
                   "writes into --out though it holds files; those of the same names are replaced");
  command.add_flag("--resume", options.resume,
                   "goes on where a run with the same options ended early: what it has left in "
                   "--out is kept, the rest is made, the same as without the interruption");
  CLI::Option* const checkpoint =
      command
          .add_option("--checkpoint", options.checkpoint,
                      "file that says how far the run is, written now and then and at its end; "
                      "--resume goes on from it, though results were moved away since")
          ->type_name("FILE");
  command
      .add_option("--checkpoint-every", options.checkpoint_every_s,
                  "seconds from one writing of it to the next (default: 10; 0: after each batch)")
      ->needs(checkpoint)
      ->check(number_from(0.0, 86400.0))
      ->type_name("S");
  command.add_flag(
      "--flat", options.flat,
      "all results in one folder; by default they lie in folders like those of --data");
}

}  // namespace

Recipe recipe_of(const Words& words) { return recipe_of(words.recipe).value(); }
RecipeSize size_of(const Words& words) { return size_in(words.size); }
OnError policy_of(const Words& words) { return kPolicies.at(words.on_error); }
BoxFormat box_format_of(const Words& words) { return kBoxFormats.at(words.box_format); }

void add_recipe(CLI::App& command, Words& words, std::string& pipeline) {
  CLI::Option* const by_name =
      command
          .add_option("--recipe", words.recipe,
                      "rotate (default), train or imagenet, which is the same, eval, randaugment, "
                      "trivialaugment, autoaugment, augmix, simclr, dino, detection or "
                      "segmentation; what they do stands below")
          ->check(one_of(recipe_names()))
          ->type_name("NAME");
  command
      .add_option("--pipeline", pipeline,
                  "file of a saved plan that is run instead of a recipe, as Pipeline::save() and "
                  "sluice graph --json write it; its first output is an image")
      ->excludes(by_name)
      ->type_name("FILE");
  add_size(command, words.size)->excludes("--pipeline");
  std::string footer = "Recipes:";
  for (const Recipe recipe : recipes()) {
    footer += fmt::format("\n  {:<16}{}", name_of(recipe), summary_of(recipe));
  }
  command.footer(footer);
}

void add_augment(CLI::App& command, AugmentOptions& options, Words& words) {
  add_samples(command, options, words);
  add_results(command, options);
  add_recipe(command, words, options.pipeline);
  command.add_option("--batch", options.batch, "samples of a batch (default: 32)")
      ->check(number_from(1, 65536))
      ->type_name("N");
  add_threads(command, options.threads);
  CLI::Option* const io_threads =
      command
          .add_option("--io-threads", options.io_threads,
                      "threads that read the files, beside those that compute (default: as many, "
                      "and at least 4; 0: those that compute read)")
          ->check(number_from(0, 1024))
          ->type_name("T");
  command
      .add_option("--workers", options.workers,
                  "processes that read the files instead; one that dies or hangs is started anew "
                  "(default: none)")
      ->excludes(io_threads)
      ->check(number_from(1, 1024))
      ->type_name("N");
  command
      .add_option("--on-error", words.on_error,
                  "what becomes of files that cannot be decoded: fail (stop, exit status 1), skip "
                  "(default), or replace "
                  "(another file stands in)")
      ->check(one_of(names_of(kPolicies)))
      ->type_name("WHAT");
  add_index_choice(command, options.index);
  add_device(command, options.device);
  add_decoder(command, options.decoder);
  add_compose(command, options.compose);
  command
      .add_option("--sheet", options.sheet,
                  "JPEG file that shows the first samples before and after")
      ->check(jpeg_name())
      ->type_name("FILE");
  add_all_names(command);
  command.add_flag("--profile", options.profile,
                   "print how often each step ran and how long it took, and which arms were taken");
  add_trace(command, options.trace);
}

}  // namespace sluice::app
