#include "cli.h"

#include "augment.h"
#include "benchmarks/bench/bench.h"
#include "cat.h"
#include "devices.h"
#include "graph.h"
#include "images.h"
#include "index.h"
#include "operators.h"
#include "options.h"
#include "pack.h"
#include "pack_options.h"
#include "unpack.h"
#include "usage.h"
#include <sluice/runtime/text.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <limits>
#include <map>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

namespace sluice::app {
namespace {

constexpr const char* kVersion = "sluice " SLUICE_PROGRAM_VERSION;

void add_bench(CLI::App& command, BenchOptions& options, std::string& size) {
  std::vector<std::string> workloads = bench_workloads();
  workloads.insert(workloads.end(), {kLatency, kSource, kUrls, kSavedPlan, "imagenet"});
  CLI::Option* const workload =
      command
          .add_option("workload", options.workload,
                      fmt::format("{}; {} may be left out where --pipeline is given",
                                  any_of(workloads), kSavedPlan))
          ->check(one_of(workloads))
          ->type_name("NAME");
  CLI::Option* const recipe =
      command
          .add_option("--recipe", options.recipe,
                      "the workload of that name, as augment and graph take it")
          ->excludes(workload)
          ->check(one_of(recipe_names()))
          ->type_name("NAME");
  add_size(command, size);
  command
      .add_option("--pipeline", options.pipeline,
                  "file of a saved plan to measure, as Pipeline::save() and sluice graph --json "
                  "write it")
      ->excludes(recipe)
      ->type_name("FILE");
  command
      .add_option("--data", options.data,
                  "folder with JPEG files; overhead, wait and source need none, and urls needs "
                  "--pack")
      ->type_name("DIR");
  add_pack(command, options.pack);
  add_threads(command, options.threads,
              "threads that compute, 1 to 1024 (default: all CPUs of the process; 1 for overhead, "
              "2 for wait)");
  command
      .add_option("--seconds", options.seconds,
                  "seconds that each pipeline runs in a round, roughly (default: 2)")
      ->check(number_from(0.01, 3600.0))
      ->type_name("S");
  command
      .add_option("--rounds", options.rounds,
                  "rounds, in each of which the pipeline and its baseline run once (default: 5)")
      ->check(number_from(1, 1000))
      ->type_name("R");
  command.add_option("--batch", options.batch, "samples of a batch, 1 to 65536 (default: 64)")
      ->check(number_from(1, 65536))
      ->type_name("N");
  command
      .add_option("--workers", options.workers,
                  "worker processes, for bench source only (default: 4)")
      ->check(number_from(1, 1024))
      ->type_name("N");
  add_index_choice(command, options.index, "off; memory for latency");
  add_device(command, options.device);
  add_decoder(command, options.decoder);
  add_compose(command, options.compose);
  command
      .add_option("--nvjpeg", options.nvjpeg,
                  "NVIDIA's decoder as another baseline of decode and region on a GPU: auto "
                  "(default), off, or the library's file")
      ->type_name("auto|off|FILE");
  command
      .add_option("--json", options.json,
                  "file for the figures as JSON; - is standard output (default: none)")
      ->type_name("FILE");
  add_trace(command, options.trace);
  command.footer(
      "Workloads:\n"
      "  decode          decode everything\n"
      "  region          decode the regions of random resized crops, nothing else\n"
      "  train           random resized crop to 224, mirror, normalize to float; imagenet is the "
      "same\n"
      "  eval            shorter side to 256, middle 224, normalize to float\n"
      "  rotate          rotate one image in four, resize to 400 x 400\n"
      "  randaugment     as train, with two of RandAugment's operators after the mirror\n"
      "  trivialaugment  as train, with one of TrivialAugmentWide's\n"
      "  autoaugment     as train, with one of AutoAugment's pairs for ImageNet\n"
      "  augmix          as train, mixed with 3 chains of AugMix's operators\n"
      "  simclr          two views of one decode, normalized to float; counted as one image\n"
      "  dino            ten views of one decode, normalized to float; counted as one image\n"
      "  detection       SSD's random crop with three boxes, normalized to float\n"
      "  segmentation    a 512 x 512 crop of an image and its mask; the image is normalized\n"
      "  pipeline        the saved plan of --pipeline FILE\n"
      "  conditional     rotate, compared with the same kernels in a hand-written loop\n"
      "  latency         decode, resize and normalize a sample alone, and up to 256 at once\n"
      "  overhead        empty bodies, compared with a hand-wired oneTBB graph; what choices and "
      "loops add\n"
      "  wait            samples that each wait 5 ms, compared with the ideal rate for 1,024 in "
      "flight\n"
      "  urls            train on packs at URLs with 20 ms of delay, compared with the same packs "
      "on "
      "the disk\n"
      "  source          samples that wait, that are decoded and that are large, in threads and "
      "workers\n"
      "The first fourteen are compared with libjpeg-turbo's full decode of the same files with "
      "the same threads. With --pack, the files are unpacked for it before the measurement.");
}

void add_graph(CLI::App& command, GraphOptions& options, RawOptions& raw) {
  add_recipe(command, raw, options.pipeline);
  CLI::Option* const text =
      command.add_flag("--text", options.text, "print the plan as text, not as a drawing");
  CLI::Option* const passes = command.add_flag("--passes", options.passes,
                                               "print the plan as recorded, and after each pass");
  command
      .add_option("--data", options.data,
                  "run the JPEG files of this folder first, and note how often each step ran "
                  "and how long it took, and how often each branch was taken")
      ->type_name("DIR");
  add_pack(command, options.pack);
  command
      .add_flag("--json", options.json,
                "print the plan as JSON, which augment and bench --pipeline FILE take")
      ->excludes(passes)
      ->excludes(text);
  command
      .add_option("--count", options.count, "number of samples to run (default: each file once)")
      ->check(number_from(std::int64_t{1}, std::int64_t{INT32_MAX}))
      ->type_name("N");
  add_threads(command, options.threads);
  add_device(command, options.device);
  add_compose(command, options.compose);
  command.get_option("--compose")->excludes("--json");  // JSON has the plan as recorded
  add_trace(command, options.trace);
}

void add_index(CLI::App& command, IndexOptions& options, std::vector<std::string>& tar) {
  CLI::Option* const data = add_data(command, options.data)->required(false);
  CLI::Option* const archives =
      add_tar(command, tar,
              "tar archives instead: notes where the files in them lie, for tar_in and sluice cat "
              "--offsets FILE")
          ->excludes(data);
  CLI::Option* const check =
      command
          .add_option(
              "--check", options.check,
              "compares the files with their digests in the index FILE, and names those that "
              "have changed; makes no index")
          ->type_name("FILE");
  command
      .add_option("--out", options.out, "file for the index; an index that is there is replaced")
      ->excludes(check)
      ->type_name("FILE");
  command
      .add_option(
          "--grain", options.grain,
          "an entry for every N blocks (MCUs) along a row, 1 to 65535 (default: 16): fewer make a "
          "larger index and faster regions; rows: one entry for each row, the smallest index")
      ->transform(number_or("rows", number_from(1, 65535)))
      ->excludes(check)
      ->excludes(archives)
      ->type_name("N|rows");
  add_threads(command, options.threads)->excludes(archives);
  add_all_names(command);
  command.footer(
      "With --index FILE, augment and bench then decode only the regions that they need. Files are "
      "known by their content: one that has changed decodes as without an index. With "
      "augment --verify, it cannot be used.");
}

void add_cat(CLI::App& command, CatOptions& options) {
  add_data(command, options.data)->required(false);
  CLI::Option* const list = add_list(command, options.list);
  CLI::Option* const tar =
      add_tar(command, options.tar,
              "tar archives, or a pattern of their names in quotes: files of one stem are one "
              "sample");
  add_pack(command, options.pack);
  add_path(command, options.path)->needs(list);
  command
      .add_option("--columns", options.columns,
                  "columns of --list or --pack to print, with commas between (default: label of "
                  "--list, all of --pack)")
      ->delimiter(',')
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("NAMES");
  add_offsets(command, options.offsets)->needs(tar);
  CLI::Option* const shuffle = command.add_flag(
      "--shuffle", options.shuffle, "in the random order that augment --shuffle begins with");
  add_seed(command, options.seed, "seed of the random order (default: 5)")->needs(shuffle);
  command
      .add_option("--shard", options.shard,
                  "only the part I, 0 to N - 1, of N processes that share the work (default: all)")
      ->type_name("I/N");
  command.add_option("--head", options.head, "number of samples to print at most (default: all)")
      ->check(number_from(std::int64_t{0}, std::numeric_limits<std::int64_t>::max()))
      ->type_name("N");
  command.footer(
      "A line is a sample: its number, its name, how many bytes it has, and its label, or the "
      "columns of the list, or the files in the archive with their sizes; tabs are between. A "
      "sample of a pack has packed or stored, and its columns.");
}

void add_operators(CLI::App& command, OperatorsOptions& options) {
  CLI::Option* const name =
      command.add_option("name", options.name, "operator to describe (default: list all)")
          ->type_name("NAME");
  CLI::Option* const json = command.add_flag("--json", options.json, "print JSON");
  command
      .add_flag("--markdown", options.markdown,
                "print all operators as Markdown: docs/operators.md")
      ->excludes(name)
      ->excludes(json);
  command
      .add_option("--sheet", options.sheet,
                  "JPEG file to write: what each operator does to an image, with its line of C++")
      ->check(jpeg_name())
      ->excludes(name)
      ->excludes(json)
      ->excludes("--markdown")
      ->type_name("FILE");
  command
      .add_option(
          "--images", options.images,
          "folder to write: an image, and what each operator makes of it, one JPEG file each")
      ->excludes(name)
      ->excludes(json)
      ->excludes("--markdown")
      ->excludes("--sheet")
      ->type_name("DIR");
}

// The old name of demo-images, which still works. The help does not list it.
constexpr const char* kOldImagesName = "pictures";

// The commands that the help lists.
std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* const command : app.get_subcommands([](const CLI::App*) { return true; }))
    if (!command->get_group().empty()) names.push_back(command->get_name());
  return names;
}

