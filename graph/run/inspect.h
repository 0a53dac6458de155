// inspect(): one sample, run on the calling thread, with everything that it computed.
//
//   const Inspection sample = pipeline.inspect(17);
//   std::puts(sample.path().c_str());                      // "if_else:then/select:arm 3"
//   const Image& turned = sample.get<Image>("rotate");     // what the step named "rotate" made
//
// Of a value that is on a device, get() gives a copy in the host's memory.
//
// The sample computes exactly what it computes in the pipeline: same random numbers, same arms.
// Steps that wait are waited for. Values are kept until the Inspection goes; those of a loop are of
// its last iteration, where that did not pass them on.
//
// Ownership: an Inspection owns the values and outlives the pipeline. Threads: like a vector, but
// that get() may copy, so that it is for one thread at a time; a pipeline may run meanwhile, since
// steps may run on several threads. Errors: a step that throws ends the sample; error() says where
// and why.
#pragma once

#include <sluice/graph/options.h>
#include <sluice/graph/plan/slot.h>
#include <sluice/runtime/error.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

namespace detail {
struct Plan;
}

class Inspection {
 public:
  struct Named {
    std::string name;       // of the step that made it
    std::string_view type;  // as the compiler spells it
    detail::SlotId slot;
  };

  // `plan` as described. Throws std::out_of_range for a sample that does not exist.
  Inspection(const detail::Plan& plan, const SampleKey& key, const PipelineOptions& options);
  Inspection(Inspection&&) noexcept;
  ~Inspection();

  // Which sample it is.
  const SampleKey& key() const;
  // Every value that the sample made, in the order of making.
  const std::vector<Named>& values() const;
  bool has(std::string_view name) const;
  // The value of the step with this name; throws Error when the sample made none, or one of another
  // type.
  template <class T>
  const T& get(std::string_view name) const {
    return *static_cast<const T*>(find(name, detail::slot_type<T>()));
  }
  // One of values(), where a step makes several. Throws Error when it is of another type.
  template <class T>
  const T& get(const Named& value) const {
    return *static_cast<const T*>(find(value, detail::slot_type<T>()));
  }
  // The arms taken, outermost first: "if_else:then/select:arm 3".
  const std::string& path() const;
  // Why the sample ended early; null when it did not fail.
  const SampleError* error() const;
  // What steps found wrong with it without ending it.
  const std::vector<SampleError>& warnings() const;
  // True when a filter dropped it.
  bool dropped() const;

 private:
  const void* find(std::string_view name, const detail::SlotType* type) const;
  const void* find(const Named& value, const detail::SlotType* type) const;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sluice
