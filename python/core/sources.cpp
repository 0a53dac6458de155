// Binds the library's sources on this machine: folders, lists and archives of files, MNIST and
// CIFAR, values in memory.
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
#include <sluice/io/readers/mnist_cifar.h>
#include <sluice/io/readers/tar.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/sample_key.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace sluice::python {
namespace {

// Records a dataset of the library with fixed types.
template <class Dataset>
Slots read_dataset(Description& self, Dataset dataset, const nb::dict& options) {
  (void)self.open();
  const SourceOptions how = source_options_of(self, options);
  if (self.order != nullptr) self.order->note_samples(dataset.size());
  auto values = self.graph.read(std::move(dataset), how);
  return std::apply([](const auto&... value) { return Slots{value.slot()...}; }, values);
}

// Files with their names as a third value.
class NamedFiles : public Files {
 public:
  using Sample = std::tuple<Bytes, std::int64_t, std::string>;
  explicit NamedFiles(Files files) : Files(std::move(files)) {}
  Sample operator()(const SampleInfo& info) const {
    return std::tuple_cat(Files::operator()(info), std::tuple(name(info.index)));
  }
};

SlotsAndLeftOut read_files(Description& self, nb::handle folder, const nb::dict& options,
                           const std::shared_ptr<JpegIndex>& index, nb::handle verify,
                           const std::optional<Names>& endings, bool leave_out,
                           const Names& classes, bool allow_empty, bool with_names) {
  FilesOptions how{
      .index = index, .verify = verify_of(verify), .classes = classes, .allow_empty = allow_empty};
  if (endings) how.endings = *endings;
  if (leave_out) how.unreadable = Unreadable::leave_out;
  (void)self.open();
  const Files files = files_in(path_of(folder), how);
  return {with_names ? read_dataset(self, NamedFiles(files), options)
                     : read_dataset(self, files, options),
          words_of(files.left_out())};
}

Slots read_list(Description& self, nb::handle list, const std::string& path, const Names& columns,
                const Names& types, const nb::dict& options,
                const std::shared_ptr<JpegIndex>& index, nb::handle verify, nb::handle folder,
                nb::handle format, const Names& names) {
  const ListOptions how{.path = path,
                        .columns = columns,
                        .format = list_format_of(format),
                        .names = names,
                        .folder = path_of(folder),
                        .index = index,
                        .verify = verify_of(verify)};
  const auto rows = std::make_shared<const detail::ListRows>(path_of(list), how, types.size());
  DynamicSource source{.name = "read", .samples = rows->size()};
  source.types = tables_of(types);
  const auto readers = readers_of<const detail::ListRow>(
      source.types, [rows]<class T>(const detail::ListRow& row, std::size_t column,
                                    std::type_identity<T>) { return rows->get<T>(row, column); });
  source.types.insert(source.types.begin(), &table_of("bytes"));
  source.write = [rows, readers](detail::Sample& sample, const Slots& made,
                                 const SampleInfo& info) {
    const detail::ListRow row = rows->row(info.index);
    for (std::size_t i = 0; i < readers.size(); ++i)
      readers[i](row, i, sample.address(made[i + 1]));
    sample.get<Bytes>(made[0]) = rows->read(info.index, row, info.epoch);
  };
  source.name_of = [rows](const SampleKey& key) { return rows->name(key.index); };
  source.dataset.fingerprint = [rows] { return rows->fingerprint(); };
  source.dataset.reads = [rows] { return rows->reads(); };
  return add_source(self, std::move(source), source_options_of(self, options));
}

SlotsAndLeftOut read_tar(Description& self, const nb::list& archives, const Names& columns,
                         const Names& types, const nb::dict& options,
                         const std::shared_ptr<JpegIndex>& index, nb::handle offsets,
                         bool leave_out_unreadable) {
  TarOptions how{.columns = columns, .offsets = path_of(offsets), .index = index};
  if (leave_out_unreadable) how.unreadable = Unreadable::leave_out;
  const Names paths = paths_of(archives);
  const auto samples = std::make_shared<const detail::TarSamples>(paths, how, types.size());
  DynamicSource source{.name = "read", .samples = samples->size()};
  source.types = tables_of(types);
  const auto readers = readers_of_tar(source.types);
  source.write = [samples, readers](detail::Sample& sample, const Slots& made,
                                    const SampleInfo& info) {
    const OfTar one(*samples, info.index);
    for (std::size_t i = 0; i < readers.size(); ++i) readers[i](one, i, sample.address(made[i]));
  };
  source.name_of = [samples](const SampleKey& key) { return samples->name(key.index); };
  source.dataset.fingerprint = [samples] { return samples->fingerprint(); };
  source.dataset.reads = [samples] { return samples->reads(); };
  return {add_source(self, std::move(source), source_options_of(self, options)),
          words_of(samples->left_out())};
}

// The values of a column in memory.
struct MemoryColumn {
  OwnedValue list;
  // Copies value i.
  void (*take)(const void* list, std::size_t i, void* value);
};

MemoryColumn column_in_memory(const std::string& type, nb::handle given) {
  if (type == "bool") {  // std::vector<bool> has no elements to refer to
    using Bits = std::vector<std::uint8_t>;
    MemoryColumn column{make_value(detail::slot_type<Bits>()),
                        [](const void* from, std::size_t i, void* value) {
                          *static_cast<bool*>(value) = (*static_cast<const Bits*>(from))[i] != 0;
                        }};
    for (const nb::handle one : given) {
      bool bit = false;
      take_value(table_of(type), one, &bit);
      static_cast<Bits*>(column.list.get())->push_back(bit ? 1 : 0);
    }
    return column;
  }
  const TypeTable& list = table_of("list of " + type);
  MemoryColumn column{make_value(list.type), list.type->list().take};
  if (list.type == detail::slot_type<std::vector<Bytes>>()) {
    column.take = [](const void* from, std::size_t i, void* value) {
      *static_cast<Bytes*>(value) =
          Bytes::copy_of((*static_cast<const std::vector<Bytes>*>(from))[i]);
    };
  }
  take_value(list, given, column.list.get());
  return column;
}

// `columns`: lists of the same length, each of the type at its place.
Slots read_memory(Description& self, const nb::list& columns, const Names& types,
                  const nb::dict& options, const std::string& fingerprint) {
  (void)self.open();
  DynamicSource source{.name = "read", .types = tables_of(types)};
  const auto all = std::make_shared<std::vector<MemoryColumn>>();
  for (std::size_t i = 0; i < types.size(); ++i) {
    try {
      all->push_back(column_in_memory(types[i], columns[i]));
    } catch (const std::invalid_argument& error) {
      throw BuildError(fmt::format("sluice.memory(): column {}: {}", i, error.what()));
    }
  }
  const auto size_of = [](const MemoryColumn& column) {
    return column.list.get_deleter().type->list().size(column.list.get());
  };
  source.samples = static_cast<std::int64_t>(size_of(all->front()));
  for (const MemoryColumn& column : *all) {
    if (size_of(column) != size_of(all->front()))
      throw BuildError("sluice.memory(): the columns changed while they were read");
  }
  source.write = [all](detail::Sample& sample, const Slots& made, const SampleInfo& info) {
    for (std::size_t i = 0; i < made.size(); ++i) {
      const MemoryColumn& column = (*all)[i];
      column.take(column.list.get(), static_cast<std::size_t>(info.index), sample.address(made[i]));
    }
  };
  source.name_of = [](const SampleKey& key) { return fmt::format("item {}", key.index); };
  if (!fingerprint.empty()) source.dataset.fingerprint = [fingerprint] { return fingerprint; };
  return add_source(self, std::move(source), source_options_of(self, options));
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
           nb::arg("verify").none(), nb::arg("endings").none(), nb::arg("leave_out"),
           nb::arg("classes"), nb::arg("allow_empty"), nb::arg("with_names"))
      .def("read_list", read_list, nb::arg("list"), nb::arg("path"), nb::arg("columns"),
           nb::arg("types"), nb::arg("options"), nb::arg("index").none(), nb::arg("verify").none(),
           nb::arg("folder"), nb::arg("format").none(), nb::arg("names"))
      .def("read_tar", read_tar, nb::arg("archives"), nb::arg("columns"), nb::arg("types"),
           nb::arg("options"), nb::arg("index").none(), nb::arg("offsets"),
           nb::arg("leave_out_unreadable"))
      .def(
          "read_mnist",
          [](Description& self, nb::handle images, nb::handle labels, const nb::dict& options) {
            return read_dataset(self, mnist_in(path_of(images), path_of(labels)), options);
          },
          nb::arg("images"), nb::arg("labels"), nb::arg("options"))
      .def(
          "read_cifar",
          [](Description& self, const nb::list& files, bool of_100, const nb::dict& options) {
            return of_100 ? read_dataset(self, cifar100_in(paths_of(files)), options)
                          : read_dataset(self, cifar10_in(paths_of(files)), options);
          },
          nb::arg("files"), nb::arg("of_100"), nb::arg("options"))
      .def("read_memory", read_memory, nb::arg("columns"), nb::arg("types"), nb::arg("options"),
           nb::arg("fingerprint"));
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
