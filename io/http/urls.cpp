#include <sluice/io/http/client.h>
#include <sluice/io/http/http_file.h>
#include <sluice/io/http/url.h>
#include <sluice/io/http/urls.h>
#include <sluice/io/readers/files.h>
#include <sluice/io/readers/fingerprint.h>
#include <sluice/io/readers/list_file.h>
#include <sluice/io/readers/open_file.h>
#include <sluice/io/readers/tar.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/text.h>

#include <algorithm>
#include <map>
#include <optional>
#include <span>

namespace sluice::detail {
namespace {

ListOptions of_list(const UrlListOptions& options) {
  ListOptions list{.path = options.url,
                   .columns = options.columns,
                   .format = options.format,
                   .names = options.names};
  if (!options.checksum.empty()) list.columns.push_back(options.checksum);
  return list;
}

}  // namespace

struct UrlRows::Shared {
  Shared(const std::vector<UrlItem>& all, const HttpOptions& http) : items(all), client(http) {}
  Shared(const std::string& path, const UrlListOptions& options)
      : list(std::in_place, path, of_list(options)),
        base(options.base),
        has_checksums(!options.checksum.empty()),
        index(options.index),
        client(options.http) {}

  std::vector<UrlItem> items;    // either these,
  std::optional<ListFile> list;  // or the rows of a list
  std::string base;
  bool has_checksums = true;  // in the last column
  std::shared_ptr<JpegIndex> index;
  mutable HttpClient client;
};

UrlRows::UrlRows(const std::vector<UrlItem>& items, const HttpOptions& http) {
  if (items.empty()) throw BuildError("urls_of: no URLs are given");
  shared_ = std::make_shared<const Shared>(items, http);
}

UrlRows::UrlRows(const std::string& list, const UrlListOptions& options, std::size_t types) {
  if (options.columns.size() != types) {
    throw BuildError("urls_in: .columns names " + std::to_string(options.columns.size()) +
                     ", but there are types for " + std::to_string(types) +
                     "; give as many: urls_in<std::int64_t, float>(list, {.columns = {\"label\", "
                     "\"weight\"}})");
  }
  if (!options.base.empty() && !is_url(options.base)) {
    throw BuildError("urls_in: .base, '" + shown_url(options.base) +
                     "', is not a URL; it must begin with http://, https://, s3:// or gs://");
  }
  shared_ = std::make_shared<const Shared>(list, options);
}

std::int64_t UrlRows::size() const {
  return shared_->list ? static_cast<std::int64_t>(shared_->list->size())
                       : std::ssize(shared_->items);
}

ListRow UrlRows::row(std::int64_t i) const {
  const auto number = static_cast<std::size_t>(i);
  if (!shared_->list) {
    const UrlItem& item = shared_->items.at(number);
    ListRow row;
    row.cells = {{std::to_string(item.label)}, {item.checksum}};
    row.path = item.url;
    if (!is_url(row.path))
      throw IoError("'" + shown_url(row.path) +
                    "' is not a URL; it must begin with http://, https://, s3:// or gs://");
    return row;
  }
  ListRow row = shared_->list->row(number);
  row.path = joined_url(shared_->base, row.path);
  if (!is_url(row.path)) {
    // The column of URLs comes after the others.
    shared_->list->fail(
        row.line, row.cells.size(),
        "'" + shown_url(row.path) +
            "' is not a URL: it must begin with http://, https://, s3:// or gs://, or be "
            "relative to UrlListOptions::base");
  }
  return row;
}

std::string UrlRows::name(std::int64_t i) const {
  try {
    return shown_url(row(i).path);
  } catch (const Error&) {  // the sample reports the error
    if (!shared_->list) return shown_url(shared_->items.at(static_cast<std::size_t>(i)).url);
    return shared_->list->path() + ":" +
           std::to_string(shared_->list->line(static_cast<std::size_t>(i)));
  }
}

std::string UrlRows::fingerprint() const {
  Fingerprint print;
  for (std::int64_t i = 0; i < size(); ++i) {
    try {
      const ListRow row = this->row(i);
      print.add(unsigned_url(row.path));
      for (const ListRow::Text& cell : row.cells) print.add(cell.text);
    } catch (const Error&) {  // invalid rows all count as equal
      print.add(std::uint64_t{0});
    }
  }
  return print.text();
}

HttpStats UrlRows::stats() const { return shared_->client.stats(); }
void UrlRows::begin_epoch() const { shared_->client.require_thread(); }
void UrlRows::end_epoch() const noexcept {
  epochs_.end();
  shared_->client.drop_unwanted();
}

HttpRequest UrlRows::request(const ListRow& row) const {
  HttpRequest request;
  request.url = row.path;
  if (shared_->has_checksums) {
    try {
      request.checksum = Checksum::of_text(row.cells.back().text);
    } catch (const CellError& error) {
      fail(row, row.cells.size() - 1, error.what());
    }
  }
  return request;
}

void UrlRows::fetch(const ListRow& row, std::unique_ptr<ResponseHandler> handler) const {
  HttpRequest asked = request(row);
  asked.wanted = epochs_.wanted();
  shared_->client.fetch(std::move(asked), std::move(handler));
}

Bytes UrlRows::read(const ListRow& row) const {
  Bytes bytes = shared_->client.get(request(row)).bytes;
  if (shared_->index != nullptr) bytes.set_index(shared_->index);
  return bytes;
}

Bytes UrlRows::taken(HttpAnswer answer) const {
  if (shared_->index != nullptr) answer.bytes.set_index(shared_->index);
  return std::move(answer.bytes);
}

void UrlRows::fail(const ListRow& row, std::size_t column, const char* what) const {
  if (shared_->list) shared_->list->fail(row.line, column, what);
  throw IoError("'" + shown_url(row.path) + "': " + what);
}

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
                         "' is not a URL; it must begin with http://, https://, s3:// or gs://");
      }
      const HttpFile file(client, url);
      names.push_back(shown_url(url));
      sizes.push_back(file.size());
      versions.push_back(file.version());
      if (known) {
        // Archives in different folders may share a name and size; they are matched in the index's
        // order.
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
    const Bytes content = client.get({.url = offsets}).bytes;
    return TarIndex::of_content({reinterpret_cast<const char*>(content.data()), content.size()},
                                shown_url(offsets));
  }

  static const TarIndex::Archive& known_of(const TarIndex& known, const std::string& offsets,
                                           const std::string& url, const HttpFile& file,
                                           std::size_t earlier) {
    const TarIndex::Archive* const archive = known.find(last_part(url), file.size(), earlier);
    if (archive != nullptr) return *archive;
    throw IoError("the index '" + shown_url(offsets) + "' knows no archive '" +
                  escape_control_chars(last_part(url)) + "' of " + std::to_string(file.size()) +
                  " bytes, as " + file.name() + " is; make it again with 'sluice index --tar'");
  }

  std::vector<std::string> urls;
  std::vector<std::uint64_t> sizes;  // of each archive
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
    throw IoError("the sample '" + escape_control_chars(samples().name(i)) + "' takes " +
                  std::to_string(extent.size) +
                  " bytes of its archive; more than HttpOptions::max_bytes, which is " +
                  std::to_string(shared_->max_bytes));
  }
  return {.url = shared_->urls[extent.archive],
          .range = HttpRange{extent.first, extent.size},
          .version = shared_->versions[extent.archive]};
}

