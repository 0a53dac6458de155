#include <sluice/io/http/client.h>
#include <sluice/io/http/http_file.h>
#include <sluice/io/http/tar_urls.h>
#include <sluice/io/http/url.h>
#include <sluice/io/sources/tar_index.h>
#include <sluice/runtime/printable.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace sluice::detail {

struct TarUrlSamples::Shared {
  Shared(const std::vector<std::string>& all, const TarUrlOptions& options, std::size_t types)
      : urls(all), max_bytes(options.http.max_bytes), client(options.http) {
    std::optional<TarIndex> known;
    if (!options.offsets.empty()) known = index_at(options.offsets);
    TarIndex index;
    std::vector<std::string> names;
    std::map<std::pair<std::string, std::uint64_t>, std::size_t> taken;
    for (const std::string& url : urls) {
      if (!is_url(url)) {
        throw BuildError("tar_at: '" + shown_url(url) +
                         "' is no URL; it begins with http://, https:// or s3://");
      }
      const HttpFile file(client, url);
      names.push_back(shown_url(url));
      sizes.push_back(file.size());
      versions.push_back(file.version());
      if (known) {
        // Archives of several folders may have one name; they come in the order of the index.
        const std::size_t earlier = taken[{last_part(url), file.size()}]++;
        index.add(known_of(*known, options.offsets, url, file, earlier));
      } else {
        index.add(last_part(url), file);
      }
    }
    samples.emplace(names, TarOptions{.columns = options.columns, .index = options.index},
                    std::move(index), types);
  }

  TarIndex index_at(const std::string& offsets) {
    if (!is_url(offsets)) return TarIndex::open(offsets);
    const Bytes content = client.get({.url = offsets}).body;
    return TarIndex::of_content({reinterpret_cast<const char*>(content.data()), content.size()},
                                shown_url(offsets));
  }

  static const TarIndex::Archive& known_of(const TarIndex& known, const std::string& offsets,
                                           const std::string& url, const HttpFile& file,
                                           std::size_t earlier) {
    const TarIndex::Archive* const archive = known.find(last_part(url), file.size(), earlier);
    if (archive != nullptr) return *archive;
    throw IoError("the index '" + shown_url(offsets) + "' knows no archive '" +
                  printable(last_part(url)) + "' of " + std::to_string(file.size()) +
                  " bytes, as " + file.name() + " is; make it again with 'sluice index --tar'");
  }

  std::vector<std::string> urls;
  std::vector<std::uint64_t> sizes;  // of each
  std::vector<std::string> versions;
  std::size_t max_bytes;
  mutable HttpClient client;
  std::optional<TarSamples> samples;
};

TarUrlSamples::TarUrlSamples(const std::vector<std::string>& urls, const TarUrlOptions& options,
                             std::size_t types) {
  if (urls.empty()) throw BuildError("tar_at: no archives are named");
  if (types == 0 || options.columns.size() != types) {
    throw BuildError("tar_at: .columns names " + std::to_string(options.columns.size()) +
                     ", but there are types for " + std::to_string(types) +
                     "; give as many: tar_at<Bytes, std::int64_t>(urls, {.columns = "
                     "{\"jpg;jpeg\", \"cls\"}})");
  }
  shared_ = std::make_shared<const Shared>(urls, options, types);
}

const TarSamples& TarUrlSamples::samples() const { return *shared_->samples; }
HttpStats TarUrlSamples::stats() const { return shared_->client.stats(); }
void TarUrlSamples::begin_epoch() const { shared_->client.require_thread(); }
void TarUrlSamples::end_epoch() const noexcept {
  epochs_.end();
  shared_->client.drop_unwanted();
}

HttpRequest TarUrlSamples::request(std::int64_t i) const {
  const TarSamples::Extent extent = samples().extent(i);
  if (extent.size > shared_->max_bytes) {
    throw IoError("the sample '" + printable(samples().name(i)) + "' takes " +
                  std::to_string(extent.size) +
                  " bytes of its archive; more than HttpOptions::max_bytes, which is " +
                  std::to_string(shared_->max_bytes));
  }
  return {.url = shared_->urls[extent.archive],
          .range = HttpRange{extent.first, extent.size},
          .version = shared_->versions[extent.archive]};
}

void TarUrlSamples::fetch(std::int64_t i, std::unique_ptr<HttpWaiter> waiter) const {
  HttpRequest asked = request(i);
  asked.wanted = epochs_.wanted();
  shared_->client.fetch(std::move(asked), std::move(waiter));
}

HttpAnswer TarUrlSamples::get(std::int64_t i, Bytes& body) const {
  HttpClient::Got got = shared_->client.get(request(i));
  body = std::move(got.body);
  return {.body = body, .size = got.size, .version = {}};
}

TarUrlSamples::Part::Part(const TarUrlSamples& from, std::int64_t i, const HttpAnswer& answer) {
  const TarSamples::Extent extent = from.samples().extent(i);
  const std::uint64_t size = from.shared_->sizes[extent.archive];
  if (answer.size != 0 && answer.size != size) {
    throw IoError("the sample '" + printable(from.samples().name(i)) +
                  "': its archive has changed since it was opened: it had " + std::to_string(size) +
                  " bytes, and has " + std::to_string(answer.size) + "; open the dataset again");
  }
  archive_ = std::make_unique<PartInMemory>(from.samples().name(i), extent.first, answer.body);
}
TarUrlSamples::Part::~Part() = default;

}  // namespace sluice::detail