// Describes what is wrong with the first argument; CLI11 only says that a command is required.
// Empty if nothing is wrong.
std::string wrong_command(const CLI::App& app, int argc, const char* const* argv) {
  const std::vector<std::string> commands = command_names(app);
  if (argc < 2)
    return fmt::format("choose a command: {} (sluice --help tells more)", any_of(commands));
  const std::string first = argv[1];
  if (first.rfind('-', 0) == 0 || first == kOldImagesName ||
      std::find(commands.begin(), commands.end(), first) != commands.end())
    return {};
  const std::string similar = suggestion(first, commands);
  return fmt::format(
      "'{}' is not a command{}", first,
      similar.empty() ? ": choose " + any_of(commands) : similar + " (sluice --help tells more)");
}

// Returns the arguments, from the last to the first, as CLI11 takes them. Splits "--option=" in
// two, because CLI11 would take the next argument as its value.
std::vector<std::string> reversed_arguments(int argc, const char* const* argv) {
  std::vector<std::string> words;
  bool may_be_option = true;
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    may_be_option = may_be_option && word != "--";
    const bool is_empty = may_be_option && word.starts_with("--") && word.size() > 3 &&
                          word.find('=') == word.size() - 1;
    if (is_empty) word.pop_back();
    words.push_back(std::move(word));
    if (is_empty) words.emplace_back();
  }
  std::reverse(words.begin(), words.end());
  return words;
}

