// tar_stream: a dataset of the samples in tar archives, each read once from front to end, for
// Graph::read. It needs no index, and reads compressed archives and pipes.
//
//   auto [jpeg, label] = g.read(tar_stream({"a.tar.zst", "b.tar.zst"}));        // jpg;jpeg and cls
//   auto [key, jpeg, text] = g.read(tar_stream<std::string, Bytes, std::string>(
//       archives, {.columns = {"__key__", "jpg;jpeg;png", "txt"}, .shuffle = true,
//                  .window = 5000, .shard = shard_of_environment(), .threads = 4}));
//
// Samples and columns are those of tar_in, "__key__" included, and so are options of the same name.
// "-" is the standard input. A pipe can be read for one epoch. gzip, zstd, xz and bzip2 are
// detected from the first bytes; they need libarchive (SLUICE_ARCHIVE).
//
// Order: archive i is read by shard i mod n. `interleave` of a shard's archives are open and
// provide samples by turns. With `shuffle`, the archives are permuted, and then their samples are
// shuffled as by WindowedShuffle: no sample moves by `window` places or more. The order depends
// only on seed, epoch, options and archives, not on the number of threads. Samples that cannot be
// read keep their place in it.
//
// Memory: window + 1 samples, plus `read_ahead` bytes and one sample for each open archive, plus
// the samples in flight in the pipeline. The number of open archives is the larger of `interleave`
// and `threads`. most_bytes() returns the most that was used.
//
// The dataset's own thread takes the samples in order. Sample number i is the one at position i. So
// it supports neither a sampler nor the inspection of one sample. A run that resumes from a
// checkpoint reads the delivered samples again and discards them; a pipe must provide them all
// again.
//
// Links are followed to files before them. In compressed archives and pipes, these files are kept
// up to `max_link_bytes`.
//
// Ownership: TarStream owns its threads, and the archives that are open in an epoch. A copy is an
// independent dataset. Threads: like a dataset. Errors: on construction IoError for a missing
// archive, and BuildError for options that do not fit or if there are fewer archives than shards.
// Later, a sample that lacks a column, has one twice, is too large or cannot be read fails alone.
// An archive that is damaged, cut, or changes while it is read provides the samples before that
// place, then one that fails and says where; then the next archive follows.
#pragma once

#include <sluice/graph/sampling/sampler.h>
#include <sluice/graph/sources/values.h>
#include <sluice/io/readers/tar.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace sluice {

struct TarStreamOptions {
  std::vector<std::string> columns = {"jpg;jpeg", "cls"};
  bool shuffle = false;        // archives and samples
  std::int64_t window = 1000;  // of the shuffle, in samples
  std::uint64_t seed = 0;      // of the shuffle
  Shard shard = {};
  int interleave = 0;                        // 0: 4 if shuffled, else 1
  int threads = 2;                           // the threads that read and decompress
  Cycle cycle = Cycle::raise;                // the behavior after the last sample
  std::uint64_t read_ahead = 4 << 20;        // bytes of each archive that is open
  std::uint64_t max_sample_bytes = 1 << 30;  // of one sample's columns together
  std::uint64_t max_link_bytes = 4 << 20;
  std::uint64_t max_expansion = 200;  // the largest expansion factor of a compressed archive
  std::shared_ptr<JpegIndex> index = {};
};

namespace detail {

struct StreamedSample;

// The part of a TarStream that does not depend on the types of its columns.
class TarStreaming {
 public:
  // `like`: a stream with which to share the memory count and left_out(); may be null.
  TarStreaming(const std::vector<std::string>& archives, const TarStreamOptions& options,
               std::size_t types, const TarStreaming* like = nullptr);
  ~TarStreaming();
  TarStreaming(const TarStreaming&) = delete;
  TarStreaming& operator=(const TarStreaming&) = delete;

  // Call between two epochs.
  void begin_epoch(const EpochInfo& info);
  std::string fingerprint() const;
  // The name of the sample at a position, while it is in flight.
  std::string name(std::int64_t position) const;
  std::uint64_t most_bytes() const;
  std::vector<LeftOut> left_out() const;

