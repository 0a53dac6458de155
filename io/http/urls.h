// Datasets at URLs: files (urls_of, urls_in) and archives (tar_at).
#pragma once

#include <sluice/graph/completion.h>
#include <sluice/graph/plan/sample.h>
#include <sluice/graph/plan/source_record.h>
#include <sluice/io/http/request.h>
#include <sluice/io/sources/list.h>
#include <sluice/io/sources/tar.h>
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

// urls_of, urls_in: files at URLs as a dataset for Graph::read.
//
//   auto [jpeg, label] = g.read(urls_of({{"https://host/a.jpg", 3}, {"s3://bucket/b.jpg", 7}}));
//   auto [jpeg, label] = g.read(urls_in("train.csv"));               // columns "url" and "label"
//   auto [jpeg, label, weight] = g.read(urls_in<std::int64_t, float>(
//       "train.csv", {.url = "path", .columns = {"label", "weight"}, .base = "https://host/photos",
//                     .checksum = "sha256"}));
//
// http://, https:// and s3:// are read; HttpOptions say how. Each sample is one file, whole. A
// thread of the dataset's own has many of them under way at once, and no thread waits for one; as
// many are asked for as the pipeline's window holds. A list is read as list_in reads it; it is a
// file itself.
//
// A checksum, which the list gives or the server (Content-MD5, x-amz-checksum-sha256, -crc32c,
// -crc32, x-goog-hash), must be that of what has come. Without one a file that is cut is noticed by
// its length alone.
//
// Ownership: copies share the connections and the thread, which end with the last of them. Threads:
// any number at once. Errors: BuildError for options that do not fit, and for a build without
// libcurl; IoError for lists, as list_in. What is wrong with one file is the error of its sample:
// it names the URL without its query, which may be a secret, what the server said, how much had
// come, and how often it was tried. An epoch that ends, in whatever way, ends its requests at once.

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
  std::string base = {};      // where those begin that are no URLs
  std::string checksum = {};  // the column of checksums; empty: there is none
  ListFormat format = ListFormat::by_name;
  std::vector<std::string> names = {};  // of all columns, for a list without a row of names
  std::shared_ptr<JpegIndex> index = {};
  HttpOptions http = {};
};

namespace detail {

class HttpClient;

// Which files there are, and the client that asks for them.
class UrlRows {
 public:
  UrlRows(const std::vector<UrlItem>& items, const HttpOptions& http);
  // `types`: how many there are for the columns.
  UrlRows(const std::string& list, const UrlListOptions& options, std::size_t types);

  std::int64_t size() const;
  std::string name(std::int64_t i) const;
  std::string fingerprint() const;
  HttpStats stats() const;

  // The path is the URL.
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
  void fetch(const ListRow& row, std::unique_ptr<HttpWaiter> waiter) const;
  Bytes read(const ListRow& row) const;
  Bytes taken(const HttpAnswer& answer) const;
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
  // The URL of file i, without what may be a secret.
  std::string name(std::int64_t i) const { return rows_.name(i); }
  // For checkpoints: tells lists of files by their URLs, without what signs them, and by the rest
  // of the list.
  std::string fingerprint() const { return rows_.fingerprint(); }
  // Of all copies.
  HttpStats stats() const { return rows_.stats(); }
  // What is said of file i, without the file.
  std::tuple<T...> columns(std::int64_t i) const { return columns_of(rows_.row(i)); }
  // Waits for it.
  Sample read(std::int64_t i) const {
    const detail::ListRow row = rows_.row(i);
    std::tuple<T...> columns = columns_of(row);
    return std::tuple_cat(std::tuple<Bytes>(rows_.read(row)), std::move(columns));
  }

  // For Graph::read.
  void operator()(Completion<Sample> done, const SampleInfo& info) const {
    const detail::ListRow row = rows_.row(info.index);
    std::tuple<T...> columns = columns_of(row);
    rows_.fetch(row, std::make_unique<Waiter>(std::move(done), std::move(columns), rows_));
  }
  void begin_epoch(const EpochInfo&) const { rows_.begin_epoch(); }
  void end_epoch() const noexcept { rows_.end_epoch(); }

 private:
  class Waiter final : public detail::HttpWaiter {
   public:
    Waiter(Completion<Sample> done, std::tuple<T...> columns, const detail::UrlRows& rows)
        : done_(std::move(done)), columns_(std::move(columns)), rows_(rows) {}
    void take(const detail::HttpAnswer& answer) override {
      (void)done_.set(std::tuple_cat(std::tuple<Bytes>(bytes_of(answer)), std::move(columns_)));
    }
    void fail(std::string_view what) noexcept override { (void)done_.fail(what); }

   private:
    Bytes bytes_of(const detail::HttpAnswer& answer) const {
      const detail::StepScope scope(done_);
      return rows_.taken(answer);
    }
    Completion<Sample> done_;
    std::tuple<T...> columns_;
    const detail::UrlRows& rows_;  // the dataset's, which is there while samples wait
  };