bool is_flag(const CLI::Option& option) { return option.get_items_expected_max() == 0; }

// Describes what is wrong with the command line, and what to do about it. If an option is
// misspelled, CLI11 complains that another one is missing. It also does not explain options.
std::string parse_error_text(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  const CLI::App& command = chosen.empty() ? app : *chosen.front();
  std::string text = error.what();
  text = text.substr(0, text.find('\n'));
  const std::vector<std::string> unknown = app.remaining(true);
  if (!unknown.empty()) {
    text = fmt::format("'{}' is not known here", unknown.front());
    if (unknown.front().size() > 1 && unknown.front().front() == '-') {
      std::vector<std::string> names;
      for (const CLI::Option* option : command.get_options())
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
      text += suggestion(unknown.front().substr(0, unknown.front().find('=')), names);
    }
    // New users often give folders and files without their options.
    std::error_code ignored;
    const auto kind = std::filesystem::status(unknown.front(), ignored);
    const bool exists = std::filesystem::exists(kind);
    const std::string name = !exists                               ? "--out"
                             : std::filesystem::is_directory(kind) ? "--data"
                             : unknown.front().ends_with(".tar")   ? "--tar"
                             : unknown.front().ends_with(".pack")  ? "--pack"
                                                                   : "--list";
    const CLI::Option* const option = command.get_option_no_throw(name);
    if (option != nullptr && exists)
      text += fmt::format("; to read it write {} {}", name, unknown.front());
    else if (option != nullptr && option->count() == 0 && !unknown.front().empty() &&
             !unknown.front().starts_with('-'))
      text += fmt::format("; to write there write {} {}", name, unknown.front());
  } else if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::RequiredError)) {
    for (const CLI::Option* option : command.get_options()) {
      if (!option->get_required() || option->count() > 0) continue;
      text = fmt::format("{} {} is missing: {}", option->get_name(), option->get_type_name(),
                         option->get_description());
      break;
    }
  } else if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ArgumentMismatch)) {
    const std::string name = text.substr(0, text.find(':'));
    const CLI::Option* const option = command.get_option_no_throw(name);
    const bool is_repeated = option != nullptr && option->count() > 1 &&
                             option->get_multi_option_policy() == CLI::MultiOptionPolicy::Throw;
    text = name + (is_repeated ? " is given twice; give it once" : " needs one value after it");
  } else if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ConversionError)) {
    for (const CLI::Option* option : command.get_options()) {
      if (is_flag(*option) && text.find(option->get_name()) != std::string::npos)
        text = fmt::format("{0} takes no value; write only {0}", option->get_name());
    }
  }
  return fmt::format("{} (sluice {}{}--help tells more)", text,
                     chosen.empty() ? "" : command.get_name(), chosen.empty() ? "" : " ");
}