  // One pass through the archives. Threads: next() on one, stop() on any.
  class Pass {
   public:
    explicit Pass(std::shared_ptr<TarStreaming> of);
    ~Pass();
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;
    // Goes to the next sample, which get() then reads. Returns false at the end. Throws for a
    // sample that cannot be read.
    bool next();
    bool is_over() const;
    void stop() noexcept;
    template <TarColumn T>
    T get(std::size_t column) {
      T value{};
      read(column, value);
      return value;
    }

   private:
    void read(std::size_t column, Bytes& out);
    template <CellType T>
    void read(std::size_t column, T& out) {
      try {
        read_cell({text(column)}, out);
      } catch (const CellError& error) {
        fail(column, error.what());
      }
    }
    std::string_view text(std::size_t column) const;
    [[noreturn]] void fail(std::size_t column, const char* what) const;
    struct State;
    std::unique_ptr<State> state_;
  };

 private:
  friend class Pass;
  struct Shared;
  std::unique_ptr<Shared> shared_;
};

template <class... T>
class TarPass : public Stream<std::tuple<T...>> {
 public:
  explicit TarPass(std::shared_ptr<TarStreaming> of) : pass_(std::move(of)) {}
  std::optional<std::tuple<T...>> next() override {
    if (!pass_.next()) return {};
    return tuple_of_columns<T...>(
        [this]<class C>(std::size_t column) { return pass_.template get<C>(column); });
  }
  bool goes_on() const override { return !pass_.is_over(); }
  void stop() noexcept override { pass_.stop(); }

 private:
  TarStreaming::Pass pass_;
};

}  // namespace detail

template <TarColumn... T>
class TarStream {
 public:
  using Sample = std::tuple<T...>;
  static constexpr bool in_order = true;

  explicit TarStream(const std::vector<std::string>& archives, const TarStreamOptions& options = {})
      : archives_(archives), options_(options) {
    make(nullptr);
  }
  TarStream(const TarStream& other) : archives_(other.archives_), options_(other.options_) {
    make(other.streaming_.get());
  }
  TarStream(TarStream&&) noexcept = default;
  TarStream& operator=(const TarStream&) = delete;
  TarStream& operator=(TarStream&&) = delete;
  ~TarStream() = default;

  std::int64_t size() const { return kUntilEnd; }
  // "a.tar/x/0001", while the sample at this position is in flight.
  std::string name(std::int64_t position) const { return streaming_->name(position); }
  // For checkpoints: identifies the archives by their names, and the order by its options.
  std::string fingerprint() const { return streaming_->fingerprint(); }
  // The most memory that the samples of this stream and its copies have used, without those that
  // pipelines have taken.
  std::uint64_t most_bytes() const { return streaming_->most_bytes(); }
  // The files that belong to no sample, as this stream and its copies found them in this epoch.
  // Complete when the epoch has ended.
  std::vector<LeftOut> left_out() const { return streaming_->left_out(); }

  // For Graph::read.
  void begin_epoch(const EpochInfo& info) const {
    streaming_->begin_epoch(info);
    values_->begin_epoch(info);
  }
  void end_epoch() const noexcept { values_->end_epoch(); }
  void operator()(Completion<Sample> done, const SampleInfo& info) const {
    (*values_)(std::move(done), info);
  }

 private:
  void make(const detail::TarStreaming* like) {
    streaming_ = std::make_shared<detail::TarStreaming>(archives_, options_, sizeof...(T), like);
    values_.emplace(
        [streaming = streaming_](const EpochInfo&) {
          return std::make_unique<detail::TarPass<T...>>(streaming);
        },
        options_.cycle);
  }

  std::vector<std::string> archives_;
  TarStreamOptions options_;
  std::shared_ptr<detail::TarStreaming> streaming_;
  std::optional<Values<Sample>> values_;
};

// The samples of archives, with their columns as these types.
template <TarColumn... T>
TarStream<T...> tar_stream(const std::vector<std::string>& archives,
                           const TarStreamOptions& options = {}) {
  return TarStream<T...>(archives, options);
}
// A file and an integer for each sample.
TarStream<Bytes, std::int64_t> tar_stream(const std::vector<std::string>& archives,
                                          const TarStreamOptions& options = {});

}  // namespace sluice