  std::tuple<T...> columns_of(const detail::ListRow& row) const {
    return columns_of(row, std::index_sequence_for<T...>());
  }
  template <std::size_t... I>
  std::tuple<T...> columns_of(const detail::ListRow& row, std::index_sequence<I...> /*all*/) const {
    return std::tuple<T...>{rows_.get<T>(row, I)...};
  }
  detail::UrlRows rows_;
};

// These files, and their labels.
Urls<std::int64_t> urls_of(const std::vector<UrlItem>& items, const HttpOptions& http = {});

// The files whose URLs a list has, and its columns as these types.
template <CellType... T>
Urls<T...> urls_in(const std::string& list, const UrlListOptions& options = {}) {
  return Urls<T...>(detail::UrlRows(list, options, sizeof...(T)));
}
// The same, and a whole number of each.
Urls<std::int64_t> urls_in(const std::string& list, const UrlListOptions& options = {});

// tar_at: the samples in tar archives at URLs as a dataset for Graph::read.
//
//   auto [jpeg, label] = g.read(tar_at({"https://host/a.tar", "s3://bucket/b.tar"},
//                                      {.offsets = "train.offsets"}));
//
// Archives, samples and columns are those of tar_in. Of each sample one part of its archive is
// asked for, from the first of its wanted files to the last one; many are under way at once, on one
// thread, as with urls_of. An index says where they lie: a file or a URL of one that `sluice index
// --tar` has made of the same archives; it is that of an archive with the same name and size.
// Without one, the headers are read when the archives are opened: a request for each 64 KiB, or for
// each file that is larger.
//
// A server must give parts of files. The archive is the one that was opened: its ETag, or the time
// when it was written, is compared in each answer, and the header of each file with the index.
//
// Ownership, threads, errors: as urls_of and tar_in. What is wrong with an archive as a whole is
// thrown when it is opened; it waits for servers as HttpOptions say.

struct TarUrlOptions {
  std::vector<std::string> columns = {"jpg;jpeg", "cls"};
  std::string offsets = {};  // file or URL of a TarIndex; empty: headers are read
  std::shared_ptr<JpegIndex> index = {};
  HttpOptions http = {};
};

namespace detail {

// Archives that are open, and the client that asks for parts of them.
class TarUrlSamples {
 public:
  TarUrlSamples(const std::vector<std::string>& urls, const TarUrlOptions& options,
                std::size_t types);

  const TarSamples& samples() const;
  HttpStats stats() const;
  // Calls the waiter with the part of the archive that sample i lies in.
  void fetch(std::int64_t i, std::unique_ptr<HttpWaiter> waiter) const;
  // Waits for it; `body` keeps it.
  HttpAnswer get(std::int64_t i, Bytes& body) const;
  void begin_epoch() const;
  void end_epoch() const noexcept;

  // The part of its archive that sample i lies in, as an answer has it.
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
  // "https://host/a.tar/x/0001".
  std::string name(std::int64_t i) const { return from_.samples().name(i); }
  // All files of sample i, those that are not read included.
  std::vector<TarFile> files(std::int64_t i) const { return from_.samples().files(i); }
  // The files in the archives that belong to no sample.
  const std::vector<LeftOut>& left_out() const { return from_.samples().left_out(); }
  // For checkpoints: tells archives by the names and sizes of the files in them.
  std::string fingerprint() const { return from_.samples().fingerprint(); }
  // Of all copies.
  HttpStats stats() const { return from_.stats(); }
  // Waits for it.
  Sample read(std::int64_t i) const {
    Bytes body;
    return sample_of(from_, i, from_.get(i, body));
  }

  // For Graph::read.
  void operator()(Completion<Sample> done, const SampleInfo& info) const {
    from_.fetch(info.index, std::make_unique<Waiter>(std::move(done), info.index, from_));
  }
  void begin_epoch(const EpochInfo&) const { from_.begin_epoch(); }
  void end_epoch() const noexcept { from_.end_epoch(); }

 private:
  class Waiter final : public detail::HttpWaiter {
   public:
    Waiter(Completion<Sample> done, std::int64_t i, const detail::TarUrlSamples& from)
        : done_(std::move(done)), i_(i), from_(from) {}
    void take(const detail::HttpAnswer& answer) override {
      try {
        (void)done_.set(made_of(answer));
      } catch (...) {  // it names the sample and its column
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
    const detail::TarUrlSamples& from_;  // the dataset's, which is there while samples wait
  };

  static Sample sample_of(const detail::TarUrlSamples& from, std::int64_t i,
                          const detail::HttpAnswer& answer) {
    return sample_of(from, i, answer, std::index_sequence_for<T...>());
  }
  template <std::size_t... I>
  static Sample sample_of(const detail::TarUrlSamples& from, std::int64_t i,
                          const detail::HttpAnswer& answer, std::index_sequence<I...> /*all*/) {
    const detail::TarUrlSamples::Part part(from, i, answer);
    const detail::TarSamples::Sample sample(from.samples(), i, part.archive());
    return Sample{sample.template get<T>(I)...};
  }
  detail::TarUrlSamples from_;
};

// The samples of archives at URLs, and their columns as these types.
template <TarColumn... T>
TarUrls<T...> tar_at(const std::vector<std::string>& urls, const TarUrlOptions& options = {}) {
  return TarUrls<T...>(urls, options);
}
// A file and a whole number of each sample.
TarUrls<Bytes, std::int64_t> tar_at(const std::vector<std::string>& urls,
                                    const TarUrlOptions& options = {});

}  // namespace sluice
