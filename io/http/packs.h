// pack_at: a dataset of the samples in packs at URLs, for Graph::read.
//
//   auto [image, label] = g.read(pack_at({"https://host/part-00000.pack", "s3://bucket/b.pack"}));
//
// Samples and columns are as for pack_in. When the packs are opened, their indices are read. Each
// sample then needs one request for its bytes. Many requests run at once on one thread, as with
// urls_of; HttpOptions configure them. All bytes of a sample are received and checked.
//
// The server must support range requests. Each answer must come from the pack that was opened: its
// ETag or modification time is compared.
//
// Ownership: copies share the connections and the thread, which end with the last copy. Threads:
// any number at once. Errors: as pack_in and urls_of. An error of a sample names the pack and the
// sample; an error of a whole pack is thrown when it is opened.
#pragma once

#include <sluice/graph/completion.h>
#include <sluice/graph/exec/sample.h>
#include <sluice/graph/plan/source_record.h>
#include <sluice/io/http/request.h>
#include <sluice/io/readers/csv_cell.h>
#include <sluice/runtime/bytes.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace sluice {

struct PackUrlOptions {
  std::vector<std::string> columns = {"label"};
  HttpOptions http = {};
};

namespace detail {

// Open packs, and the client that downloads parts of them.
class PackUrlSamples {
 public:
  PackUrlSamples(const std::vector<std::string>& urls, const PackUrlOptions& options,
                 std::size_t types);

  std::int64_t size() const;
  std::string name(std::int64_t i) const;
  bool is_packed(std::int64_t i) const;
  const std::string& fingerprint() const;
  HttpStats stats() const;
  template <CellType T>
  T get(std::int64_t i, std::size_t column) const {
    T value{};
    try {
      read_cell({text(i, column)}, value);
    } catch (const CellError& error) {
      fail(i, column, error.what());
    }
    return value;
  }
  void fetch(std::int64_t i, std::unique_ptr<ResponseHandler> handler) const;
  // Returns the sample that the answer holds, after checking it.
  Bytes taken(std::int64_t i, HttpAnswer answer) const;
  // Waits for the sample.
  Bytes read(std::int64_t i) const;
  void begin_epoch() const;
  void end_epoch() const noexcept;

 private:
  struct Shared;
  HttpRequest request(std::int64_t i) const;
  std::string_view text(std::int64_t i, std::size_t column) const;
  [[noreturn]] void fail(std::int64_t i, std::size_t column, const char* what) const;
  std::shared_ptr<const Shared> shared_;
  HttpEpochs epochs_;
};

}  // namespace detail

template <CellType... T>
class PackUrls {
 public:
  using Sample = std::tuple<Bytes, T...>;

  explicit PackUrls(const std::vector<std::string>& urls, const PackUrlOptions& options = {})
      : from_(urls, options, sizeof...(T)) {}

  std::int64_t size() const { return from_.size(); }
  // For example "https://host/a.pack:cat/1.jpg".
  std::string name(std::int64_t i) const { return from_.name(i); }
  // True for a packed JPEG, false for a file that is stored as it is.
  bool is_packed(std::int64_t i) const { return from_.is_packed(i); }
  // For checkpoints: identifies packs by their names and content.
  const std::string& fingerprint() const { return from_.fingerprint(); }
  // Counts for all copies.
  HttpStats stats() const { return from_.stats(); }
  // The columns of sample i, without its file.
  std::tuple<T...> columns(std::int64_t i) const {
    return detail::tuple_of_columns<T...>(
        [&]<class C>(std::size_t column) { return from_.template get<C>(i, column); });
  }
  // Waits for the sample.
  Sample read(std::int64_t i) const {
    std::tuple<T...> columns = this->columns(i);
    return std::tuple_cat(std::tuple<Bytes>(from_.read(i)), std::move(columns));
  }

  // For Graph::read.
  void operator()(Completion<Sample> done, const SampleInfo& info) const {
    std::tuple<T...> columns = this->columns(info.index);
    from_.fetch(info.index,
                std::make_unique<Handler>(std::move(done), info.index, std::move(columns), from_));
  }
  void begin_epoch(const EpochInfo&) const { from_.begin_epoch(); }
  void end_epoch() const noexcept { from_.end_epoch(); }

 private:
  class Handler final : public detail::ResponseHandler {
   public:
    Handler(Completion<Sample> done, std::int64_t i, std::tuple<T...> columns,
            const detail::PackUrlSamples& from)
        : done_(std::move(done)), i_(i), columns_(std::move(columns)), from_(from) {}
    Bytes allocate(std::size_t size) override {
      const detail::StepScope scope(done_);
      return Bytes(size);
    }
    void take(detail::HttpAnswer answer) override {
      try {
        (void)done_.set(std::tuple_cat(std::tuple<Bytes>(from_.taken(i_, std::move(answer))),
                                       std::move(columns_)));
      } catch (...) {  // the error names the sample
        (void)done_.fail(std::current_exception());
      }
    }
    void fail(std::string_view what) noexcept override { (void)done_.fail(what); }

   private:
    Completion<Sample> done_;
    std::int64_t i_;
    std::tuple<T...> columns_;
    const detail::PackUrlSamples& from_;  // the dataset's, which outlives waiting samples
  };

  detail::PackUrlSamples from_;
};

// A dataset of the samples in packs at URLs, with their columns as these types.
template <CellType... T>
PackUrls<T...> pack_at(const std::vector<std::string>& urls, const PackUrlOptions& options = {}) {
  return PackUrls<T...>(urls, options);
}
// A file and its label.
PackUrls<std::int64_t> pack_at(const std::vector<std::string>& urls,
                               const PackUrlOptions& options = {});

}  // namespace sluice
