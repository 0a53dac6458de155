#include "options.h"

#include "summary.h"
#include "usage.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace sluice::app {

CLI::Validator one_of(std::vector<std::string> words) {
  const std::string list = any_of(words);
  return CLI::Validator(
      [words = std::move(words), list](std::string& given) {
        if (std::find(words.begin(), words.end(), given) != words.end()) return std::string();
        const std::string similar = suggestion(given, words);
        return fmt::format("'{}' is not known{}", given,
                           similar.empty() ? ": choose " + list : similar);
      },
      "");
}

CLI::Validator not_empty() {
  return CLI::Validator(
      [](std::string& given) {
        return std::string(given.empty() ? "the value is empty; give one, or leave the option out"
                                         : "");
      },
      "");
}

CLI::Validator jpeg_name() {
  return CLI::Validator(
      [](std::string& given) {
        std::string ending = std::filesystem::path(given).extension().string();
        for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        if (ending.empty() || ending == ".jpg" || ending == ".jpeg") return std::string();
        return fmt::format("a JPEG file is written: let its name end in .jpg, not in {}", ending);
      },
      "");
}

CLI::Validator one_or_two(CLI::Validator number) {
  return CLI::Validator(
      [number = std::move(number)](std::string& given) {
        const std::size_t comma = given.find(',');
        std::string first = given.substr(0, comma);
        std::string wrong = number(first);
        if (!wrong.empty()) return wrong + ", nor two of them with a comma between";
        if (comma == std::string::npos) return wrong;
        if (given.find(',', comma + 1) != std::string::npos)
          return fmt::format("'{}' is more than two numbers; give one, or two with a comma between",
                             given);
        std::string second = given.substr(comma + 1);
        return number(second);
      },
      "");
}

CLI::Validator number_or(const char* word, CLI::Validator number) {
  return CLI::Validator(
      [word = std::string(word), number = std::move(number)](std::string& given) {
        if (given == word) {
          given = "0";
          return std::string();
        }
        const std::string wrong = number(given);
        return wrong.empty() ? wrong : fmt::format("{}, nor '{}'", wrong, word);
      },
      "");
}

CLI::Validator size_in_bytes() {
  return CLI::Validator(
      [](std::string& given) {
        constexpr std::int64_t kMost = 1'000'000;  // so that the number of bytes fits
        std::int64_t number = 0;
        const char* const end = given.data() + given.size();
        const std::from_chars_result read = std::from_chars(given.data(), end, number);
        const std::string unit = read.ec == std::errc() ? std::string(read.ptr, end) : "?";
        const std::int64_t times = unit == "KB"   ? 1'000
                                   : unit == "MB" ? 1'000'000
                                   : unit == "GB" ? 1'000'000'000
                                                  : 0;
        if (times == 0 || number < 1 || number > kMost)
          return fmt::format("'{}' is not a size such as 500KB, 256MB or 1GB", given);
        given = std::to_string(number * times);
        return std::string();
      },
      "");
}

CLI::Option* add_threads(CLI::App& command, int& threads, const char* help) {
  return command.add_option("--threads", threads, help)
      ->check(number_from(1, 1024))
      ->type_name("T");
}

CLI::Option* add_trace(CLI::App& command, std::string& trace) {
  return command
      .add_option("--trace", trace,
                  "file for a trace of what each thread did when; open it at ui.perfetto.dev "
                  "(default: none)")
      ->type_name("FILE");
}

CLI::Option* add_data(CLI::App& command, std::string& data) {
  return command
      .add_option("--data", data,
                  "folder with JPEG files; those in folders below it count too, hidden ones do not")
      ->required()
      ->type_name("DIR");
}

CLI::Option* add_tar(CLI::App& command, std::vector<std::string>& tar, const char* help) {
  return command.add_option("--tar", tar, help)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("FILE");
}

CLI::Option* add_list(CLI::App& command, std::string& list) {
  return command
      .add_option("--list", list,
                  "list of files: .csv, .tsv, .jsonl or .ndjson, whose first row names columns")
      ->type_name("FILE");
}

CLI::Option* add_pack(CLI::App& command, std::vector<std::string>& pack) {
  return command
      .add_option("--pack", pack,
                  "packs that sluice pack wrote: folders of packs, or files with the ending .pack")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("PACK");
}

CLI::Option* add_path(CLI::App& command, std::string& path) {
  return command
      .add_option("--path", path, "the column of the list that names the file (default: path)")
      ->type_name("NAME");
}

CLI::Option* add_offsets(CLI::App& command, std::string& offsets) {
  return command
      .add_option("--offsets", offsets,
                  "archive index that sluice index --tar wrote (default: none)")
      ->type_name("FILE");
}

