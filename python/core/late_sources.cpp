// Binds asynchronous sources: files and archives at URLs, and archives that are read from front to
// end.
#include "description.h"
#include "dynamic_source.h"
#include "errors.h"
#include "options.h"
#include "pack_rows.h"
#include "text.h"
#include "values.h"
#include <sluice/graph/completion.h>
#include <sluice/graph/exec/sample.h>
#include <sluice/graph/plan/slot.h>
#include <sluice/graph/plan/source_record.h>
#include <sluice/graph/sources/values.h>
#include <sluice/io/http/packs.h>
#include <sluice/io/http/request.h>
#include <sluice/io/http/url.h>
#include <sluice/io/http/urls.h>
#include <sluice/io/jpeg/index.h>
#include <sluice/io/readers/csv_cell.h>
#include <sluice/io/readers/files.h>
#include <sluice/io/readers/list.h>
#include <sluice/io/readers/tar.h>
#include <sluice/io/readers/tar_stream.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/sample_key.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace sluice::python {
namespace {

// Converts the answer of a server to a row.
class RowOfAnswer final : public detail::ResponseHandler {
 public:
  using Make = std::function<Row(detail::HttpAnswer)>;
  RowOfAnswer(Completion<Row> done, Make make) : done_(std::move(done)), make_(std::move(make)) {}
  Bytes allocate(std::size_t size) override {
    const detail::StepScope scope(done_);
    return Bytes(size);
  }
  void take(detail::HttpAnswer answer) override {
    try {
      Row row;
      {
        const detail::StepScope scope(done_);
        row = make_(std::move(answer));
      }
      (void)done_.set(std::move(row));
    } catch (...) {
      (void)done_.fail(std::current_exception());
    }
  }
  void fail(std::string_view what) noexcept override { (void)done_.fail(what); }

 private:
  Completion<Row> done_;
  Make make_;
};

class TarsAtUrls {
 public:
  TarsAtUrls(const Names& urls, const TarUrlOptions& options, const Tables& types)
      : from_(urls, options, types.size()), types_(types), readers_(readers_of_tar(types)) {}
  const detail::TarSamples& samples() const { return from_.samples(); }

  void operator()(Completion<Row> done, const SampleInfo& info) const {
    const auto make = [this, i = info.index](const detail::HttpAnswer& answer) {
      const detail::TarUrlSamples::Part part(from_, i, answer);
      const OfTar sample(samples(), i, part.archive());
      return row_of(types_, readers_, sample);
    };
    from_.fetch(info.index, std::make_unique<RowOfAnswer>(std::move(done), make));
  }
  void begin_epoch(const EpochInfo&) const { from_.begin_epoch(); }
  void end_epoch() const noexcept { from_.end_epoch(); }

 private:
  detail::TarUrlSamples from_;
  Tables types_;
  std::vector<ReadColumn<const OfTar>> readers_;
};

SlotsAndLeftOut read_tar_at(Description& self, const Names& urls, const Names& columns,
                            const Names& types, const nb::dict& options,
                            const std::shared_ptr<JpegIndex>& index, nb::handle offsets,
                            const nb::dict& http) {
  (void)self.open();
  const SourceOptions source_options = source_options_of(self, options);
  const TarUrlOptions how{.columns = columns,
                          .offsets = path_of(offsets),
                          .index = index,
                          .http = http_options_of(http)};
  DynamicSource source{.name = "read", .types = tables_of(types)};
  std::shared_ptr<const TarsAtUrls> archives;
  {
    const nb::gil_scoped_release unlocked;  // it may wait for servers
    archives = std::make_shared<const TarsAtUrls>(urls, how, source.types);
  }
  const detail::TarSamples& samples = archives->samples();
  source.samples = samples.size();
  source.name_of = [archives](const SampleKey& key) { return archives->samples().name(key.index); };
  source.dataset.fingerprint = [archives] { return archives->samples().fingerprint(); };
  read_later(source, archives);
  return {add_source(self, std::move(source), source_options), words_of(samples.left_out())};
}

using PackUrlRow = PackRow<detail::PackUrlSamples>;

class PacksAtUrls {
 public:
  PacksAtUrls(const Names& urls, const PackUrlOptions& options, const Tables& columns)
      : from_(urls, options, columns.size()),
        columns_(columns),
        readers_(readers_of_packs<detail::PackUrlSamples>(columns)) {}
  const detail::PackUrlSamples& samples() const { return from_; }

  void operator()(Completion<Row> done, const SampleInfo& info) const {
    const PackUrlRow row{from_, info.index};
    auto made = std::make_shared<Row>(row_of(columns_, readers_, row));
    const auto make = [this, made, i = info.index](detail::HttpAnswer answer) {
      OwnedValue file = make_value(detail::slot_type<Bytes>());
      *static_cast<Bytes*>(file.get()) = from_.taken(i, std::move(answer));
      made->insert(made->begin(), std::move(file));
      return std::move(*made);
    };
    from_.fetch(info.index, std::make_unique<RowOfAnswer>(std::move(done), make));
  }
  void begin_epoch(const EpochInfo&) const { from_.begin_epoch(); }
  void end_epoch() const noexcept { from_.end_epoch(); }