void TarUrlSamples::fetch(std::int64_t i, std::unique_ptr<ResponseHandler> handler) const {
  HttpRequest asked = request(i);
  asked.wanted = epochs_.wanted();
  shared_->client.fetch(std::move(asked), std::move(handler));
}

HttpAnswer TarUrlSamples::get(std::int64_t i) const { return shared_->client.get(request(i)); }

TarUrlSamples::Part::Part(const TarUrlSamples& from, std::int64_t i, const HttpAnswer& answer) {
  const TarSamples::Extent extent = from.samples().extent(i);
  const std::uint64_t size = from.shared_->sizes[extent.archive];
  if (answer.size != 0 && answer.size != size) {
    throw IoError("the sample '" + escape_control_chars(from.samples().name(i)) +
                  "': its archive has changed since it was opened: it had " + std::to_string(size) +
                  " bytes, and has " + std::to_string(answer.size) + "; open the dataset again");
  }
  archive_ = std::make_unique<PartInMemory>(from.samples().name(i), extent.first, answer.body);
}
TarUrlSamples::Part::~Part() = default;

}  // namespace sluice::detail

namespace sluice {

Urls<std::int64_t> urls_of(const std::vector<UrlItem>& items, const HttpOptions& http) {
  return Urls<std::int64_t>(detail::UrlRows(items, http));
}

Urls<std::int64_t> urls_in(const std::string& list, const UrlListOptions& options) {
  return Urls<std::int64_t>(detail::UrlRows(list, options, 1));
}

TarUrls<Bytes, std::int64_t> tar_at(const std::vector<std::string>& urls,
                                    const TarUrlOptions& options) {
  return TarUrls<Bytes, std::int64_t>(urls, options);
}

}  // namespace sluice
