#include <sluice/graph/exec/sample.h>
#include <sluice/graph/plan/annotations.h>
#include <sluice/graph/plan/plan.h>
#include <sluice/graph/stats.h>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace sluice {
namespace {

using detail::counted_with_commas;
using detail::duration;
using detail::percent;
using detail::with_commas;

double mean(std::int64_t total, std::int64_t count) {
  return count > 0 ? static_cast<double>(total) / static_cast<double>(count) : 0;
}

double megabytes(auto bytes) { return static_cast<double>(bytes) / 1e6; }

// Walks the plan and reads the counts of each part.
class StatsReader {
 public:
  StatsReader(Stats& stats, const std::vector<std::int64_t>& counts, bool timed)
      : stats_(stats), counts_(counts), timed_(timed) {}

  // Returns the nanoseconds of all steps in the block.
  std::int64_t read(const detail::Block& block, const std::string& path) {
    std::int64_t ns = 0;
    for (const detail::Node& node : block.nodes) {
      ns += visit(node, [&](const auto& part) { return read(part, path); });
    }
    return ns;
  }

 private:
  std::int64_t read(const detail::Stage& stage, const std::string& path) {
    std::int64_t ns = 0;
    for (const detail::Step& step : stage.steps) {
      for (std::size_t e = 0; e < step.events().size(); ++e) {
        const std::int64_t count = counts_[step.event_counter + e];
        if (count > 0) stats_.events.push_back({step.name, path, step.events()[e], count});
      }
      if (!timed_) continue;
      stats_.steps.push_back({in_full(step), path, counts_[step.counter], counts_[step.counter + 1],
                              step.counter, step.name});
      ns += counts_[step.counter + 1];
    }
    return ns;
  }

  std::int64_t read(const detail::Choice& choice, const std::string& path) {
    const std::size_t at = stats_.choices.size();  // inner choices follow it
    stats_.choices.push_back({choice.name, path, {}, choice.counter});
    std::int64_t all = 0;
    for (std::size_t a = 0; a < choice.branches.size(); ++a) {
      const std::int64_t ns =
          read(choice.branches[a], inside(path, choice.name, choice.branch_names[a]));
      stats_.choices[at].branches.push_back(
          {choice.branch_names[a], counts_[choice.counter + a], ns});
      all += ns;
    }
    return all;
  }

  std::int64_t read(const detail::Loop& loop, const std::string& path) {
    const std::size_t at = stats_.loops.size();
    stats_.loops.push_back(
        {loop.name, path, counts_[loop.counter], counts_[loop.counter + 1], 0, loop.counter});
    const std::int64_t ns = read(loop.condition, inside(path, loop.name, "condition")) +
                            read(loop.body, inside(path, loop.name, "body"));
    stats_.loops[at].total_ns = ns;
    return ns;
  }

  static std::string in_full(const detail::Step& step) {
    return step.remark.empty() ? step.name : step.name + " (" + step.remark + ")";
  }

  static std::string inside(const std::string& path, const std::string& part,
                            const std::string& block) {
    return (path.empty() ? "" : path + "/") + part + ":" + block;
  }

