#include <sluice/io/http/client.h>
#include <sluice/io/http/url.h>
#include <sluice/io/http/urls.h>
#include <sluice/io/sources/files.h>
#include <sluice/io/sources/fingerprint.h>
#include <sluice/io/sources/list_file.h>
#include <sluice/runtime/printable.h>

#include <optional>

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

  std::vector<UrlItem> items;    // these,
  std::optional<ListFile> list;  // or those of a list
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
                     "', is no URL; it begins with http://, https:// or s3://");
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
                    "' is no URL; it begins with http://, https:// or s3://");
    return row;
  }
  ListRow row = shared_->list->row(number);
  row.path = joined_url(shared_->base, row.path);
  if (!is_url(row.path)) {
    // The column of the URLs is behind the others.
    shared_->list->fail(row.line, row.cells.size(),
                        "'" + shown_url(row.path) +
                            "' is no URL: it begins with http://, https:// or s3://, or is below "
                            "UrlListOptions::base");
  }
  return row;
}

std::string UrlRows::name(std::int64_t i) const {
  try {
    return shown_url(row(i).path);
  } catch (const Error&) {  // its sample says what is wrong
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
    } catch (const Error&) {  // a row that is wrong is as good as any other one
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

void UrlRows::fetch(const ListRow& row, std::unique_ptr<HttpWaiter> waiter) const {
  HttpRequest asked = request(row);
  asked.wanted = epochs_.wanted();
  shared_->client.fetch(std::move(asked), std::move(waiter));
}

Bytes UrlRows::read(const ListRow& row) const {
  Bytes bytes = shared_->client.get(request(row)).body;
  if (shared_->index != nullptr) bytes.set_index(shared_->index);
  return bytes;
}

Bytes UrlRows::taken(const HttpAnswer& answer) const {
  Bytes bytes = Bytes::copy_of(answer.body);
  if (shared_->index != nullptr) bytes.set_index(shared_->index);
  return bytes;
}

void UrlRows::fail(const ListRow& row, std::size_t column, const char* what) const {
  if (shared_->list) shared_->list->fail(row.line, column, what);
  throw IoError("'" + shown_url(row.path) + "': " + what);
}

}  // namespace sluice::detail
