// inspect(): runs one sample on the calling thread and keeps everything that it computed.
//
//   const Inspection sample = pipeline.inspect(17);
//   std::puts(sample.path().c_str());                      // "if_else:then/select:branch 3"
//   const Image& turned = sample.get<Image>("rotate");     // what the step named "rotate" made
//
// For a value on a device, get() returns a copy in host memory.
//
// The sample computes exactly what it computes in the pipeline: the same random numbers and the
// same branches. inspect() waits for asynchronous steps. Values live as long as the Inspection.
// Values of a loop are those of its last iteration, unless they were passed on.
//
// Ownership: an Inspection owns the values and outlives the pipeline. Threads: one at a time, since
// even get() may copy. A pipeline may run meanwhile, because steps may run on several threads.
// Errors: a step that throws ends the sample; error() says where and why.
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

  // `plan` as described. Throws std::out_of_range if the sample does not exist.
  Inspection(const detail::Plan& plan, const SampleKey& key, const PipelineOptions& options);
  Inspection(Inspection&&) noexcept;
  ~Inspection();

  // The sample's key.
  const SampleKey& key() const;
  // All values that the sample made, in the order in which they were made.
  const std::vector<Named>& values() const;
  bool has(std::string_view name) const;
  // Returns the value of the step with this name. Throws Error if the sample made none, or one of
  // another type.
  template <class T>
  const T& get(std::string_view name) const {
    return *static_cast<const T*>(find(name, detail::slot_type<T>()));
  }
  // Returns one of values(), for a step that makes several. Throws Error if it has another type.
  template <class T>
  const T& get(const Named& value) const {
    return *static_cast<const T*>(find(value, detail::slot_type<T>()));
  }
  // The branches taken, outermost first: "if_else:then/select:branch 3".
  const std::string& path() const;
  // The error that ended the sample; null if it did not fail.
  const SampleError* error() const;
  // Problems that steps reported without ending the sample.
  const std::vector<SampleError>& warnings() const;
  // True if a filter dropped it.
  bool dropped() const;

 private:
  const void* find(std::string_view name, const detail::SlotType* type) const;
  const void* find(const Named& value, const detail::SlotType* type) const;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sluice
