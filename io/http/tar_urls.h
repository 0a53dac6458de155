// tar_at: the samples in tar archives at URLs as a dataset for Graph::read.
//
//   auto [jpeg, label] = g.read(tar_at({"https://host/a.tar", "s3://bucket/b.tar"},
//                                      {.offsets = "train.offsets"}));
//
// Archives, samples and columns are those of tar_in. Of each sample one part of its archive is
// asked for, from the first of its wanted files to the last one; many are under way at once, on one
// thread, as with urls_of. Where they lie says an index, a file or a URL itself, which `sluice
// index
// --tar` has made of the same archives; it is that of an archive with the same name and size.
// Without one, the headers are read when the archives are opened: a request for each 64 KiB, or for
// each file that is larger.
//
// A server must give parts of files. The archive is the one that was opened: its ETag, or the time
// when it was written, is compared in each answer, and the header of each file with the index.
//
// Ownership, threads, errors: as urls_of and tar_in. What is wrong with an archive as a whole is
// thrown when it is opened; it waits for servers as HttpOptions say.
#pragma once

#include <sluice/graph/completion.h>
#include <sluice/graph/plan/epoch_info.h>
#include <sluice/graph/plan/sample.h>
#include <sluice/io/http/epochs.h>
#include <sluice/io/http/options.h>
#include <sluice/io/http/request.h>
#include <sluice/io/sources/tar.h>

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

struct TarUrlOptions {
  std::vector<std::string> columns = {"jpg;jpeg", "cls"};
  std::string offsets = {};  // file or URL of a TarIndex; empty: headers are read
  std::shared_ptr<JpegIndex> index = {};
  HttpOptions http = {};
};

namespace detail {

class HttpClient;

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
inline TarUrls<Bytes, std::int64_t> tar_at(const std::vector<std::string>& urls,
                                           const TarUrlOptions& options = {}) {
  return TarUrls<Bytes, std::int64_t>(urls, options);
}

}  // namespace sluice