 private:
  detail::PackUrlSamples from_;
  Tables columns_;
  std::vector<ReadColumn<const PackUrlRow>> readers_;
};

Slots read_packs_at(Description& self, const Names& urls, const Names& columns, const Names& types,
                    const nb::dict& options, const nb::dict& http) {
  (void)self.open();
  const SourceOptions source_options = source_options_of(self, options);
  const PackUrlOptions how{.columns = columns, .http = http_options_of(http)};
  const Tables tables = tables_of(types);
  std::shared_ptr<const PacksAtUrls> packs;
  {
    const nb::gil_scoped_release unlocked;  // it may wait for servers
    packs = std::make_shared<const PacksAtUrls>(urls, how, tables);
  }
  DynamicSource source{.name = "read", .samples = packs->samples().size(), .types = tables};
  source.types.insert(source.types.begin(), &table_of("bytes"));
  source.name_of = [packs](const SampleKey& key) { return packs->samples().name(key.index); };
  source.dataset.fingerprint = [packs] { return packs->samples().fingerprint(); };
  read_later(source, packs);
  return add_source(self, std::move(source), source_options);
}

// A list's rows, or URLs with labels and checksums.
class FilesAtUrls {
 public:
  FilesAtUrls(detail::UrlRows rows, const Tables& columns)
      : rows_(std::move(rows)),
        columns_(columns),
        readers_(readers_of<const detail::ListRow>(
            columns,
            [this]<class T>(const detail::ListRow& row, std::size_t column,
                            std::type_identity<T>) -> T {
              if constexpr (CellType<T>) {
                return rows_.get<T>(row, column);
              } else {  // read_urls() refuses it
                return {};
              }
            })) {}
  FilesAtUrls(const FilesAtUrls&) = delete;
  FilesAtUrls& operator=(const FilesAtUrls&) = delete;
  ~FilesAtUrls() = default;
  const detail::UrlRows& rows() const { return rows_; }

  void operator()(Completion<Row> done, const SampleInfo& info) const {
    const detail::ListRow row = rows_.row(info.index);
    auto made = std::make_shared<Row>(row_of(columns_, readers_, row));
    const auto make = [this, made](detail::HttpAnswer answer) {
      OwnedValue file = make_value(detail::slot_type<Bytes>());
      *static_cast<Bytes*>(file.get()) = rows_.taken(std::move(answer));
      made->insert(made->begin(), std::move(file));
      return std::move(*made);
    };
    rows_.fetch(row, std::make_unique<RowOfAnswer>(std::move(done), make));
  }
  void begin_epoch(const EpochInfo&) const { rows_.begin_epoch(); }
  void end_epoch() const noexcept { rows_.end_epoch(); }

 private:
  detail::UrlRows rows_;
  Tables columns_;
  std::vector<ReadColumn<const detail::ListRow>> readers_;
};

Slots read_urls(Description& self, detail::UrlRows rows, const Names& types,
                const nb::dict& options) {
  const Tables columns = tables_of(types);
  for (const TypeTable* column : columns) {
    if (column->type == detail::slot_type<Bytes>()) {
      throw BuildError(
          "sluice.urls(): a column cannot be 'bytes': each sample is one file; put several files "
          "of a "
          "sample into archives, and use sluice.tar()");
    }
  }
  DynamicSource source{.name = "read", .samples = rows.size(), .types = columns};
  source.types.insert(source.types.begin(), &table_of("bytes"));
  const auto files = std::make_shared<const FilesAtUrls>(std::move(rows), columns);
  source.name_of = [files](const SampleKey& key) { return files->rows().name(key.index); };
  source.dataset.fingerprint = [files] { return files->rows().fingerprint(); };
  read_later(source, files);
  return add_source(self, std::move(source), source_options_of(self, options));
}

Slots read_url_list(Description& self, nb::handle list, const Names& columns, const Names& types,
                    const nb::dict& options, const std::shared_ptr<JpegIndex>& index,
                    const nb::dict& http, const std::string& url, const std::string& base,
                    const std::string& checksum, nb::handle format, const Names& names) {
  (void)self.open();
  const UrlListOptions how{.url = url,
                           .columns = columns,
                           .base = base,
                           .checksum = checksum,
                           .format = list_format_of(format),
                           .names = names,
                           .index = index,
                           .http = http_options_of(http)};
  return read_urls(self, detail::UrlRows(path_of(list), how, types.size()), types, options);
}

using UrlOfPython = std::tuple<std::string, std::int64_t, std::string>;

Slots read_url_items(Description& self, const std::vector<UrlOfPython>& items,
                     const nb::dict& options, const nb::dict& http) {
  (void)self.open();
  std::vector<UrlItem> all;
  all.reserve(items.size());
  for (const auto& [url, label, checksum] : items) all.emplace_back(url, label, checksum);
  return read_urls(self, detail::UrlRows(all, http_options_of(http)), {"i64"}, options);
}

// One pass through archives that are read from front to end.
class StreamedRows final : public detail::Stream<Row> {
 public:
  using Pass = detail::TarStreaming::Pass;
  StreamedRows(std::shared_ptr<detail::TarStreaming> from, const Tables& types,
               const std::vector<ReadColumn<Pass>>& readers)
      : pass_(std::move(from)), types_(types), readers_(readers) {}
  std::optional<Row> next() override {
    if (!pass_.next()) return {};
    return row_of(types_, readers_, pass_);
  }
  bool goes_on() const override { return !pass_.is_over(); }
  void stop() noexcept override { pass_.stop(); }

