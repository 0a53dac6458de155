#include <sluice/graph/sampling/sampler.h>
#include <sluice/io/readers/fingerprint.h>
#include <sluice/io/readers/tar_headers.h>
#include <sluice/io/readers/tar_readers.h>
#include <sluice/io/readers/tar_stream.h>
#include <sluice/runtime/random.h>
#include <sluice/runtime/text.h>

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <set>

namespace sluice::detail {
namespace {

void require(bool good, const std::string& what) {
  if (!good) throw BuildError("tar_stream: " + what);
}

void check(const TarStreamOptions& options, std::size_t archives) {
  const auto at_least = [](const char* name, std::int64_t value, std::int64_t least) {
    require(value >= least, std::string(name) + " is " + std::to_string(value) + "; it is " +
                                std::to_string(least) + " or more");
  };
  at_least(".window", options.window, 1);
  at_least(".interleave", options.interleave, 0);
  at_least(".threads", options.threads, 1);
  require(options.max_sample_bytes > 0, ".max_sample_bytes is 0: no sample would be read");
  require(options.max_expansion > 0, ".max_expansion is 0; it is 1 or more");
  const Shard& shard = options.shard;
  require(shard.count >= 1 && shard.index >= 0 && shard.index < shard.count,
          "shard " + std::to_string(shard.index) + " of " + std::to_string(shard.count) +
              " cannot be; shards are numbered from 0");
  require(archives >= static_cast<std::size_t>(shard.count),
          counted(archives, "archive") + (archives == 1 ? " is" : " are") + " dealt to " +
              std::to_string(shard.count) +
              " shards, of which some would have none; write at least as many archives, or read "
              "them with tar_in, whose shards are parts of archives");
}

}  // namespace

struct TarStreaming::Shared {
  TarReading reading;  // in the order in which the archives are named
  TarStreamOptions options;
  std::string fingerprint;
  std::optional<std::string> read_once;  // the name of a pipe among them
  bool begun = false;
  std::shared_ptr<HeldBytes> held = std::make_shared<HeldBytes>();
  std::shared_ptr<LeftOutCounter> left_out = std::make_shared<LeftOutCounter>();

  // State of the epoch.
  std::int64_t epoch = 0;
  std::uint64_t rounds = 0;  // how often the epoch has restarted
  std::mutex mutex;
  std::vector<std::string> names;  // of samples in flight, by position
  std::int64_t given = 0;

  void add_archives(const std::vector<std::string>& archives);
  std::vector<std::string> archives_in_order(const ShuffleKey& key) const;
};

void TarStreaming::Shared::add_archives(const std::vector<std::string>& archives) {
  Fingerprint print;
  std::set<std::string> pipes;
  for (std::size_t i = 0; i < archives.size(); ++i) {
    const bool mine = i % static_cast<std::size_t>(options.shard.count) ==
                      static_cast<std::size_t>(options.shard.index);
    print.add(std::filesystem::path(archives[i]).filename().string());
    if (!mine && archives[i] != kStandardInput) continue;
    const bool once = is_read_once(archives[i]);
    if (once) {
      read_once = archives[i];
      require(pipes.insert(archives[i]).second,
              "'" + escape_control_chars(archives[i]) + "' is named twice, but can be read once");
      require(options.cycle != Cycle::quiet,
              "'" + escape_control_chars(archives[i]) +
                  "' can be read once, so it cannot begin again as Cycle::quiet says");
    }
    if (!mine) continue;
    reading.archives.push_back(archives[i]);
    reading.pipes += once ? 1 : 0;
  }
  for (const std::string& column : options.columns) print.add(column);
  print.add(static_cast<std::uint64_t>(options.shard.count));
  print.add(static_cast<std::uint64_t>(reading.interleave));
  print.add(static_cast<std::uint64_t>(options.shuffle ? options.window : 0));
  print.add(options.shuffle ? options.seed : 0);
  // The options that change most are in plain text.
  fingerprint = print.text() + ", " + counted(options.shard.count, "shard") + ", window " +
                std::to_string(options.shuffle ? options.window : 0);
}

std::vector<std::string> TarStreaming::Shared::archives_in_order(const ShuffleKey& key) const {
  if (!options.shuffle) return reading.archives;
  const auto count = std::ssize(reading.archives);
  const Permutation order(count, key);
  std::vector<std::string> archives;
  archives.reserve(reading.archives.size());
  for (std::int64_t i = 0; i < count; ++i)
    archives.push_back(reading.archives[static_cast<std::size_t>(order(i))]);
  return archives;
}

TarStreaming::TarStreaming(const std::vector<std::string>& archives,
                           const TarStreamOptions& options, std::size_t types,
                           const TarStreaming* like)
    : shared_(std::make_unique<Shared>()) {
  check_tar_columns("tar_stream", archives, options.columns, types);
  check(options, archives.size());
  Shared& shared = *shared_;
  if (like != nullptr) {
    shared.held = like->shared_->held;
    shared.left_out = like->shared_->left_out;
  }
  shared.options = options;
  TarReading& reading = shared.reading;
  for (const std::string& column : options.columns)
    reading.columns.push_back(names_of_tar_column("tar_stream", column));
  reading.limits = {options.max_sample_bytes, options.max_expansion, options.max_link_bytes};
  constexpr int kShuffled = 4;
  const int interleave = options.interleave > 0 ? options.interleave
                         : options.shuffle      ? kShuffled
                                                : 1;
  reading.interleave = static_cast<std::size_t>(interleave);
  reading.threads = static_cast<std::size_t>(options.threads);
  reading.read_ahead = std::max<std::uint64_t>(options.read_ahead, 1);
  shared.add_archives(archives);
}

TarStreaming::~TarStreaming() = default;

void TarStreaming::begin_epoch(const EpochInfo& info) {
  Shared& shared = *shared_;
  if (shared.read_once && shared.begun && shared.options.cycle != Cycle::off) {
    throw IoError("'" + escape_control_chars(*shared.read_once) +
                  "' can be read once, and has been read: it has no other epoch");
  }
  shared.begun = true;
  shared.left_out->clear();
  const std::lock_guard lock(shared.mutex);
  shared.epoch = info.epoch;
  shared.rounds = 0;
  shared.names.assign(static_cast<std::size_t>(info.window), {});
  shared.given = 0;
}

std::string TarStreaming::fingerprint() const { return shared_->fingerprint; }
std::uint64_t TarStreaming::most_bytes() const { return shared_->held->most(); }
std::vector<LeftOut> TarStreaming::left_out() const { return shared_->left_out->list(); }

std::string TarStreaming::name(std::int64_t position) const {
  const std::lock_guard lock(shared_->mutex);
  const auto window = std::ssize(shared_->names);
  if (position < 0 || position >= shared_->given || position < shared_->given - window) return {};
  return shared_->names[static_cast<std::size_t>(position % window)];
}

struct TarStreaming::Pass::State {
  static TarReading reading(const Shared& shared, const ShuffleKey& key) {
    TarReading reading = shared.reading;
    reading.archives = shared.archives_in_order(key);
    return reading;
  }
  // A different order each time the epoch restarts.
  static ShuffleKey key(Shared& shared) {
    const std::uint64_t round = shared.rounds++;
    const std::uint64_t seed = shared.options.seed;
    return {round == 0 ? seed : seed_of_iteration(seed, round),
            static_cast<std::uint64_t>(shared.epoch)};
  }
  State(std::shared_ptr<TarStreaming> from, const ShuffleKey& key)
      : of(std::move(from)),
        readers(reading(*of->shared_, key), of->shared_->held, of->shared_->left_out),
        window(readers, of->shared_->options.shuffle ? of->shared_->options.window : 1, key,
               of->shared_->held) {}

