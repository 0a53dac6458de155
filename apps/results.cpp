#include "results.h"

#include "output_paths.h"
#include "usage.h"
#include <sluice/io/jpeg/index.h>
#include <sluice/io/readers/open_file.h>
#include <sluice/io/whole_file.h>
#include <sluice/runtime/text.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <unistd.h>

namespace sluice::app {
namespace {
namespace fs = std::filesystem;

// The comment: the writer, the run, and a number of fixed length.
constexpr std::string_view kWriter = "sluice augment ";
constexpr std::size_t kRunDigits = 16;
constexpr int kNumberDigits = 12;
constexpr std::size_t kTextBytes = kWriter.size() + kRunDigits + 1 + kNumberDigits;
constexpr std::size_t kSegmentBytes = 4 + kTextBytes;
constexpr std::int64_t kNoNumber = 999'999'999'999;  // marks a sheet

std::string segment_of(const std::string& run, std::int64_t number) {
  const char length = static_cast<char>(kTextBytes + 2);
  return std::string("\xff\xfe\0", 3) + length + std::string(kWriter) + run +
         fmt::format(" {:0{}}", number, kNumberDigits);
}

// The offset for the comment: after the start of the file and the JFIF segment, which must come
// first.
std::size_t place_of_segment(std::span<const std::uint8_t> jpeg) {
  const bool jfif = jpeg.size() > 6 && jpeg[2] == 0xff && jpeg[3] == 0xe0;
  return jfif ? std::size_t{4} + (std::size_t{jpeg[4]} << 8) + jpeg[5] : 2;
}

// The options of `sluice augment` that determine the results; see ResultsOptions::run.
constexpr const char* kOptionsOfARun =
    "--data, --list or --tar (with the same files, --path, --label, --boxes, --box-format and "
    "--mask), --recipe or --pipeline, --size, --seed, --flat, --on-error replace or not, --device, "
    "--decoder and --compose";

struct Mark {
  std::string run;
  std::int64_t number = 0;
};

std::optional<Mark> mark_of(std::span<const std::uint8_t> jpeg) {
  const std::size_t place = place_of_segment(jpeg);
  if (jpeg.size() < place + kSegmentBytes) return {};
  const std::string_view segment(reinterpret_cast<const char*>(jpeg.data()) + place, kSegmentBytes);
  Mark mark;
  mark.run = segment.substr(4 + kWriter.size(), kRunDigits);
  const std::string_view digits = segment.substr(kSegmentBytes - kNumberDigits);
  const auto read = std::from_chars(digits.begin(), digits.end(), mark.number);
  const bool is_number = read.ptr == digits.end() && mark.number >= 0;
  if (!is_number || segment != segment_of(mark.run, mark.number)) return {};
  return mark;
}

struct Seen {
  bool empty = true;
  bool complete = false;  // it ends with the end marker
  std::optional<Mark> mark;
};

Seen look_at(const fs::path& path) {
  std::array<std::uint8_t, 20 + kSegmentBytes> head{};
  std::array<char, 2> tail{};
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(head.data()), head.size());
  const auto got = static_cast<std::size_t>(file.gcount());
  file.clear();
  file.seekg(-2, std::ios::end);
  file.read(tail.data(), tail.size());
  return {.empty = got == 0,
          .complete = file.gcount() == 2 && tail == std::array<char, 2>{'\xff', '\xd9'},
          .mark = mark_of(std::span(head).first(got))};
}

// A line of a list whose paths are relative to --out.
std::string line_of(const fs::path& image, const Sidecar& sidecar) {
  nlohmann::ordered_json json;
  json["path"] = image.string();
  auto& boxes = json["boxes"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i + 4 <= sidecar.boxes.size(); i += 4)
    boxes.push_back(std::vector<float>(&sidecar.boxes[i], &sidecar.boxes[i] + 4));
  json["labels"] = sidecar.labels;
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

// Returns false unless these are boxes of four numbers and as many labels. The file is not trusted.
bool read_boxes(const nlohmann::json& json, Sidecar& sidecar) {
  const auto is_list = [&](const char* name) {
    return json.is_object() && json.contains(name) && json[name].is_array();
  };
  if (!is_list("boxes") || !is_list("labels")) return false;
  for (const auto& box : json["boxes"]) {
    if (!box.is_array() || box.size() != 4) return false;
    for (const auto& side : box) {
      if (!side.is_number() || std::abs(side.get<double>()) > std::numeric_limits<float>::max())
        return false;
      sidecar.boxes.push_back(side.get<float>());
    }
  }
  for (const auto& label : json["labels"]) {
    if (!label.is_number_integer()) return false;
    sidecar.labels.push_back(label.get<std::int64_t>());
  }
  sidecar.has_boxes = sidecar.boxes.size() == 4 * sidecar.labels.size();
  return sidecar.has_boxes;
}

// The number at the end of a file's name; 0 if there is none.
std::int64_t number_in(const fs::path& file) {
  const std::string stem = file.stem().string();
  std::int64_t number = 0;
  (void)std::from_chars(&stem[stem.rfind('_') + 1], stem.data() + stem.size(), number);
  return std::max<std::int64_t>(number, 0);
}

// True if a result may have this name.
bool is_result_name(const std::string& name) {
  const fs::path file(name);
  const std::string stem = file.stem().string();
  const std::size_t digits = stem.size() - 1 - stem.find_last_not_of("0123456789");
  return file.extension() == ".jpg" && digits >= 6 && digits < stem.size() &&
         stem[stem.size() - digits - 1] == '_';
}

}  // namespace

Results::Results(const Dataset& dataset, const ResultsOptions& options)
    : dataset_(dataset), options_(options) {
  const std::string all =
      options.run + '\0' + (options.flat ? "flat" : "folders") + '\0' + dataset.fingerprint();
  const auto hash = digest_of({reinterpret_cast<const std::uint8_t*>(all.data()), all.size()}).hash;
  run_ = fmt::format("{:0{}x}", hash, kRunDigits);
}

Results::~Results() {
  if (!claimed_.empty()) (void)::unlink(claimed_.c_str());
  if (claim_ >= 0) ::close(claim_);
  if (lock_ >= 0) ::close(lock_);
}

std::string Results::path(std::int64_t sample, std::int64_t number) const {
  const fs::path inside = dataset_.place(sample);
  std::string name;
  if (options_.flat) {
    for (const fs::path& part : inside.parent_path()) name += part.string() + "__";
  }
  name += inside.stem().string();
  const fs::path folder = options_.flat ? fs::path(options_.out) : folder_of(inside);
  return (folder / fmt::format("{}_{:06}.jpg", cut_name(std::move(name)), number)).string();
}

fs::path Results::folder_of(const fs::path& inside) const {
  fs::path folder = options_.out;
  for (const fs::path& part : inside.parent_path())
    folder /= is_result_name(part) ? part.string() + "_" : part.string();
  return folder;
}

std::int64_t Results::open() {
  make_folder(options_.out);
  // If the file system has no locks, other runs cannot check them either.
  lock_ = ::open(options_.out.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock_ >= 0 && ::flock(lock_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK &&
      !options_.overwrite && !options_.resume) {
    throw UsageError(fmt::format(
        "another run is writing to --out {}: wait for it, or give another folder", options_.out));
  }
  std::set<std::string> folders = {(fs::path(options_.out) / "").parent_path().string()};
  for (std::int64_t i = 0; i < dataset_.size(); ++i)
    folders.insert(fs::path(path(i, 0)).parent_path().string());
  for (const std::string& folder : folders) (void)remove_parts(folder);
  std::error_code unreadable;  // the first write will report it
  if (!options_.overwrite && !options_.resume && !fs::is_empty(options_.out, unreadable) &&
      !unreadable) {
    throw UsageError(fmt::format(
        "--out {} holds files already, which would be mixed with the results: give an empty or a "
        "new folder, --resume to go on with a run that has ended early, or --overwrite",
        options_.out));
  }
  claim();
  if (options_.resume) {
    if (options_.flat) {  // a run without --flat may have left results here
      for (std::int64_t i = 0; i < dataset_.size(); ++i)
        folders.insert(folder_of(dataset_.place(i)).string());
    }
    for (const std::string& folder : folders) find(folder);
  }
  std::sort(there_.begin(), there_.end());
  if (!options_.flat) {
    for (const std::string& name : dataset_.classes())
      make_folder(folder_of(fs::path(name) / "").string());
  }
  return std::ssize(there_);
}

// Each run has a file in the folder that names the run and is locked while it runs. The next run
// removes the file of a killed run. A run creates its own file before it looks for others. So of
// two runs that begin at once, at least one sees the other.
void Results::claim() {
  const std::string prefix = ".sluice-part-run-";
  claimed_ = (fs::path(options_.out) / fmt::format("{}{}-{}", prefix, run_, ::getpid())).string();
  claim_ = ::open(claimed_.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (claim_ >= 0 && ::flock(claim_, LOCK_EX | LOCK_NB) != 0) {  // no locks here
    if (errno != EWOULDBLOCK) (void)::unlink(claimed_.c_str());
    claimed_.clear();  // or a process with this number on another machine has it
  }
  FolderEntries entries(options_.out);
  while (const char* const name = entries.next()) {
    if (!std::string_view(name).starts_with(prefix) ||
        std::string_view(name).starts_with(prefix + run_)) {
      continue;
    }
    throw UsageError(fmt::format(
        "a run of other options is writing to --out {}: wait for it, or give another folder",
        options_.out));
  }
}

void Results::find(const std::string& folder) {
  FolderEntries entries(folder);
  while (const char* const name = entries.next()) {
    const fs::path found = fs::path(folder) / name;
    std::error_code ignored;
    if (found.extension() != ".jpg" || !fs::is_regular_file(found, ignored)) continue;
    const Seen seen = look_at(found);
    if (seen.empty) {  // may remain after a system crash
      const std::int64_t named = number_in(found);
      if (found == path(named % dataset_.size(), named))
        damaged_.push_back({named, found.string()});
      continue;
    }
    const bool ours = seen.mark && seen.mark->run == run_;
    const std::int64_t number = ours ? seen.mark->number : 0;
    if (ours && number == kNoNumber) continue;
    const bool own = ours && found == path(number % dataset_.size(), number);
    if (own && seen.complete) there_.push_back(number);
    const bool belongs = own || (ours && options_.stand_ins);
    if (belongs && !seen.complete) damaged_.push_back({number, found.string()});
    if (!belongs && !options_.overwrite) {
      throw UsageError(
          fmt::format("--resume: {} is not a result of this run; pass the same {} as before. If "
                      "the file is damaged, delete it and omit --checkpoint. To replace it, pass "
                      "--overwrite",
                      found.string(), kOptionsOfARun));
    }
  }
}

void Results::write(std::int64_t from, std::int64_t number, const Bytes& jpeg,
                    const Sidecar& sidecar) {
  const std::string to = path(from, number);
  const std::string folder = fs::path(to).parent_path().string();
  if (!folders_.contains(folder)) {
    make_folder(folder);
    folders_.insert(folder);
  }
  write_sidecar(to, sidecar);
  write_file(to, marked(jpeg, number));
}

void Results::write_sidecar(const std::string& path, const Sidecar& sidecar) const {
  fs::path other = path;
  if (sidecar.has_boxes) {
    const std::string line = line_of(fs::path(path).lexically_relative(options_.out), sidecar);
    write_file(other.replace_extension(".json").string(),
               Bytes::copy_of({reinterpret_cast<const std::uint8_t*>(line.data()), line.size()}));
  }
  if (!sidecar.mask.empty()) write_file(other.replace_extension(".png").string(), sidecar.mask);
}

void Results::copy(std::int64_t from, std::int64_t there, std::int64_t number) {
  const Bytes file = read_file(path(from, there));
  const std::optional<Mark> mark = mark_of(file);
  if (!mark || mark->run != run_ || mark->number != there) {
    throw IoError(
        fmt::format("'{}' has changed since the run began: it is not a result of this run",
                    escape_control_chars(path(from, there))));
  }
  const std::size_t place = place_of_segment(file);
  Bytes plain(file.size() - kSegmentBytes);
  std::uint8_t* const rest = std::copy_n(file.data(), place, plain.data());
  std::copy(file.data() + place + kSegmentBytes, file.data() + file.size(), rest);
  write(from, number, plain, read_sidecar(path(from, there)));
}

void Results::write_sheet(const std::string& path, const Bytes& jpeg) const {
  write_file(path, marked(jpeg, kNoNumber));
}

void Results::sync() const {
  if (lock_ >= 0 && ::syncfs(lock_) != 0) {
    throw IoError(fmt::format("what was written to '{}' cannot be put on the disk: {}",
                              escape_control_chars(options_.out),
                              std::generic_category().message(errno)));
  }
}

Bytes Results::marked(const Bytes& jpeg, std::int64_t number) const {
  const std::string segment = segment_of(run_, number);
  const std::size_t place = place_of_segment(jpeg);
  Bytes marked(jpeg.size() + segment.size());
  std::uint8_t* at = std::copy_n(jpeg.data(), place, marked.data());
  at = std::copy(segment.begin(), segment.end(), at);
  std::copy(jpeg.data() + place, jpeg.data() + jpeg.size(), at);
  return marked;
}

Sidecar read_sidecar(const std::string& path) {
  Sidecar sidecar;
  std::error_code ignored;
  fs::path other = path;
  if (fs::is_regular_file(other.replace_extension(".json"), ignored)) {
    const Bytes text = read_file(other.string());
    if (!read_boxes(nlohmann::json::parse(text.begin(), text.end(), nullptr, false), sidecar))
      throw IoError(fmt::format("'{}' holds no boxes with a label each",
                                escape_control_chars(other.string())));
  }
  if (fs::is_regular_file(other.replace_extension(".png"), ignored))
    sidecar.mask = read_file(other.string());
  return sidecar;
}

bool may_be_result(const std::string& out, const std::string& path) {
  const fs::path folder = whole_path(out);
  const fs::path file = whole_path(path);
  if (std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first != folder.end())
    return false;
  return is_result_name(file.filename());
}

RunCheckpoint::RunCheckpoint(RunCheckpointOptions options, const ProcessShard& share)
    : options_(std::move(options)) {
  if (!given()) return;
  if (!share.is_whole())
    options_.file += fmt::format(".{}-of-{}", share.shard().index, share.shard().count);
  std::error_code ignored;
  const std::string folder = fs::path(options_.file).parent_path().string();
  if (fs::is_directory(folder.empty() ? "." : folder, ignored))
    (void)remove_parts(folder.empty() ? "." : folder);  // removes leftovers of a killed run
  const fs::file_status status = fs::status(options_.file, ignored);
  if (!fs::exists(status)) return;
  if (!fs::is_regular_file(status))
    throw UsageError(
        fmt::format("--checkpoint {} is not a file: give another name", options_.file));
  Checkpoint there;
  try {
    there = Checkpoint::load(options_.file);
  } catch (const Error& error) {
    throw UsageError(fmt::format(
        "--checkpoint {} is there already, and nothing to go on from: {}; {}", options_.file,
        error.what(),
        options_.resume ? "delete it if it is a damaged checkpoint: --resume then goes by what is "
                          "in --out; or give another name"
                        : "give another name"));
  }
  if (options_.resume && there.shards != share.shard().count) {
    throw UsageError(
        fmt::format("--checkpoint {}: wrong number of processes (got {}, expected {}); run as many "
                    "as before, or omit --checkpoint to continue from the results in --out",
                    options_.file, share.shard().count, there.shards));
  }
  if (options_.resume) {
    from_ = std::move(there);
  } else if (!options_.overwrite) {
    throw UsageError(fmt::format(
        "--checkpoint {} is there already: --resume continues from it, --overwrite starts over",
        options_.file));
  } else {
    // Otherwise, if this run is killed at once, the next one would resume from the old file.
    fs::remove(options_.file, ignored);
  }
}

void RunCheckpoint::reached(Checkpoint checkpoint, const Results& results) {
  reached_ = std::move(checkpoint);
  if (Clock::now() >= next_) save(results);
}

// Saves take at most 1/20 of the time, so a slow disk gets fewer of them.
void RunCheckpoint::save(const Results& results) {
  if (!reached_ || !given()) return;
  const Clock::time_point begin = Clock::now();
  results.sync();
  reached_->save(options_.file);
  reached_.reset();
  const Clock::time_point end = Clock::now();
  constexpr int kShare = 20;  // the inverse of the largest share of the time
  const auto every =
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options_.every_s));
  next_ = end + (options_.every_s > 0 ? std::max(every, kShare * (end - begin)) : every);
}

}  // namespace sluice::app
