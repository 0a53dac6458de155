// Datasets at URLs: files (urls_of, urls_in) and archives (tar_at).
#pragma once

#include <sluice/graph/completion.h>
#include <sluice/graph/exec/sample.h>
#include <sluice/graph/plan/source_record.h>
#include <sluice/io/http/request.h>
#include <sluice/io/readers/list.h>
#include <sluice/io/readers/tar.h>
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

// urls_of, urls_in: datasets of files at URLs, for Graph::read.
//
//   auto [jpeg, label] = g.read(urls_of({{"https://host/a.jpg", 3}, {"s3://bucket/b.jpg", 7}}));
//   auto [jpeg, label] = g.read(urls_in("train.csv"));               // columns "url" and "label"
//   auto [jpeg, label, weight] = g.read(urls_in<std::int64_t, float>(
//       "train.csv", {.url = "path", .columns = {"label", "weight"}, .base = "https://host/photos",
//                     .checksum = "sha256"}));
//
// http://, https://, s3:// and gs:// URLs are supported; HttpOptions configure the requests. Each
// sample is one whole file. The dataset's own thread runs many requests at once, so no other thread
// waits for one. The pipeline's in-flight window limits how many are requested. list_in describes
// the format of a list; the list itself is a file.
//
// If the list or the server provides a checksum (Content-MD5, x-amz-checksum-sha256, -crc32c,
// -crc32, x-goog-hash), the received bytes must match it. Without one, only its length shows that a
// file was truncated.
//
// Ownership: copies share the connections and the thread, which end with the last copy. Threads:
// any number at once. Errors: BuildError for invalid options and for a build without libcurl;
// IoError for lists, as list_in. An error in one file is the error of its sample. It names the URL
// without its query, which may be a secret, what the server said, how many bytes had come, and the
// number of attempts. When an epoch ends, for any reason, its requests end at once.

struct UrlItem {
  UrlItem(const char* where) : url(where) {}
  UrlItem(std::string where, std::int64_t number = -1, std::string sum = {})
      : url(std::move(where)), label(number), checksum(std::move(sum)) {}
  std::string url;
  std::int64_t label;
  std::string checksum;  // "sha256:HEX", "md5:HEX", "crc32c:HEX", "crc32:HEX"; empty: none
};

struct UrlListOptions {
  std::string url = "url";  // the column that names the file
  std::vector<std::string> columns = {"label"};
  std::string base = {};      // the prefix for entries that are not URLs
  std::string checksum = {};  // the column of checksums; empty: none
  ListFormat format = ListFormat::by_name;
  std::vector<std::string> names = {};  // of all columns, for a list without a header row
  std::shared_ptr<JpegIndex> index = {};
  HttpOptions http = {};
};

namespace detail {

class HttpClient;

// The list of files, and the client that downloads them.
class UrlRows {
 public:
  UrlRows(const std::vector<UrlItem>& items, const HttpOptions& http);
  // `types`: the number of types for the columns.
  UrlRows(const std::string& list, const UrlListOptions& options, std::size_t types);

  std::int64_t size() const;
  std::string name(std::int64_t i) const;
  std::string fingerprint() const;
  HttpStats stats() const;

  // The row's path is the URL.
  ListRow row(std::int64_t i) const;
  template <CellType T>
  T get(const ListRow& row, std::size_t column) const {
    T value{};
    try {
      read_cell({row.cells[column].text, row.cells[column].kind}, value);
    } catch (const CellError& error) {
      fail(row, column, error.what());
    }
    return value;
  }
  void fetch(const ListRow& row, std::unique_ptr<ResponseHandler> handler) const;
  Bytes read(const ListRow& row) const;
  Bytes taken(HttpAnswer answer) const;
  void begin_epoch() const;
  void end_epoch() const noexcept;

 private:
  struct Shared;
  [[noreturn]] void fail(const ListRow& row, std::size_t column, const char* what) const;
  HttpRequest request(const ListRow& row) const;
  std::shared_ptr<const Shared> shared_;
  HttpEpochs epochs_;
};

}  // namespace detail

template <CellType... T>
class Urls {
 public:
  using Sample = std::tuple<Bytes, T...>;

  explicit Urls(detail::UrlRows rows) : rows_(std::move(rows)) {}