  std::shared_ptr<TarStreaming> of;
  TarReaders readers;
  TarWindow window;
  StreamedSample sample;
  bool any = false;
  bool over = false;
};

TarStreaming::Pass::Pass(std::shared_ptr<TarStreaming> of) {
  const ShuffleKey key = State::key(*of->shared_);
  state_ = std::make_unique<State>(std::move(of), key);
}
TarStreaming::Pass::~Pass() = default;

bool TarStreaming::Pass::is_over() const { return state_->over; }
void TarStreaming::Pass::stop() noexcept { state_->readers.stop(); }

bool TarStreaming::Pass::next() {
  State& state = *state_;
  Shared& shared = *state.of->shared_;
  std::optional<StreamedSample> sample;
  try {
    sample = state.window.next();
  } catch (...) {
    state.over = true;
    throw;
  }
  if (!sample) {
    state.over = true;
    if (state.any || state.readers.stopped()) return false;
    const std::vector<LeftOut> left_out = state.of->left_out();
    throw IoError(
        std::string("there are no samples in the archives: no file has a name like 0001.jpg and is "
                    "in a column that is read") +
        (left_out.empty() ? "" : "; " + words_of(left_out)));
  }
  state.any = true;
  state.sample = *std::move(sample);
  {
    const std::lock_guard lock(shared.mutex);
    shared.names[static_cast<std::size_t>(shared.given++ % std::ssize(shared.names))] =
        state.sample.name;
  }
  if (!state.sample.error.empty()) throw IoError(state.sample.error);
  return true;
}

void TarStreaming::Pass::read(std::size_t column, Bytes& out) {
  out = std::move(state_->sample.columns[column]);
  const std::shared_ptr<JpegIndex>& index = state_->of->shared_->options.index;
  if (index != nullptr) out.set_index(index);
}

std::string_view TarStreaming::Pass::text(std::size_t column) const {
  const Bytes& bytes = state_->sample.columns[column];
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void TarStreaming::Pass::fail(std::size_t column, const char* what) const {
  throw IoError(
      tar_column_error(state_->sample.name, state_->of->shared_->options.columns[column], what));
}

}  // namespace sluice::detail

namespace sluice {

TarStream<Bytes, std::int64_t> tar_stream(const std::vector<std::string>& archives,
                                          const TarStreamOptions& options) {
  return TarStream<Bytes, std::int64_t>(archives, options);
}

}  // namespace sluice