CLI::Option* add_shard(CLI::App& command, std::string& shard) {
  return command
      .add_option("--shard", shard,
                  "the part I, 0 to N - 1, of N processes that share the work; by default as "
                  "torchrun, mpirun and srun say")
      ->type_name("I/N");
}

CLI::Option* add_seed(CLI::App& command, std::uint64_t& seed, const char* help) {
  return command.add_option("--seed", seed, help)
      ->check(number_from(std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max()))
      ->type_name("S");
}

CLI::Option* add_size(CLI::App& command, std::string& size) {
  return command
      .add_option("--size", size,
                  "width and height of what the recipe makes, in pixels: one number for both, or "
                  "two; default: the recipe's own, below")
      ->check(one_or_two(number_from(1, RecipeSize::kMost)))
      ->type_name("N|W,H");
}

RecipeSize size_in(const std::string& size) {
  if (size.empty()) return {};
  const std::size_t comma = size.find(',');
  const int width = std::stoi(size);
  return {width, comma == std::string::npos ? width : std::stoi(size.substr(comma + 1))};
}

void add_index_choice(CLI::App& command, std::string& index, const char* default_text) {
  command
      .add_option("--index", index,
                  fmt::format("JPEG index, which lets regions decode without the rows before them: "
                              "off, memory (filled while decoding, for when a file comes again) or "
                              "a file that sluice index wrote (default: {})",
                              default_text))
      ->type_name("off|memory|FILE");
}

void add_device(CLI::App& command, std::string& device) {
  command
      .add_option("--device", device,
                  "where images are decoded and augmented: cpu (default), gpu, the number of one, "
                  "or stand-in (no GPU, for trying)")
      ->type_name("D");
}

void add_decoder(CLI::App& command, std::string& decoder) {
  command
      .add_option("--decoder", decoder,
                  "GPU decoders to use: exact (default), or any, which adds its JPEG engines: they "
                  "are slower and leave its cores free, their pixels are close to the CPU's, and "
                  "two runs may differ. It has no effect without --device gpu or without engines")
      ->check(one_of({"exact", "any"}))
      ->type_name("exact|any");
}

void add_compose(CLI::App& command, bool& compose) {
  command.add_flag("--compose", compose,
                   "combines consecutive color operators into one matrix and warps into one warp: "
                   "pixels are interpolated, rounded and clipped once, and so differ");
}

void add_all_names(CLI::App& command) {
  command.add_flag_callback("--all-names", name_all,
                            "the summary names every file that was left out, skipped or replaced, "
                            "not only the first 20 of each kind");
}

void require_one_of(const CLI::App& command, const std::vector<std::string>& options,
                    const std::vector<std::string>& needed) {
  const auto is_given = [&](const std::string& name) { return command.count(name) > 0; };
  if (std::any_of(needed.begin(), needed.end(), is_given)) return;
  for (const std::string& option : options) {
    if (is_given(option)) {
      throw UsageError(fmt::format("{} requires {} (sluice {} --help tells more)", option,
                                   any_of(needed), command.get_name()));
    }
  }
}

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
void add_samples(CLI::App& command, AugmentOptions& options, RawOptions& raw) {
  DatasetOptions& dataset = options.dataset;
  add_data(command, dataset.data)->required(false);
  CLI::Option* const list = add_list(command, dataset.list);
  CLI::Option* const tar =
      add_tar(command, dataset.tar,
              "tar archives, or a pattern of their names in quotes: files of one stem are one "
              "sample, and its .jpg or .jpeg is augmented");
  add_pack(command, dataset.pack);
  add_path(command, dataset.path)->needs(list);
  command
      .add_option("--label", dataset.label,
                  "the column of --list, --tar or --pack with the label, for plans that take one "
                  "(default: label of --pack, else all labels are -1); with boxes, the column with "
                  "their labels (default: labels)")
      ->type_name("NAME");
  command
      .add_option("--boxes", dataset.boxes,
                  "the column of --list or --pack with the boxes, for --recipe detection (default: "
                  "boxes)")
      ->type_name("NAME");
  command
      .add_option("--box-format", raw.box_format,
                  "format of boxes: xyxy (default: left, upper, right and lower edge), xywh (as in "
                  "COCO) or cxcywh; in pixels. Results have xyxy")
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
                  "number of samples; more than the number of files means further epochs (default: "
                  "each file once)")
      ->check(number_from(std::int64_t{1}, std::int64_t{1} << 31))
      ->type_name("N");
  command
      .add_option("--epochs", options.epochs, "number of times that each file is used (default: 1)")
      ->excludes("--count")
      ->check(number_from(std::int64_t{1}, std::int64_t{1} << 20))
      ->type_name("N");
  command.add_flag(
      "--shuffle", options.shuffle,
      "take the files in a random order, another one in each epoch. The result of a file has the "
      "same name and bytes as without. With --count, a random choice of files");
  add_shard(command, options.shard);
  add_seed(command, options.seed,
           "seed of all random numbers: the same seed gives the same images (default: 5)");
}