  std::int64_t size() const { return rows_.size(); }
  // The URL of file i, without parts that may be secret.
  std::string name(std::int64_t i) const { return rows_.name(i); }
  // For checkpoints: identifies a list by its URLs, without their signatures, and by its other
  // columns.
  std::string fingerprint() const { return rows_.fingerprint(); }
  // Counts for all copies.
  HttpStats stats() const { return rows_.stats(); }
  // The columns of file i, without the file.
  std::tuple<T...> columns(std::int64_t i) const { return columns_of(rows_.row(i)); }
  // Waits for the file.
  Sample read(std::int64_t i) const {
    const detail::ListRow row = rows_.row(i);
    std::tuple<T...> columns = columns_of(row);
    return std::tuple_cat(std::tuple<Bytes>(rows_.read(row)), std::move(columns));
  }

  // For Graph::read.
  void operator()(Completion<Sample> done, const SampleInfo& info) const {
    const detail::ListRow row = rows_.row(info.index);
    std::tuple<T...> columns = columns_of(row);
    rows_.fetch(row, std::make_unique<Handler>(std::move(done), std::move(columns), rows_));
  }
  void begin_epoch(const EpochInfo&) const { rows_.begin_epoch(); }
  void end_epoch() const noexcept { rows_.end_epoch(); }

 private:
  class Handler final : public detail::ResponseHandler {
   public:
    Handler(Completion<Sample> done, std::tuple<T...> columns, const detail::UrlRows& rows)
        : done_(std::move(done)), columns_(std::move(columns)), rows_(rows) {}
    Bytes allocate(std::size_t size) override {
      const detail::StepScope scope(done_);
      return Bytes(size);
    }
    void take(detail::HttpAnswer answer) override {
      (void)done_.set(
          std::tuple_cat(std::tuple<Bytes>(rows_.taken(std::move(answer))), std::move(columns_)));
    }
    void fail(std::string_view what) noexcept override { (void)done_.fail(what); }

   private:
    Completion<Sample> done_;
    std::tuple<T...> columns_;
    const detail::UrlRows& rows_;  // the dataset's, which outlives waiting samples
  };

  std::tuple<T...> columns_of(const detail::ListRow& row) const {
    return detail::tuple_of_columns<T...>(
        [&]<class C>(std::size_t column) { return rows_.template get<C>(row, column); });
  }
  detail::UrlRows rows_;
};

// A dataset of these files and their labels.
Urls<std::int64_t> urls_of(const std::vector<UrlItem>& items, const HttpOptions& http = {});

// A dataset of the URLs in a list, with its columns as these types.
template <CellType... T>
Urls<T...> urls_in(const std::string& list, const UrlListOptions& options = {}) {
  return Urls<T...>(detail::UrlRows(list, options, sizeof...(T)));
}
// The same, with an integer for each file.
Urls<std::int64_t> urls_in(const std::string& list, const UrlListOptions& options = {});

// tar_at: a dataset of the samples in tar archives at URLs, for Graph::read.
//
//   auto [jpeg, label] = g.read(tar_at({"https://host/a.tar", "s3://bucket/b.tar"},
//                                      {.offsets = "train.offsets"}));
//
// Archives, samples and columns are as for tar_in. Each sample needs one request for a part of its
// archive, from the first of its wanted files to the last one. Many requests run at once on one
// thread, as with urls_of. `offsets` is the file or URL of an index that `sluice index --tar` made
// of the same archives; archives are matched by name and size. Without an index, the headers are
// read when the archives are opened: one request for each 64 KiB, or for each larger file.
//
// The server must support range requests. Each answer must come from the archive that was opened:
// its ETag or modification time is compared, and the header of each file is compared with the
// index.
//
// Ownership, threads, errors: as urls_of and tar_in. Errors of a whole archive are thrown when it
// is opened. Opening waits for servers as HttpOptions say.

struct TarUrlOptions {
  std::vector<std::string> columns = {"jpg;jpeg", "cls"};
  std::string offsets = {};  // file or URL of a TarIndex; empty: headers are read
  std::shared_ptr<JpegIndex> index = {};
  HttpOptions http = {};
};

