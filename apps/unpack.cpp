#include "unpack.h"

#include "input_paths.h"
#include "long_run.h"
#include "output_paths.h"
#include "summary.h"
#include "usage.h"
#include <sluice/graph/pipeline.h>
#include <sluice/io/packs/pack_in.h>
#include <sluice/io/packs/pack_jpeg.h>
#include <sluice/runtime/text.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <tuple>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

namespace sluice::app {
namespace {
namespace fs = std::filesystem;

struct WholeSamples {
  Pack<> packs;
  static constexpr bool blocks = true;
  std::int64_t size() const { return packs.size(); }
  std::string name(std::int64_t i) const { return packs.name(i); }
  std::tuple<Bytes, std::int64_t> operator()(const SampleInfo& info) const {
    return {packs.read_whole(info.index), info.index};
  }
};

class Unpacking {
 public:
  explicit Unpacking(const UnpackOptions& options)
      : options_(options),
        packs_(opened("packs", [&] { return Pack<>(options.packs, {.columns = {}}); })) {
    const std::vector<std::string>& columns = packs_.all_columns();
    named_ = !options.numbered && std::find(columns.begin(), columns.end(), kName) != columns.end();
    std::error_code ignored;
    if (fs::exists(options.out, ignored) && !fs::is_directory(options.out, ignored)) {
      throw UsageError(
          fmt::format("--out {} is not a folder: give a new folder, or an empty one", options.out));
    }
    if (!options.overwrite && fs::is_directory(options.out, ignored) &&
        !fs::is_empty(options.out, ignored)) {
      throw UsageError(
          fmt::format("--out {} holds files already, which would be mixed with the unpacked ones: "
                      "give an empty or a new folder, or --overwrite",
                      options.out));
    }
    check_names();
    make_folder(options.out);
  }

  int run() {
    fmt::print("{} in {}\n", counted(packs_.size(), "sample"),
               options_.packs.size() == 1 ? escape_control_chars(options_.packs.front())
                                          : fmt::format("{} places", options_.packs.size()));
    (void)std::fflush(stdout);
    constexpr int kBatch = 16;
    const auto start = std::chrono::steady_clock::now();
    Progress progress("file", packs_.size());
    auto pipeline = make_pipeline(
        {.batch_size = kBatch, .threads = options_.threads, .on_error = OnError::skip},
        [&](Graph& g) {
          const auto [sample, number] = g.read(WholeSamples{packs_});
          return g.map(
              "unpack", [this](const Bytes& file, std::int64_t i) { return unpack(file, i); },
              sample, number);
        });
    const int threads = threads_of(pipeline.stats());
    int signal = 0;
    {
      const Interruption interruption([&pipeline] { pipeline.cancel(); });
      auto epoch = pipeline.epoch();
      while (!interruption.asked()) {
        const auto batch = epoch.next();
        if (!batch) break;
        take(*batch);
        progress.add(static_cast<std::int64_t>(batch->size() + batch->errors().size()));
      }
      signal = interruption.signal();
    }
    progress.finish();
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    fmt::print("unpacked {}, {:.1f} MB, to {} in {:.2f} s: {:.0f} files/s with {}\n",
               counted(files_, "file"), static_cast<double>(bytes_) / 1e6,
               escape_control_chars(options_.out), seconds,
               seconds > 0 ? static_cast<double>(files_) / seconds : 0.0,
               counted(threads, "thread"));
    if (signal != 0) {
      fmt::print("stopped early by {} after {} of {}; --overwrite begins again\n",
                 signal == SIGINT ? "Ctrl-C" : "SIGTERM", files_, counted(packs_.size(), "sample"));
      return 128 + signal;
    }
    if (lost_.empty()) return 0;
    fmt::print("left out {} that cannot be unpacked:\n", lost_.size());
    name_each(lost_, [](const std::string& one) { return escape_control_chars(one); });
    (void)std::fflush(stdout);
    throw Error(
        fmt::format("{} of {} cannot be unpacked", counted(lost_.size(), "sample"), packs_.size()));
  }

 private:
  static constexpr const char* kName = "name";

  // Returns the path of file i below the folder, without dots and double slashes.
  std::string place(std::int64_t i) const {
    if (named_) return fs::path(packs_.cell(i, kName)).lexically_normal().string();
    return fmt::format("{:08}{}", i, packs_.is_packed(i) ? ".jpg" : "");
  }

  void check_names() const {
    if (!named_) return;
    constexpr const char* kCure = "; --numbered names the files by their numbers";
    std::unordered_set<std::string> places;
    for (std::int64_t i = 0; i < packs_.size(); ++i) {
      const std::string place = this->place(i);
      const auto refuse = [&](const char* why) {
        throw UsageError(fmt::format("sample {}: the name '{}' {}{}", i,
                                     escape_control_chars(packs_.cell(i, kName)), why, kCure));
      };
      if (place.empty() || place == "." || place.ends_with('/')) refuse("is not that of a file");
      if (place.find('\0') != std::string::npos) refuse("holds a zero byte");
      if (place.front() == '/' || *fs::path(place).begin() == "..")
        refuse("leads out of the folder");
      if (!places.insert(place).second) refuse("is also that of an earlier sample");
    }
  }

  std::int64_t unpack(const Bytes& sample, std::int64_t i) const {
    const fs::path path = fs::path(options_.out) / place(i);
    make_folder(path.parent_path().string());
    if (!packs_.is_packed(i)) {
      write_file(path.string(), sample);
      return static_cast<std::int64_t>(sample.size());
    }
    const std::vector<std::uint8_t> file = unpack_jpeg(sample);
    write_file(path.string(), Bytes::view_of(file));
    return static_cast<std::int64_t>(file.size());
  }

  template <class B>
  void take(const B& batch) {
    for (const std::int64_t bytes : batch.template get<0>()) {
      ++files_;
      bytes_ += bytes;
    }
    for (const SampleError& error : batch.errors())
      lost_.push_back(fmt::format("{}: {}", packs_.name(error.key.index), strip_hint(error.what)));
  }

  const UnpackOptions& options_;
  const Pack<> packs_;
  bool named_ = false;
  std::int64_t files_ = 0;
  std::int64_t bytes_ = 0;
  std::vector<std::string> lost_;
};

}  // namespace

int run_unpack(const UnpackOptions& options) { return Unpacking(options).run(); }

}  // namespace sluice::app
