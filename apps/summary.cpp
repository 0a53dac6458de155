#include "summary.h"

#include "output_paths.h"
#include "usage.h"
#include <sluice/io/jpeg/index.h>
#include <sluice/io/readers/files.h>
#include <sluice/runtime/text.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iterator>
#include <limits>
#include <span>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace sluice::app {
namespace {

std::size_t most = 20;

}  // namespace

void name_all() { most = std::numeric_limits<std::size_t>::max(); }
std::size_t most_named() { return most; }

std::string name_below(const std::string& folder, const std::string& path) {
  return escape_control_chars(std::filesystem::path(path).lexically_relative(folder).string());
}

std::string strip_hint(const std::string& what) {
  const std::size_t hint = what.rfind(" (");
  return what.back() == ')' && what.find("::", hint) != std::string::npos ? what.substr(0, hint)
                                                                          : what;
}

std::vector<LeftOut> left_out_of(const Files& files) {
  std::vector<LeftOut> left_out = files.left_out();
  for (LeftOut& one : left_out)
    if (one.path != files.folder()) one.path = name_below(files.folder(), one.path);
  return left_out;
}

std::vector<LeftOut> unreadable_of(const std::vector<LeftOut>& left_out) {
  std::vector<LeftOut> those;
  std::copy_if(left_out.begin(), left_out.end(), std::back_inserter(those),
               [](const LeftOut& one) { return one.unreadable; });
  return those;
}

std::vector<std::string> words_of_rules(const std::vector<LeftOut>& left_out) {
  std::vector<std::string> lines;
  for (const LeftOut& one : left_out) {
    if (one.unreadable) continue;
    if (one.count == 0) {
      lines.push_back(words_of({one}));
      continue;
    }
    lines.push_back(fmt::format("left out {} {} (first: {})", one.count, one.reason,
                                escape_control_chars(one.path)));
  }
  return lines;
}

void name_left_out(const std::vector<LeftOut>& left_out) {
  const std::vector<LeftOut> unreadable = unreadable_of(left_out);
  if (!unreadable.empty()) {
    fmt::print("left out {} that cannot be read:\n", unreadable.size());
    name_each(unreadable, [](const LeftOut& one) { return one.path + ": " + one.reason; });
  }
  for (const std::string& line : words_of_rules(left_out)) fmt::print("{}\n", line);
}

int threads_of(const Stats& stats) {
  if (stats.threads < stats.threads_asked) {
    fmt::print(stderr,
               "sluice: {} were asked for, but the system lets this process make no more than {}\n",
               counted(stats.threads_asked, "thread"), stats.threads);
  }
  return stats.threads;
}

namespace {
namespace fs = std::filesystem;

// A digest of the job's name in torchrun, Open MPI, MPICH and Slurm. Without a launcher it is
// always the same.
std::string job_of_environment() {
  std::string job;
  for (const char* const name : {"TORCHELASTIC_RUN_ID", "TORCHELASTIC_RESTART_COUNT", "MASTER_ADDR",
                                 "MASTER_PORT", "PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid",
                                 "PMI_JOBID", "SLURM_JOB_ID", "SLURM_STEP_ID"}) {
    const char* const value = std::getenv(name);
    job += fmt::format("{}/", value == nullptr ? "" : value);
  }
  const std::span<const std::uint8_t> bytes(reinterpret_cast<const std::uint8_t*>(job.data()),
                                            job.size());
  return fmt::format("{:016x}", digest_of(bytes).hash);
}

}  // namespace

double now_s() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string where_and_how_fast(const std::string& out, std::int64_t images, double seconds) {
  return fmt::format("to {} in {:.2f} s: {:.0f} images/s", escape_control_chars(out), seconds,
                     seconds > 0 ? static_cast<double>(images) / seconds : 0.0);
}

JobSummary::JobSummary(const std::string& out, const std::string& run, const ProcessShard& share)
    : out_(out),
      begin_of_names_((fs::path(out) / fmt::format(".sluice-job-{}-", run)).string()),
      job_(job_of_environment()),
      shard_(share.shard()) {}

std::string JobSummary::file_of(std::int64_t index) const {
  return fmt::format("{}{}-of-{}", begin_of_names_, index, shard_.count);
}

void JobSummary::begin() const { (void)::unlink(file_of(shard_.index).c_str()); }

std::optional<ShardSummary> JobSummary::read(std::int64_t index) const {
  try {
    const Bytes file = read_file(file_of(index));
    const nlohmann::json json = nlohmann::json::parse(file.data(), file.data() + file.size());
    if (json.at("job") != job_) return std::nullopt;
    const auto count = [&](const char* name) { return json.at(name).get<std::int64_t>(); };
    const auto seconds = [&](const char* name) { return json.at(name).get<double>(); };
    return ShardSummary{.written = count("written"),
                        .replaced = count("replaced"),
                        .skipped = count("skipped"),
                        .begin = seconds("begin"),
                        .end = seconds("end")};
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

std::optional<ShardSummary> JobSummary::collect(const ShardSummary& own) const {
  nlohmann::ordered_json json;
  json["begin"] = own.begin;
  json["end"] = own.end;
  json["job"] = job_;
  json["replaced"] = own.replaced;
  json["skipped"] = own.skipped;
  json["written"] = own.written;
  const std::string text = json.dump() + "\n";
  write_file(file_of(shard_.index),
             Bytes::copy_of({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}));
  ShardSummary all{.begin = own.begin, .end = own.end};
  for (std::int64_t i = 0; i < shard_.count; ++i) {
    const std::optional<ShardSummary> part = read(i);
    if (!part) return std::nullopt;
    all.written += part->written;
    all.replaced += part->replaced;
    all.skipped += part->skipped;
    all.begin = std::min(all.begin, part->begin);
    all.end = std::max(all.end, part->end);
  }
  // Two processes may find all files. The one that removes the first file prints the summary.
  if (::unlink(file_of(0).c_str()) != 0) return std::nullopt;
  for (std::int64_t i = 1; i < shard_.count; ++i) (void)::unlink(file_of(i).c_str());
  return all;
}

void JobSummary::end(const ShardSummary& own) const {
  try {
    const std::optional<ShardSummary> all = collect(own);
    if (!all) return;
    fmt::print("all {} processes: delivered {} {}", shard_.count, counted(all->written, "image"),
               where_and_how_fast(out_, all->written, all->end - all->begin));
    if (all->replaced > 0) fmt::print("; replaced {} that cannot be used", all->replaced);
    if (all->skipped > 0) fmt::print("; skipped {} that cannot be used", all->skipped);
    fmt::print("\n");
  } catch (const IoError& error) {
    fmt::print(stderr, "sluice: there will be no summary of all processes: {}\n", error.what());
  }
}

}  // namespace sluice::app