  Stats& stats_;
  const std::vector<std::int64_t>& counts_;
  const bool timed_;
};

// Formats rows of text. The first `kLeft` columns are left-aligned, the others right-aligned.
template <std::size_t N>
std::string table(const std::vector<std::array<std::string, N>>& rows) {
  constexpr std::size_t kLeft = 2;
  std::array<std::size_t, N> widths{};
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < N; ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string text = "\n";
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < N; ++c) {
      line += c < kLeft ? fmt::format("{:<{}}  ", row[c], widths[c])
                        : fmt::format("{:>{}}  ", row[c], widths[c]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string in_words(const std::string& path) { return path.empty() ? "the top" : path; }

// Adds up the parts of each recorded step, in the place of the first one.
std::vector<StepStats> whole_steps(const std::vector<StepStats>& steps) {
  std::vector<StepStats> whole;
  for (const StepStats& part : steps) {
    const auto same = std::find_if(whole.begin(), whole.end(), [&](const StepStats& other) {
      return !part.recorded.empty() && other.recorded == part.recorded && other.path == part.path;
    });
    if (same == whole.end()) {
      whole.push_back(part);
      continue;
    }
    same->name = part.recorded;
    same->runs = std::max(same->runs, part.runs);
    same->total_ns += part.total_ns;
  }
  return whole;
}

std::string steps_table(const Stats& stats) {
  double all = 0;
  for (const StepStats& s : stats.steps) all += static_cast<double>(s.total_ns);
  std::vector<std::array<std::string, 6>> rows = {{"step", "in", "runs", "mean", "total", "share"}};
  for (const StepStats& s : whole_steps(stats.steps)) {
    const auto total = static_cast<double>(s.total_ns);
    rows.push_back({s.name, in_words(s.path), with_commas(s.runs), duration(s.mean_ns()),
                    duration(total), percent(total, all)});
  }
  return table(rows);
}

// Empty if there is no time.
std::string time_of(double mean_ns) { return mean_ns > 0 ? duration(mean_ns) : std::string(); }

std::string branches_table(const Stats& stats) {
  std::vector<std::array<std::string, 5>> rows = {{"branch", "in", "taken", "share", "mean"}};
  for (const ChoiceStats& b : stats.choices) {
    const auto all = static_cast<double>(b.taken());
    for (const BranchStats& a : b.branches) {
      rows.push_back({b.name + ":" + a.name, in_words(b.path), with_commas(a.taken),
                      percent(static_cast<double>(a.taken), all), time_of(a.mean_ns())});
    }
  }
  return table(rows);
}

std::string loops_table(const Stats& stats) {
  std::vector<std::array<std::string, 5>> rows = {{"loop", "in", "entries", "iterations", "mean"}};
  for (const LoopStats& l : stats.loops) {
    rows.push_back({l.name, in_words(l.path), with_commas(l.entries), with_commas(l.iterations),
                    time_of(l.mean_ns())});
  }
  return table(rows);
}

std::string events_table(const Stats& stats) {
  std::vector<std::array<std::string, 3>> rows = {{"event", "in", "samples"}};
  for (const EventStats& e : stats.events)
    rows.push_back({e.step + ": " + e.name, in_words(e.path), with_commas(e.count)});
  return table(rows);
}

}  // namespace

WaitStats& WaitStats::operator+=(const WaitStats& more) {
  consumer_ns += more.consumer_ns;
  batches_ns += more.batches_ns;
  return *this;
}

double DeviceStats::mean_batch() const { return mean(samples, batches); }
double StepStats::mean_ns() const { return mean(total_ns, runs); }
double BranchStats::mean_ns() const { return mean(total_ns, taken); }
double LoopStats::mean_ns() const { return mean(total_ns, entries); }

std::int64_t ChoiceStats::taken() const {
  std::int64_t sum = 0;
  for (const BranchStats& branch : branches) sum += branch.taken;
  return sum;
}

std::string to_string(const WaitStats& waits) {
  return fmt::format("waits: {} for batches, {} for their consumer; the {} is the slower side",
                     duration(static_cast<double>(waits.consumer_ns)),
                     duration(static_cast<double>(waits.batches_ns)),
                     waits.consumer_ns > waits.batches_ns ? "pipeline" : "consumer");
}

std::string to_string(const DeviceStats& device) {
  const auto pool = [](const BufferPoolStats& stats) {
    return fmt::format("{:.1f} MB in use, {:.1f} MB at most, {:.1f} MB kept",
                       megabytes(stats.bytes_in_use), megabytes(stats.bytes_peak),
                       megabytes(stats.bytes_reserved));
  };
  const auto time = [](std::int64_t ns) { return duration(static_cast<double>(ns)); };
  return fmt::format(
      "device: {}; {} ({} ahead, {}) of {:.1f} samples, the largest of {}; {} returned; "
      "{:.1f} MB to the device, {:.1f} MB back\ndevice memory: {}; pinned: {}\ndevice thread: {} "
      "asking, {} pausing, {} asleep",
      device.name, counted_with_commas(device.batches, "GPU batch", "GPU batches"), device.ahead,
      counted_with_commas(device.as_graphs, "as a CUDA graph", "as CUDA graphs"),
      device.mean_batch(), device.largest_batch,
      counted_with_commas(device.given_back, "sample", "samples"), megabytes(device.bytes_up),
      megabytes(device.bytes_down), pool(device.memory), pool(device.pinned),
      time(device.asking_ns), time(device.pausing_ns), time(device.asleep_ns));
}

std::string to_string(const Stats& stats) {
  std::string text =
      fmt::format("samples: {}; {}\nmemory: {:.1f} MB at most, of a bound of {:.1f} MB\n",
                  to_string(stats.total), counted_with_commas(stats.batches, "batch", "batches"),
                  megabytes(stats.memory.bytes_peak), megabytes(stats.memory.bytes_bound));
  if (stats.waits.consumer_ns + stats.waits.batches_ns > 0) text += to_string(stats.waits) + "\n";
  for (const SourceStats& source : stats.sources) {
    if (source.reads.files == 0) continue;
    text += fmt::format("{}: {} of {:.1f} MB, of which {:.1f} MB were read ({})\n", source.step,
                        counted_with_commas(source.reads.files, "file", "files"),
                        megabytes(source.reads.file_bytes), megabytes(source.reads.bytes_read),
                        percent(static_cast<double>(source.reads.bytes_read),
                                static_cast<double>(source.reads.file_bytes)));
    if (source.reads.verified > 0) {
      text += fmt::format("{}: {} compared with digests\n", source.step,
                          counted_with_commas(source.reads.verified, "file", "files"));
    }
    if (source.reads.repeated > 0) {
      text += fmt::format("{}: {} repeated after an I/O error\n", source.step,
                          counted_with_commas(source.reads.repeated, "read", "reads"));
    }
  }
  for (const auto& [step, workers] : stats.workers) {
    text += fmt::format("{}: {} of {} at work, {}, {}, {}\n", step, workers.ready,
                        counted_with_commas(workers.workers, "worker", "workers"),
                        counted_with_commas(workers.samples, "sample", "samples"),
                        counted_with_commas(workers.restarts, "restart", "restarts"),
                        counted_with_commas(workers.renewals, "renewal", "renewals"));
  }
  if (stats.threads < stats.threads_asked) {
    text += fmt::format("threads: {} of the {} requested; the system allows no more\n",
                        stats.threads, stats.threads_asked);
  }
  if (!stats.device.name.empty()) text += to_string(stats.device) + "\n";
  if (!stats.steps.empty()) text += steps_table(stats);
  if (std::any_of(stats.steps.begin(), stats.steps.end(),
                  [](const StepStats& s) { return s.total_ns > 0; }) &&
      stats.device.batches > 0) {
    text +=
        "in one GPU batch, the first step has the time of the whole batch, from begin to end,\nfor "
        "each of its samples; these times do not add up and are not CPU time\n";
  }
  if (!stats.choices.empty()) text += branches_table(stats);
  if (!stats.loops.empty()) text += loops_table(stats);
  if (!stats.events.empty()) text += events_table(stats);
  return text;
}

namespace detail {

void add_counts(Stats& stats, const Plan& plan,
                const std::vector<std::unique_ptr<Sample>>& samples) {
  std::vector<std::int64_t> counts(plan.counters);
  for (const auto& sample : samples) sample->counters.add_to(counts);
  StatsReader(stats, counts, samples.front()->counters.timed()).read(plan.top, "");
  for_each<Step>(plan.top, [&](const Step& one) {
    if (one.epoch != nullptr && one.epoch->workers)
      stats.workers.push_back({one.name, one.epoch->workers()});
  });
}

std::vector<StepStats> steps_of(const Plan& plan) {
  Stats stats;
  StatsReader(stats, std::vector<std::int64_t>(plan.counters), true).read(plan.top, "");
  return std::move(stats.steps);
}

std::vector<SourceStats> reads_of(const Plan& plan, const std::vector<SourceStats>& before) {
  std::vector<SourceStats> all;
  for (const DatasetRecord& dataset : plan.datasets) {
    if (!dataset.reads) continue;
    const SourceReads then = before.empty() ? SourceReads{} : before[all.size()].reads;
    all.push_back({dataset.step, dataset.reads() - then});
  }
  return all;
}

void add_memory(Stats& stats, const PipelineOptions& options,
                const std::array<BufferPoolStats, 2>& pools) {
  MemoryStats& memory = stats.memory;
  memory.active = static_cast<std::size_t>(stats.threads);
  for (const BufferPoolStats& pool : pools) {
    memory.bytes_in_use += pool.bytes_in_use;
    memory.bytes_peak += pool.bytes_peak;
    memory.bytes_reserved += pool.bytes_reserved;
    memory.system_allocations += pool.system_allocations;
  }
  // Batches that may have memory at once: those that the window reaches into, one that is being
  // moved into a block, and one in the user's hands. With `compact` also a full one being formed,
  // and the rest of the short one before it.
  const auto batch_size = static_cast<std::size_t>(options.batch_size);
  const std::size_t reached = (memory.window + batch_size - 1) / batch_size;
  const std::size_t batches = reached + (options.compact ? 4 : 2);
  memory.bytes_bound = memory.active * memory.largest_sample +
                       memory.window * memory.largest_waiting + batches * memory.largest_batch;
}

}  // namespace detail
}  // namespace sluice