// Adds the options for the output folder and for resuming a run.
void add_results(CLI::App& command, AugmentOptions& options) {
  command
      .add_option("--out", options.out,
                  "folder for the results, JPEG files named after their file and its number: a.jpg "
                  "gives a_000017.jpg. Made if it is missing, and empty unless --overwrite")
      ->required()
      ->type_name("DIR");
  command.add_flag("--overwrite", options.overwrite,
                   "writes into --out even if it holds files; replaces files of the same names");
  command.add_flag("--resume", options.resume,
                   "continues a run with the same options that ended early: keeps its results in "
                   "--out and makes the rest, the same as without the interruption");
  CLI::Option* const checkpoint =
      command
          .add_option("--checkpoint", options.checkpoint,
                      "checkpoint of the run, written regularly and at its end; --resume continues "
                      "from it, even if results were moved since")
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

Recipe recipe_of(const RawOptions& raw) { return recipe_of(raw.recipe).value(); }
RecipeSize size_of(const RawOptions& raw) { return size_in(raw.size); }
OnError policy_of(const RawOptions& raw) { return kPolicies.at(raw.on_error); }
BoxFormat box_format_of(const RawOptions& raw) { return kBoxFormats.at(raw.box_format); }

void add_recipe(CLI::App& command, RawOptions& raw, std::string& pipeline) {
  CLI::Option* const by_name =
      command
          .add_option("--recipe", raw.recipe,
                      "rotate (default), train or imagenet, which is the same, eval, randaugment, "
                      "trivialaugment, autoaugment, augmix, simclr, dino, detection or "
                      "segmentation; described below")
          ->check(one_of(recipe_names()))
          ->type_name("NAME");
  command
      .add_option("--pipeline", pipeline,
                  "saved plan to run instead of a recipe, as Pipeline::save() and sluice graph "
                  "--json write it; its first output is an image")
      ->excludes(by_name)
      ->type_name("FILE");
  add_size(command, raw.size)->excludes("--pipeline");
  std::string footer = "Recipes:";
  for (const Recipe recipe : recipes()) {
    footer += fmt::format("\n  {:<16}{}", name_of(recipe), summary_of(recipe));
  }
  command.footer(footer);
}

void add_augment(CLI::App& command, AugmentOptions& options, RawOptions& raw) {
  add_samples(command, options, raw);
  add_results(command, options);
  add_recipe(command, raw, options.pipeline);
  command.add_option("--batch", options.batch, "samples of a batch, 1 to 65536 (default: 32)")
      ->check(number_from(1, 65536))
      ->type_name("N");
  add_threads(command, options.threads);
  CLI::Option* const io_threads =
      command
          .add_option("--io-threads", options.io_threads,
                      "threads that read the files, in addition to those that compute (default: as "
                      "many, and at least 4; 0: those that compute read)")
          ->check(number_from(0, 1024))
          ->type_name("T");
  command
      .add_option("--workers", options.workers,
                  "processes that read the files instead; one that dies or hangs is restarted "
                  "(default: none)")
      ->excludes(io_threads)
      ->check(number_from(1, 1024))
      ->type_name("N");
  command
      .add_option("--on-error", raw.on_error,
                  "what to do with files that cannot be decoded: fail (stop, exit status 1), skip "
                  "(default), or replace (takes another file)")
      ->check(one_of(names_of(kPolicies)))
      ->type_name("WHAT");
  add_index_choice(command, options.index);
  command.add_flag(
      "--verify", options.dataset.verify,
      "compare each file with its digest in --index FILE; one that has changed cannot be used");
  add_device(command, options.device);
  add_decoder(command, options.decoder);
  add_compose(command, options.compose);
  command
      .add_option("--sheet", options.sheet,
                  "JPEG file to write: the first samples before and after (default: none)")
      ->check(jpeg_name())
      ->type_name("FILE");
  add_all_names(command);
  command.add_flag(
      "--profile", options.profile,
      "print how often each step ran and how long it took, and which branches were taken");
  add_trace(command, options.trace);
}

}  // namespace sluice::app