namespace detail {

// Open archives, and the client that downloads parts of them.
class TarUrlSamples {
 public:
  TarUrlSamples(const std::vector<std::string>& urls, const TarUrlOptions& options,
                std::size_t types);

  const TarSamples& samples() const;
  HttpStats stats() const;
  // Calls the handler with the part of the archive that sample i lies in.
  void fetch(std::int64_t i, std::unique_ptr<ResponseHandler> handler) const;
  // Waits for the answer.
  HttpAnswer get(std::int64_t i) const;
  void begin_epoch() const;
  void end_epoch() const noexcept;

  // The part of its archive that contains sample i, as received in an answer.
  class Part {
   public:
    Part(const TarUrlSamples& from, std::int64_t i, const HttpAnswer& answer);
    ~Part();
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;
    const RandomAccess* archive() const { return archive_.get(); }

   private:
    std::unique_ptr<const RandomAccess> archive_;
  };

 private:
  struct Shared;
  HttpRequest request(std::int64_t i) const;
  std::shared_ptr<const Shared> shared_;
  HttpEpochs epochs_;
};

}  // namespace detail

template <TarColumn... T>
class TarUrls {
 public:
  using Sample = std::tuple<T...>;

  explicit TarUrls(const std::vector<std::string>& urls, const TarUrlOptions& options = {})
      : from_(urls, options, sizeof...(T)) {}

  std::int64_t size() const { return from_.samples().size(); }
  // For example "https://host/a.tar/x/0001".
  std::string name(std::int64_t i) const { return from_.samples().name(i); }
  // All files of sample i, including those that are not read.
  std::vector<TarFile> files(std::int64_t i) const { return from_.samples().files(i); }
  // The files in the archives that belong to no sample.
  const std::vector<LeftOut>& left_out() const { return from_.samples().left_out(); }
  // For checkpoints: identifies archives by the names and sizes of their files.
  std::string fingerprint() const { return from_.samples().fingerprint(); }
  // Counts for all copies.
  HttpStats stats() const { return from_.stats(); }
  // Waits for the sample.
  Sample read(std::int64_t i) const { return sample_of(from_, i, from_.get(i)); }

  // For Graph::read.
  void operator()(Completion<Sample> done, const SampleInfo& info) const {
    from_.fetch(info.index, std::make_unique<Handler>(std::move(done), info.index, from_));
  }
  void begin_epoch(const EpochInfo&) const { from_.begin_epoch(); }
  void end_epoch() const noexcept { from_.end_epoch(); }

 private:
  class Handler final : public detail::ResponseHandler {
   public:
    Handler(Completion<Sample> done, std::int64_t i, const detail::TarUrlSamples& from)
        : done_(std::move(done)), i_(i), from_(from) {}
    void take(detail::HttpAnswer answer) override {
      try {
        (void)done_.set(made_of(answer));
      } catch (...) {  // the error names the sample and its column
        (void)done_.fail(std::current_exception());
      }
    }
    void fail(std::string_view what) noexcept override { (void)done_.fail(what); }

   private:
    Sample made_of(const detail::HttpAnswer& answer) const {
      const detail::StepScope scope(done_);
      return sample_of(from_, i_, answer);
    }
    Completion<Sample> done_;
    std::int64_t i_;
    const detail::TarUrlSamples& from_;  // the dataset's, which outlives waiting samples
  };

  static Sample sample_of(const detail::TarUrlSamples& from, std::int64_t i,
                          const detail::HttpAnswer& answer) {
    const detail::TarUrlSamples::Part part(from, i, answer);
    const detail::TarSamples::Sample sample(from.samples(), i, part.archive());
    return detail::tuple_of_columns<T...>(
        [&]<class C>(std::size_t column) { return sample.template get<C>(column); });
  }
  detail::TarUrlSamples from_;
};

// A dataset of the samples in archives at URLs, with their columns as these types.
template <TarColumn... T>
TarUrls<T...> tar_at(const std::vector<std::string>& urls, const TarUrlOptions& options = {}) {
  return TarUrls<T...>(urls, options);
}
// The same, with a file and an integer for each sample.
TarUrls<Bytes, std::int64_t> tar_at(const std::vector<std::string>& urls,
                                    const TarUrlOptions& options = {});

}  // namespace sluice
