// Binds the library's sources: folders, lists and archives of files.
#include "description.h"
#include "dynamic_source.h"
#include "options.h"
#include "text.h"
#include "values.h"
#include <sluice/graph/exec/sample.h>
#include <sluice/graph/plan/slot.h>
#include <sluice/io/jpeg/index.h>
#include <sluice/io/readers/files.h>
#include <sluice/io/readers/list.h>
#include <sluice/io/readers/tar.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/sample_key.h>

#include <functional>
#include <memory>
#include <string_view>

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace sluice::python {
namespace {

using Names = std::vector<std::string>;

// Calls visit for each type that a column of a list or an archive can have.
template <class Visit>
void for_each_column_type(Visit&& visit) {
  visit(std::type_identity<Bytes>());
  visit(std::type_identity<std::int32_t>());
  visit(std::type_identity<std::int64_t>());
  visit(std::type_identity<float>());
  visit(std::type_identity<double>());
  visit(std::type_identity<bool>());
  visit(std::type_identity<std::string>());
  visit(std::type_identity<std::vector<float>>());
  visit(std::type_identity<std::vector<std::int64_t>>());
}

// Reads column i of a `From` into a slot.
template <class From>
using ReadColumn = std::function<void(const From&, std::size_t, void*)>;

template <class From, class Read>
std::vector<ReadColumn<From>> readers_of(const Tables& types, const Read& read) {
  std::vector<ReadColumn<From>> readers;
  for (const TypeTable* table : types) {
    ReadColumn<From> reader;
    for_each_column_type([&]<class T>(std::type_identity<T> type) {
      if (table->type != detail::slot_type<T>()) return;
      reader = [read, type](const From& from, std::size_t column, void* value) {
        *static_cast<T*>(value) = read(from, column, type);
      };
    });
    if (!reader) {
      throw BuildError(fmt::format(
          "a column cannot be read as '{}'; it can be bytes (the file that it names), i32, i64, "
          "f32, f64, bool, text, list of f32 or list of i64",
          table->name));
    }
    readers.push_back(std::move(reader));
  }
  return readers;
}

// The values of a source, and the files it leaves out, as text.
using Read = std::pair<Slots, std::string>;

Read read_files(Description& self, nb::handle folder, const nb::dict& options,
                const std::shared_ptr<JpegIndex>& index, const std::optional<Names>& endings,
                bool leave_out, const Names& classes, bool allow_empty) {
  FilesOptions how{.index = index, .classes = classes, .allow_empty = allow_empty};
  if (endings) how.endings = *endings;
  if (leave_out) how.unreadable = Unreadable::leave_out;
  (void)self.open();
  const Files files = files_in(path_of(folder), how);
  auto [jpeg, label] = self.graph.read(files, source_options_of(options));
  return {{jpeg.slot(), label.slot()}, words_of(files.left_out())};
}

Slots read_list(Description& self, nb::handle list, const std::string& path, const Names& columns,
                const Names& types, const nb::dict& options,
                const std::shared_ptr<JpegIndex>& index, nb::handle folder) {
  const ListOptions how{
      .path = path, .columns = columns, .folder = path_of(folder), .index = index};
  const auto rows = std::make_shared<const detail::ListRows>(path_of(list), how, types.size());
  DynamicSource source{.name = "read", .samples = rows->size()};
  source.types = tables_of(types);
  const auto readers = readers_of<detail::ListRow>(
      source.types, [rows]<class T>(const detail::ListRow& row, std::size_t column,
                                    std::type_identity<T>) { return rows->get<T>(row, column); });
  source.types.insert(source.types.begin(), &table_of("bytes"));
  source.write = [rows, readers](detail::Sample& sample, const Slots& made,
                                 const SampleInfo& info) {
    const detail::ListRow row = rows->row(info.index);
    for (std::size_t i = 0; i < readers.size(); ++i)
      readers[i](row, i, sample.address(made[i + 1]));
    sample.get<Bytes>(made[0]) = rows->read(info.index, row);
  };
  source.name_of = [rows](const SampleKey& key) { return rows->name(key.index); };
  source.dataset.fingerprint = [rows] { return rows->fingerprint(); };
  source.dataset.reads = [rows] { return rows->reads(); };
  return add_source(self, std::move(source), source_options_of(options));
}

Read read_tar(Description& self, const nb::list& archives, const Names& columns, const Names& types,
              const nb::dict& options, const std::shared_ptr<JpegIndex>& index,
              nb::handle offsets) {
  const TarOptions how{.columns = columns, .offsets = path_of(offsets), .index = index};
  Names paths;
  for (const nb::handle archive : archives) paths.push_back(path_of(archive));
  const auto samples = std::make_shared<const detail::TarSamples>(paths, how, types.size());
  DynamicSource source{.name = "read", .samples = samples->size()};
  source.types = tables_of(types);
  using One = detail::TarSamples::Sample;
  const auto readers = readers_of<One>(
      source.types, []<class T>(const One& sample, std::size_t column, std::type_identity<T>) {
        return sample.get<T>(column);
      });
  source.write = [samples, readers](detail::Sample& sample, const Slots& made,
                                    const SampleInfo& info) {
    const One one(*samples, info.index);
    for (std::size_t i = 0; i < readers.size(); ++i) readers[i](one, i, sample.address(made[i]));
  };
  source.name_of = [samples](const SampleKey& key) { return samples->name(key.index); };
  source.dataset.fingerprint = [samples] { return samples->fingerprint(); };
  source.dataset.reads = [samples] { return samples->reads(); };
  return {add_source(self, std::move(source), source_options_of(options)),
          words_of(samples->left_out())};
}

// The folder's files without requiring any; only its classes are needed.
Files class_folders(nb::handle folder, const std::optional<Names>& endings) {
  FilesOptions how{.allow_empty = true};
  if (endings) how.endings = *endings;
  return files_in(path_of(folder), how);
}

}  // namespace

void bind_sources(nb::class_<Description>& description) {
  description
      .def("read_files", read_files, nb::arg("folder"), nb::arg("options"), nb::arg("index").none(),
           nb::arg("endings").none(), nb::arg("leave_out"), nb::arg("classes"),
           nb::arg("allow_empty"))
      .def("read_list", read_list, nb::arg("list"), nb::arg("path"), nb::arg("columns"),
           nb::arg("types"), nb::arg("options"), nb::arg("index").none(), nb::arg("folder"))
      .def("read_tar", read_tar, nb::arg("archives"), nb::arg("columns"), nb::arg("types"),
           nb::arg("options"), nb::arg("index").none(), nb::arg("offsets"));
}

void bind_index(nb::module_& module) {
  module.def(
      "classes",
      [](nb::handle folder, const std::optional<Names>& endings) {
        nb::list names;
        const Files found = class_folders(folder, endings);
        for (const std::string& name : found.classes()) names.append(to_str(name));
        return names;
      },
      nb::arg("folder"), nb::arg("endings").none());
  module.def(
      "require_same_classes",
      [](nb::handle one, nb::handle other, const std::optional<Names>& endings) {
        require_same_classes(class_folders(one, endings), class_folders(other, endings));
      },
      nb::arg("one"), nb::arg("other"), nb::arg("endings").none());
  nb::class_<JpegIndex>(module, "JpegIndex",
                        "Index of where rows begin in JPEG files, so that regions decode alone.")
      .def_static(
          "in_memory", [] { return JpegIndex::in_memory(); },
          "An index in memory that learns from each file that it sees.")
      .def_static(
          "open", [](nb::handle path) { return JpegIndex::open(path_of(path)); }, nb::arg("path"),
          "An index file that `sluice index` wrote.");
}

}  // namespace sluice::python
