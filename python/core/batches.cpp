// Python functions on several samples at once: sources that return them together, and functions
// that mix the samples of a batch.
#include "array.h"
#include "description.h"
#include "dynamic_source.h"
#include "errors.h"
#include "options.h"
#include "text.h"
#include <sluice/graph/builder/argument.h>
#include <sluice/graph/builder/dataset.h>
#include <sluice/graph/completion.h>
#include <sluice/graph/exec/capture_error.h>
#include <sluice/graph/exec/column.h>
#include <sluice/graph/exec/sample.h>
#include <sluice/graph/plan/source_record.h>
#include <sluice/graph/sources/batches.h>
#include <sluice/ops/batch.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/sample_key.h>
#include <sluice/runtime/take_ownership.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace sluice::python {

// One of the samples that a function returned together, until it is written to its slots.
struct OneOfSeveral {
  using ToSlots = std::function<void(detail::Sample&, const Slots&, const Object&)>;
  Object given;
  const ToSlots* to_slots = nullptr;
};

}  // namespace sluice::python

template <>
struct sluice::detail::results<sluice::python::OneOfSeveral> {
  template <Origin = Origin::step>
  static void write(Sample& sample, const std::vector<SlotId>& slots, python::OneOfSeveral&& one) {
    (*one.to_slots)(sample, slots, one.given);
  }
};

namespace sluice::python {
namespace {

// function(indices, epoch) returns a list with an object for each index, or fewer if the epoch
// ends. function.each(object) converts one object to the sample's values.
class PythonBatches {
 public:
  PythonBatches(const Function& function, const Function& each, const Tables& types,
                std::int64_t count, std::int64_t size, int threads)
      : to_slots_([each, types](detail::Sample& sample, const Slots& slots, const Object& given) {
          const detail::WorkScope scope(sample.plan());
          call_python([&] { take_results(sample, slots, types, each.get()(given.get())); });
        }),
        groups_(count, size,
                [this, function](const BatchInfo& info) { return call(function, info); },
                {.threads = threads, .fewer_end = true}) {}
  PythonBatches(const PythonBatches&) = delete;
  PythonBatches& operator=(const PythonBatches&) = delete;
  ~PythonBatches() = default;

  void begin_epoch(const EpochInfo& info) const { groups_.begin_epoch(info); }
  void end_epoch() const noexcept { groups_.end_epoch(); }
  void ask(Completion<OneOfSeveral> done, const SampleInfo& info) const {
    groups_(std::move(done), info);
  }

 private:
  std::vector<OneOfSeveral> call(const Function& function, const BatchInfo& info) const {
    std::vector<OneOfSeveral> samples;
    call_python([&] {
      nb::list indices;
      for (const SampleKey& key : info.keys) indices.append(key.index);
      const nb::object given = function.get()(indices, info.epoch);
      for (const nb::handle sample : given)
        samples.push_back({Object(nb::borrow(sample)), &to_slots_});
    });
    return samples;
  }

