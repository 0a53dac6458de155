// Binds packs: their reader, their writer, and the unpacking of one packed JPEG.
#include "caller.h"
#include "description.h"
#include "dynamic_source.h"
#include "options.h"
#include "pack_rows.h"
#include "text.h"
#include "values.h"
#include "words.h"
#include <sluice/graph/exec/sample.h>
#include <sluice/io/packs/pack_in.h>
#include <sluice/io/packs/pack_writer.h>
#include <sluice/io/readers/files.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/sample_key.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace sluice::python {
namespace {

std::span<const std::uint8_t> span_of(const nb::bytes& bytes) {
  return {static_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}

Slots read_packs(Description& self, const nb::list& paths, const Names& columns, const Names& types,
                 const nb::dict& options) {
  (void)self.open();
  const PackOptions how{.columns = columns};
  const auto samples =
      std::make_shared<const detail::PackSamples>(paths_of(paths), how, types.size());
  DynamicSource source{.name = "read", .samples = samples->size()};
  source.types = tables_of(types);
  const auto readers = readers_of_packs<detail::PackSamples>(source.types);
  source.types.insert(source.types.begin(), &table_of("bytes"));
  source.write = [samples, readers](detail::Sample& sample, const Slots& made,
                                    const SampleInfo& info) {
    const PackRow<detail::PackSamples> row{*samples, info.index};
    for (std::size_t i = 0; i < readers.size(); ++i)
      readers[i](row, i, sample.address(made[i + 1]));
    sample.get<Bytes>(made[0]) = samples->read(info.index);
  };
  source.name_of = [samples](const SampleKey& key) { return samples->name(key.index); };
  source.dataset.fingerprint = [samples] { return samples->fingerprint(); };
  source.dataset.reads = [samples] { return samples->reads(); };
  return add_source(self, std::move(source), source_options_of(self, options));
}

std::vector<std::string> texts_of(const nb::list& cells) {
  std::vector<std::string> texts;
  for (const nb::handle cell : cells) texts.push_back(bytes_of(cell));
  return texts;
}

// A PackWriter whose calls Ctrl-C ends. Other Python threads run while files are read and packed.
class Packing {
 public:
  Packing(const std::string& folder, std::vector<std::string> columns,
          const PackWriterOptions& options)
      : writer_(folder, std::move(columns), options) {}

  // `file` returns the file's bytes. It is not called for a file that is in a finished pack.
  template <class F>
  void add(const F& file, const std::vector<std::string>& cells) {
    run([&] { writer_.add(writer_.to_skip() > 0 ? Bytes() : file(), cells); });
  }
  void finish() {
    run([&] { writer_.finish(); });
  }
  PackStats stats() const { return writer_.stats(); }

 private:
  void run(const std::function<void()>& f) {
    caller_.run(f, require_no_signal, [this] { writer_.cancel(); });
  }
  PackWriter writer_;
  Caller caller_{"sluice.pack()"};
};

void make_writer(Packing* at, nb::handle folder, const nb::list& columns, std::int64_t pack_bytes,
                 int threads, bool resume) {
  const PackWriterOptions how{.pack_bytes = pack_bytes, .threads = threads, .resume = resume};
  const std::string path = path_of(folder);
  std::vector<std::string> names = texts_of(columns);
  const nb::gil_scoped_release unlocked;
  new (at) Packing(path, std::move(names), how);
}

void add_bytes(Packing& packing, const nb::bytes& content, const nb::list& cells) {
  const auto bytes = span_of(content);
  packing.add([&] { return Bytes::copy_of(bytes); }, texts_of(cells));
}

void add_file(Packing& packing, nb::handle path, const nb::list& cells) {
  const std::string name = path_of(path);
  packing.add([&] { return read_file(name); }, texts_of(cells));
}

nb::dict stats_of(const Packing& packing) {
  const PackStats stats = packing.stats();
  nb::dict reasons;
  for (const auto& [reason, count] : stats.reasons) reasons[to_str(in_python(reason))] = count;
  nb::dict all;
  all["files"] = stats.files;
  all["skipped"] = stats.skipped;
  all["packed"] = stats.packed;
  all["stored"] = stats.stored;
  all["file_bytes"] = stats.file_bytes;
  all["pack_bytes"] = stats.pack_bytes;
  all["packs"] = stats.packs;
  all["reasons"] = reasons;
  return all;
}

// Returns (path, name below the folder, label) of each file, and what is left out.
nb::tuple files_to_pack(nb::handle folder, const std::optional<Names>& endings,
                        const Names& classes, bool allow_empty) {
  FilesOptions how{.classes = classes, .allow_empty = allow_empty};
  if (endings) how.endings = *endings;
  const Files files = files_in(path_of(folder), how);
  nb::list all;
  for (std::int64_t i = 0; i < files.size(); ++i) {
    const std::string& path = files.name(i);
    std::size_t begin = files.folder().size();
    while (begin < path.size() && path[begin] == '/') ++begin;
    all.append(nb::make_tuple(to_str(path), to_str(path.substr(begin)), files.label(i)));
  }
  return nb::make_tuple(all, words_of(files.left_out()));
}

// Packs hold other files as they are, so these are returned.
nb::bytes unpack(const nb::bytes& packed) {
  const std::span<const std::uint8_t> content = span_of(packed);
  if (!is_packed_jpeg(content)) return packed;
  std::vector<std::uint8_t> file;
  {
    const nb::gil_scoped_release unlocked;
    file = unpack_jpeg(content);
  }
  return nb::bytes(file.data(), file.size());
}

}  // namespace

void bind_packs(nb::module_& module, nb::class_<Description>& description) {
  description.def("read_packs", read_packs, nb::arg("paths"), nb::arg("columns"), nb::arg("types"),
                  nb::arg("options"));
  nb::class_<Packing>(module, "PackWriter", "Writes packs. One thread at a time may call it.")
      .def("__init__", make_writer, nb::arg("folder"), nb::arg("columns"), nb::arg("pack_bytes"),
           nb::arg("threads"), nb::arg("resume"))
      .def("add", add_bytes, nb::arg("content"), nb::arg("cells"))
      .def("add_file", add_file, nb::arg("path"), nb::arg("cells"))
      .def("finish", &Packing::finish)
      .def("stats", stats_of);
  module.def("files_to_pack", files_to_pack, nb::arg("folder"), nb::arg("endings").none(),
             nb::arg("classes"), nb::arg("allow_empty"));
  module.def("unpack", unpack, nb::arg("packed"));
}

}  // namespace sluice::python