// Prints what `sluice COMMAND --help` prints; an empty name is the program itself. Returns the exit
// status.
int print_help(const CLI::App& app, const std::string& name) {
  const CLI::App& command = name.empty() ? app : *app.get_subcommand(name);
  const std::string title = app.get_name() + (name.empty() ? "" : " " + name);
  fmt::print("{}", command.get_formatter()->make_help(&command, title, CLI::AppFormatMode::Normal));
  return 0;
}

// Throws nothing, even if standard error cannot be written.
void complain(std::string_view what) {
  std::fputs(("sluice: " + escape_control_chars(what) + "\n").c_str(), stderr);
}

// Returns the exit status of a program whose standard output cannot be written. `reason` is from
// errno, or 0. Like other programs, it says nothing if the reader has closed the pipe.
int lost_output(int reason) {
  pollfd out{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
  const bool closed = reason == EPIPE || (::poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0);
  if (closed) return 128 + SIGPIPE;
  // The reason of an earlier failure is lost; another write fails for the same one.
  if (reason == 0 && ::write(STDOUT_FILENO, "\n", 1) < 0) reason = errno;
  complain(fmt::format("standard output cannot be written{}{}", reason != 0 ? ": " : "",
                       reason != 0 ? std::generic_category().message(reason) : ""));
  return 1;
}

// Writes the rest of standard output: a full disk may only show now. Returns the exit status.
int flush_output(int status) {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
  const int lost = lost_output(errno);
  return status != 0 ? status : lost;
}

}  // namespace