  const OneOfSeveral::ToSlots to_slots_;
  Batches<OneOfSeveral> groups_;
};

Slots add_batches(Description& self, const std::string& name, const nb::object& function,
                  std::int64_t count, std::int64_t size, const std::vector<std::string>& types,
                  const nb::dict& options, const nb::object& name_of,
                  const std::string& fingerprint) {
  (void)self.open();
  SourceOptions how = source_options_of(self, options);
  const int threads = std::exchange(how.threads, 0);  // for calls of the function
  DynamicSource source = python_source(self, name, count, types, name_of, fingerprint);
  const auto batches = std::make_shared<const PythonBatches>(
      Function(self.py_refs, function), Function(self.py_refs, nb::object(function.attr("each"))),
      source.types, source.samples, size, threads);
  const auto gate = std::make_shared<detail::EpochGate>();
  source.epoch = detail::epoch_hooks(batches, gate);
  source.ask = [batches, gate, samples = source.samples](detail::Sample& sample, const Slots& made,
                                                         const SampleInfo& info) {
    Completion<OneOfSeveral> done(sample, made);
    if (info.index >= samples)  // this source has ended, another one has not
      return (void)done.fail(std::make_exception_ptr(EndOfEpoch()));
    const auto ask = [&] { batches->ask(std::move(done), info); };
    if (sample.is_alone()) return ask();
    gate->pass(ask);
  };
  return add_source(self, std::move(source), how);
}

// Calls f with the column, which has images or tensors.
template <class F>
auto with_images(const ArrayColumn& images, const F& f) {
  return images.images() != nullptr ? f(*images.images()) : f(*images.tensors());
}
TensorBatch& tensors_of(const ArrayColumn& column, const char* what) {
  TensorBatch* const tensors = column.tensors();
  if (tensors == nullptr) throw Error(fmt::format("{} are tensors, not images", what));
  return *tensors;
}

nb::tuple to_tuple(const Mixed& mixed) {
  const Rectangle& region = mixed.region;
  return nb::make_tuple(mixed.weight,
                        nb::make_tuple(region.y, region.x, region.height, region.width));
}

// Returns (y, x, quadrant) for each sample that changed, and None for the others.
nb::list list_of_mosaics(const std::vector<Mosaic>& done) {
  nb::list all;
  for (const Mosaic& one : done) {
    all.append(one.joined ? nb::object(nb::make_tuple(one.y, one.x, one.place)) : nb::none());
  }
  return all;
}

BatchKey key_of(std::uint64_t seed, std::int64_t epoch, std::int64_t batch) {
  return {.seed = seed, .epoch = epoch, .batch = batch};
}

}  // namespace

void bind_batches(nb::module_& module, nb::class_<Description>& description) {
  description.def("python_batches", add_batches, nb::arg("name"), nb::arg("function"),
                  nb::arg("count"), nb::arg("size"), nb::arg("types"), nb::arg("options"),
                  nb::arg("name_of").none(), nb::arg("fingerprint"));
  module.def("mix_up", [](const ArrayColumn& images, const ArrayColumn& labels, std::uint64_t seed,
                          std::int64_t epoch, std::int64_t batch, float alpha) {
    return with_images(images, [&](const auto& column) {
      return to_tuple(mix_up(column, tensors_of(labels, "mix_up: labels"),
                             key_of(seed, epoch, batch), {.alpha = alpha}));
    });
  });
  module.def(
      "mosaic",
      [](const ArrayColumn& images, const ArrayColumn* boxes, const ArrayColumn* labels,
         std::uint64_t seed, std::int64_t epoch, std::int64_t batch, float min_center,
         float max_center, float probability, float min_area, float min_visibility) {
        const MosaicOptions options{.min_center = min_center,
                                    .max_center = max_center,
                                    .probability = probability,
                                    .min_area = min_area,
                                    .min_visibility = min_visibility};
        const BatchKey key = key_of(seed, epoch, batch);
        return with_images(images, [&](const auto& column) {
          if (boxes == nullptr) return list_of_mosaics(mosaic(column, key, options));
          return list_of_mosaics(mosaic(column, tensors_of(*boxes, "mosaic: boxes"),
                                        tensors_of(*labels, "mosaic: labels"), key, options));
        });
      },
      nb::arg("images"), nb::arg("boxes").none(), nb::arg("labels").none(), nb::arg("seed"),
      nb::arg("epoch"), nb::arg("batch"), nb::arg("min_center"), nb::arg("max_center"),
      nb::arg("probability"), nb::arg("min_area"), nb::arg("min_visibility"));
  module.def("cut_mix", [](const ArrayColumn& images, const ArrayColumn& labels, std::uint64_t seed,
                           std::int64_t epoch, std::int64_t batch, float alpha) {
    return with_images(images, [&](const auto& column) {
      return to_tuple(cut_mix(column, tensors_of(labels, "cut_mix: labels"),
                              key_of(seed, epoch, batch), {.alpha = alpha}));
    });
  });
}

}  // namespace sluice::python
