// Python's functions on several samples at once: sources that give them together, and what mixes
// the samples of a batch.
#include "array.h"
#include "description.h"
#include "errors.h"
#include "options.h"
#include "text.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nanobind/stl/string.h>

namespace sluice::python {
namespace {

// A dataset for Graph::read: function(indices, epoch) gives a list of samples, each of which is any
// object.
class PythonBatches {
 public:
  using Sample = Object;

  PythonBatches(const Function& function, std::int64_t count, std::int64_t size, int threads,
                std::optional<Function> name_of, std::string fingerprint)
      : groups_(count, size,
                [function, ends = count == kUntilEnd](const BatchInfo& info) {
                  return call(function, info, ends);
                },
                {.threads = threads}),
        name_of_(std::move(name_of)),
        fingerprint_(std::move(fingerprint)) {}

  std::int64_t size() const { return groups_.size(); }
  std::string name(std::int64_t index) const {
    return name_of_ ? name_by(*name_of_, index) : std::string();
  }
  std::string fingerprint() const { return fingerprint_; }
  void begin_epoch(const EpochInfo& info) const { groups_.begin_epoch(info); }
  void end_epoch() const noexcept { groups_.end_epoch(); }
  void operator()(Completion<Sample> done, const SampleInfo& info) const {
    groups_(std::move(done), info);
  }

 private:
  using Call = std::function<std::vector<Object>(const BatchInfo&)>;

  static std::vector<Object> call(const Function& function, const BatchInfo& info, bool ends) {
    std::vector<Object> samples;
    call_python(
        [&] {
          nb::list indices;
          for (const SampleKey& key : info.keys) indices.append(key.index);
          const nb::object given = function.get()(indices, info.epoch);
          if (!nb::isinstance<nb::list>(given) && !nb::isinstance<nb::tuple>(given)) {
            throw std::invalid_argument(fmt::format("a list of {} samples is expected, not {}",
                                                    info.keys.size(),
                                                    message_of(nb::repr(given.type()))));
          }
          for (const nb::handle sample : given) samples.emplace_back(nb::borrow(sample));
        },
        ends ? Ends::by_stop_or_index : Ends::never);
    return samples;
  }

  Batches<Call> groups_;
  std::optional<Function> name_of_;
  std::string fingerprint_;
};

SlotId add_batches(Description& self, const nb::object& function, std::int64_t count,
                   std::int64_t size, const nb::dict& options, const nb::object& name_of,
                   const std::string& fingerprint) {
  (void)self.open();
  SourceOptions how = source_options_of(options);
  const int threads = std::exchange(how.threads, 0);  // the dataset's own
  std::optional<Function> names;
  if (!name_of.is_none()) names.emplace(self.kept, name_of);
  PythonBatches batches(Function(self.kept, function), count < 0 ? kUntilEnd : count, size, threads,
                        std::move(names), fingerprint);
  return self.graph.read(std::move(batches), how).slot();
}

// Calls f with the pictures, which are images or tensors, and the labels.
template <class F>
auto with_pictures(const Pictures& images, const F& f) {
  return images.images() != nullptr ? f(*images.images()) : f(*images.tensors());
}
const TensorBatch& tensors_of(const Pictures& column, const char* what) {
  const TensorBatch* const tensors = column.tensors();
  if (tensors == nullptr) throw Error(fmt::format("{} are tensors, not pictures", what));
  return *tensors;
}

nb::tuple to_tuple(const Mixed& mixed) {
  const Rectangle& region = mixed.region;
  return nb::make_tuple(mixed.weight,
                        nb::make_tuple(region.y, region.x, region.height, region.width));
}

BatchKey key_of(std::uint64_t seed, std::int64_t epoch, std::int64_t batch) {
  return {.seed = seed, .epoch = epoch, .batch = batch};
}

}  // namespace

void bind_batches(nb::module_& module, nb::class_<Description>& description) {
  description.def("python_batches", add_batches, nb::arg("function"), nb::arg("count"),
                  nb::arg("size"), nb::arg("options"), nb::arg("name_of").none(),
                  nb::arg("fingerprint"));
  module.def("mix_up", [](const Pictures& images, const Pictures& labels, std::uint64_t seed,
                          std::int64_t epoch, std::int64_t batch, float alpha) {
    return with_pictures(images, [&](const auto& pictures) {
      return to_tuple(mix_up(pictures, tensors_of(labels, "mix_up: labels"),
                             key_of(seed, epoch, batch), {.alpha = alpha}));
    });
  });
  module.def("cut_mix", [](const Pictures& images, const Pictures& labels, std::uint64_t seed,
                           std::int64_t epoch, std::int64_t batch, float alpha) {
    return with_pictures(images, [&](const auto& pictures) {
      return to_tuple(cut_mix(pictures, tensors_of(labels, "cut_mix: labels"),
                              key_of(seed, epoch, batch), {.alpha = alpha}));
    });
  });
}

}  // namespace sluice::python