int run(int argc, const char* const* argv) {
  CLI::App app("Turns image files into augmented batches for training and inference.", "sluice");
  app.set_version_flag("--version", std::string(kVersion));
  app.require_subcommand(1);
  app.fallthrough(false);
  // If an option is repeated, the last one counts, so that scripts can have defaults. The inputs
  // are an exception, below.
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  RawOptions raw;
  AugmentOptions augment;
  BenchOptions bench;
  GraphOptions graph;
  IndexOptions index;
  CatOptions cat;
  PackCommandOptions pack;
  std::string pack_on_error = "fail";
  UnpackOptions unpack;
  std::vector<std::string> index_tar;
  OperatorsOptions operators;
  CLI::App* const augment_command = app.add_subcommand(
      "augment",
      "augment the JPEG files of a folder, a list, archives or packs, with a contact sheet");
  CLI::App* const bench_command =
      app.add_subcommand("bench", "benchmark pipelines against a baseline");
  CLI::App* const cat_command =
      app.add_subcommand("cat", "print the samples of a dataset, one per line");
  CLI::App* const images_command =
      app.add_subcommand("demo-images", "write a set of drawn images to try things on");
  CLI::App* const old_images_command =
      app.add_subcommand(kOldImagesName, images_command->get_description())->group("");
  CLI::App* const devices_command =
      app.add_subcommand("devices", "list the GPUs, and why one is not used");
  CLI::App* const graph_command =
      app.add_subcommand("graph", "draw a pipeline for Graphviz (pipe it to: dot -Tsvg)");
  CLI::App* const help_command =
      app.add_subcommand("help", "describe a command, as its --help does");
  CLI::App* const index_command =
      app.add_subcommand("index",
                         "index the rows in the JPEG files of a folder, so that regions of them "
                         "decode alone; or the files in tar archives");
  CLI::App* const operators_command =
      app.add_subcommand("operators", "list the operators, or describe one");
  CLI::App* const pack_command = app.add_subcommand(
      "pack", "pack the files of a folder, a list or archives, so that they decode faster");
  CLI::App* const unpack_command =
      app.add_subcommand("unpack", "write the files that are in packs, byte for byte");
  add_augment(*augment_command, augment, raw);
  add_bench(*bench_command, bench, raw.size);
  add_graph(*graph_command, graph, raw);
  add_cat(*cat_command, cat);
  add_index(*index_command, index, index_tar);
  add_operators(*operators_command, operators);
  add_pack_command(*pack_command, pack, pack_on_error);
  add_unpack_command(*unpack_command, unpack);
  std::string described;
  help_command->add_option("command", described, "command to describe (default: the program)")
      ->check([known = one_of(command_names(app))](std::string given) {
        const std::string wrong = known(given);
        return wrong.empty() || !is_operator(given)
                   ? wrong
                   : fmt::format("'{0}' is an operator; write: sluice operators {0}", given);
      })
      ->type_name("COMMAND");
  for (CLI::App* const command : {images_command, old_images_command}) {
    command
        ->add_option("--out", raw.images,
                     "folder for the images, with no other files; made if it is missing")
        ->required()
        ->type_name("DIR");
  }
  app.footer(
      "sluice COMMAND --help, or sluice help COMMAND, says more. Exit status: 0, 1 when a run "
      "failed, 2 for wrong arguments, 130 or 143 when Ctrl-C or SIGTERM has ended it early, 141 "
      "when the reader of its output has gone.");

  for (CLI::App* const command : app.get_subcommands({})) {
    for (CLI::Option* const option : command->get_options()) {
      if (!is_flag(*option)) option->check(not_empty());
      // Otherwise all but the last folder or list would be dropped silently.
      if (option->get_name() == "--data" || option->get_name() == "--list")
        option->multi_option_policy(CLI::MultiOptionPolicy::Throw);
    }
  }

  if (const std::string wrong = wrong_command(app, argc, argv); !wrong.empty()) {
    complain(wrong);
    return 2;
  }
  try {
    app.parse(reversed_arguments(argc, argv));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return flush_output(app.exit(error));  // --help, --version
    complain(parse_error_text(app, error));
    return 2;
  }
  const auto run_command = [&] {
    if (*images_command || *old_images_command) return run_images(raw.images);
    if (*devices_command) return run_devices();
    if (*help_command) return print_help(app, described);
    if (*operators_command) return run_operators(operators);
    if (*bench_command) {
      bench.size = size_of(raw);
      return run_bench(bench);
    }
    if (*cat_command) {
      require_one_of(*cat_command, {"--columns"}, {"--list", "--pack"});
      return run_cat(cat);
    }
    if (*pack_command) {
      require_one_of(*pack_command, {"--columns"}, {"--list", "--tar"});
      pack.skip_errors = pack_on_error == "skip";
      return run_pack(pack);
    }
    if (*unpack_command) return run_unpack(unpack);
    if (*index_command) {
      if (index.out.empty() && index.check.empty())
        throw UsageError("--out FILE is missing, or --check FILE");
      if (!index_tar.empty() && !index.check.empty())
        throw UsageError("--check is for --data: an archive index has no digests");
      if (!index_tar.empty()) return run_tar_offsets(index_tar, index.out);
      if (index.data.empty()) throw UsageError("--data DIR is missing, or --tar FILE...");
      return run_index(index);
    }
    graph.recipe = augment.recipe = recipe_of(raw);
    graph.size = augment.size = size_of(raw);
    if (*graph_command) {
      require_one_of(*graph_command, {"--count", "--threads", "--trace"}, {"--data", "--pack"});
      return run_graph(graph);
    }
    require_one_of(*augment_command, {"--boxes", "--box-format"}, {"--list", "--pack"});
    augment.on_error = policy_of(raw);
    augment.dataset.box_format = box_format_of(raw);
    return run_augment(augment);
  };
  try {
    return flush_output(run_command());
  } catch (const UsageError& error) {
    complain(error.what());
    return 2;
  } catch (const std::bad_alloc&) {
    std::fputs("sluice: not enough memory; fewer --threads and a smaller --batch need less\n",
               stderr);
    return 1;
  } catch (const std::system_error& error) {  // of fmt::print(), among others
    if (std::ferror(stdout) != 0) return lost_output(error.code().value());
    complain(error.what());
    return 1;
  } catch (const std::exception& error) {
    complain(error.what());
    return 1;
  }
}

}  // namespace sluice::app
