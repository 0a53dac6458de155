#include <sluice/io/http/client.h>
#include <sluice/io/http/http_file.h>
#include <sluice/io/http/packs.h>
#include <sluice/io/http/url.h>
#include <sluice/io/packs/shard.h>
#include <sluice/io/readers/files.h>
#include <sluice/runtime/text.h>

#include <algorithm>
#include <span>

#include <fmt/format.h>

namespace sluice::detail {

struct PackUrlSamples::Shared {
  Shared(const std::vector<std::string>& all, const PackUrlOptions& options, std::size_t types)
      : urls(all), max_bytes(options.http.max_bytes), client(options.http) {
    for (const std::string& url : urls) {
      if (!is_url(url)) {
        throw BuildError("pack_at: '" + shown_url(url) +
                         "' is not a URL; it must begin with http://, https://, s3:// or gs://");
      }
      const HttpFile file(client, url);
      table.add(shown_url(url), PackShard::open(file, {.before = table.last(),
                                                       .most_index_bytes = max_bytes,
                                                       .limit = "HttpOptions::max_bytes"}));
      versions.push_back(file.version());
    }
    table.choose("pack_at", options.columns, types);
    fingerprint = table.fingerprint();
  }

  std::vector<std::string> urls;
  std::vector<std::string> versions;
  std::size_t max_bytes;
  PackTable table;
  std::string fingerprint;
  mutable HttpClient client;
};

PackUrlSamples::PackUrlSamples(const std::vector<std::string>& urls, const PackUrlOptions& options,
                               std::size_t types) {
  if (urls.empty()) throw BuildError("pack_at: there are no packs; give their URLs");
  shared_ = std::make_shared<const Shared>(urls, options, types);
}

std::int64_t PackUrlSamples::size() const { return shared_->table.size(); }
std::string PackUrlSamples::name(std::int64_t i) const {
  return shared_->table.name(shared_->table.place(i));
}
bool PackUrlSamples::is_packed(std::int64_t i) const {
  return shared_->table.entry(shared_->table.place(i)).is_packed();
}
const std::string& PackUrlSamples::fingerprint() const { return shared_->fingerprint; }
HttpStats PackUrlSamples::stats() const { return shared_->client.stats(); }
void PackUrlSamples::begin_epoch() const { shared_->client.require_thread(); }
void PackUrlSamples::end_epoch() const noexcept {
  epochs_.end();
  shared_->client.drop_unwanted();
}

HttpRequest PackUrlSamples::request(std::int64_t i) const {
  const PackTable::Place place = shared_->table.place(i);
  const PackShard::Entry& entry = shared_->table.entry(place);
  if (entry.bytes > shared_->max_bytes) {
    throw IoError(
        fmt::format("the sample '{}' has {} bytes; more than HttpOptions::max_bytes, which is {}",
                    escape_control_chars(name(i)), entry.bytes, shared_->max_bytes));
  }
  // A range has at least one byte. The pack has more behind each sample.
  return {.url = shared_->urls[place.pack],
          .range = HttpRange{entry.offset, std::max(entry.bytes, 1u)},
          .version = shared_->versions[place.pack],
          .before = shared_->table.shard(place).begin_of(entry)};
}

void PackUrlSamples::fetch(std::int64_t i, std::unique_ptr<ResponseHandler> handler) const {
  HttpRequest asked = request(i);
  asked.wanted = epochs_.wanted();
  shared_->client.fetch(std::move(asked), std::move(handler));
}

Bytes PackUrlSamples::taken(std::int64_t i, HttpAnswer answer) const {
  const PackTable::Place place = shared_->table.place(i);
  const PackShard& shard = shared_->table.shard(place);
  const PackShard::Entry& entry = shared_->table.entry(place);
  const bool changed = answer.size != 0 && answer.size != shard.bytes();
  if (changed || answer.body.size() < entry.bytes) {
    throw IoError("the sample '" + escape_control_chars(name(i)) +
                  "': its pack has changed since it was opened; open the dataset again");
  }
  const std::span<const std::uint8_t> body = answer.body.first(entry.bytes);
  shared_->table.check(place, body);
  // The body has one byte more than a sample without bytes.
  if (body.empty()) return Bytes::copy_of(shard.begin_of(entry));
  return std::move(answer.bytes);
}

Bytes PackUrlSamples::read(std::int64_t i) const {
  return taken(i, shared_->client.get(request(i)));
}

std::string_view PackUrlSamples::text(std::int64_t i, std::size_t column) const {
  return shared_->table.text(i, column);
}
void PackUrlSamples::fail(std::int64_t i, std::size_t column, const char* what) const {
  shared_->table.fail(i, column, what);
}

}  // namespace sluice::detail

namespace sluice {

PackUrls<std::int64_t> pack_at(const std::vector<std::string>& urls,
                               const PackUrlOptions& options) {
  return PackUrls<std::int64_t>(urls, options);
}

}  // namespace sluice