 private:
  Pass pass_;
  const Tables& types_;
  const std::vector<ReadColumn<Pass>>& readers_;
};

class StreamedTars {
 public:
  // `tell` is called with the files that an epoch left out, as text.
  StreamedTars(const Names& archives, const TarStreamOptions& options, Tables types, Function tell)
      : streaming_(
            std::make_shared<detail::TarStreaming>(archives, options, types.size(), nullptr)),
        types_(std::move(types)),
        readers_(readers_of<StreamedRows::Pass>(
            types_, []<class T>(StreamedRows::Pass& pass, std::size_t column,
                                std::type_identity<T>) { return pass.get<T>(column); })),
        tell_(std::move(tell)),
        values_(
            [this](const EpochInfo&) {
              return std::make_unique<StreamedRows>(streaming_, types_, readers_);
            },
            options.cycle) {}
  StreamedTars(const StreamedTars&) = delete;
  StreamedTars& operator=(const StreamedTars&) = delete;
  ~StreamedTars() = default;

  std::string name(std::int64_t position) const { return streaming_->name(position); }
  std::string fingerprint() const { return streaming_->fingerprint(); }
  void operator()(Completion<Row> done, const SampleInfo& info) const {
    values_(std::move(done), info);
  }
  void begin_epoch(const EpochInfo& info) const {
    streaming_->begin_epoch(info);
    values_.begin_epoch(info);
  }
  void end_epoch() const noexcept {
    values_.end_epoch();
    try {
      const std::string left_out = words_of(streaming_->left_out());
      if (!left_out.empty()) call_python([&] { tell_.get()(to_str(left_out)); });
    } catch (const std::exception&) {  // Python has ended, or memory is short
    }
  }

 private:
  std::shared_ptr<detail::TarStreaming> streaming_;
  Tables types_;
  std::vector<ReadColumn<StreamedRows::Pass>> readers_;
  Function tell_;
  Values<Row> values_;  // last: its thread uses all of the above
};

Slots read_tar_stream(Description& self, const nb::list& archives, const Names& columns,
                      const Names& types, const nb::dict& options,
                      const std::shared_ptr<JpegIndex>& index, const nb::object& tell) {
  (void)self.open();
  TarStreamOptions how = tar_stream_options_of(options);
  how.columns = columns;
  how.index = index;
  DynamicSource source{
      .name = "read", .samples = kUntilEnd, .types = tables_of(types), .in_order = true};
  const auto from = std::make_shared<const StreamedTars>(paths_of(archives), how, source.types,
                                                         Function(self.py_refs, tell));
  source.name_of = [from](const SampleKey& key) { return from->name(key.index); };
  source.dataset.fingerprint = [from] { return from->fingerprint(); };
  read_later(source, from);
  return add_source(self, std::move(source), {});
}

}  // namespace

void bind_late_sources(nb::module_& module, nb::class_<Description>& description) {
  module.def("can_read_urls", can_read_urls);
  module.def("shown_url", [](const std::string& url) { return to_str(detail::shown_url(url)); });
  description
      .def("read_tar_at", read_tar_at, nb::arg("urls"), nb::arg("columns"), nb::arg("types"),
           nb::arg("options"), nb::arg("index").none(), nb::arg("offsets"), nb::arg("http"))
      .def("read_packs_at", read_packs_at, nb::arg("urls"), nb::arg("columns"), nb::arg("types"),
           nb::arg("options"), nb::arg("http"))
      .def("read_url_list", read_url_list, nb::arg("list"), nb::arg("columns"), nb::arg("types"),
           nb::arg("options"), nb::arg("index").none(), nb::arg("http"), nb::arg("url"),
           nb::arg("base"), nb::arg("checksum"), nb::arg("format").none(), nb::arg("names"))
      .def("read_url_items", read_url_items, nb::arg("items"), nb::arg("options"), nb::arg("http"))
      .def("read_tar_stream", read_tar_stream, nb::arg("archives"), nb::arg("columns"),
           nb::arg("types"), nb::arg("options"), nb::arg("index").none(), nb::arg("tell"));
}

}  // namespace sluice::python
