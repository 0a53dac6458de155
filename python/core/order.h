// PythonOrder: a Python function as the order in which an epoch takes the samples of a dataset.
//
// The function takes the number of an epoch and returns all indices of that epoch, of all shards
// together. It must return the same indices each time. The results of the last two epochs are kept.
// The state of a pipeline that stops within an epoch has a hash of the epoch's indices, so a
// pipeline whose function returns other ones cannot continue there.
//
// Ownership: as Function. Threads: any number at once, with or without the GIL; the function may be
// called by several at once. Errors: Error if the function raises an exception or returns anything
// but indices of the dataset.
#pragma once

#include "object.h"
#include <sluice/graph/checkpoint.h>
#include <sluice/graph/sampling/sampler.h>
#include <sluice/runtime/sample_key.h>

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace sluice::python {

class PythonOrder : public std::enable_shared_from_this<PythonOrder> {
 public:
  PythonOrder(std::string name, Function function)
      : name_(std::move(name)), function_(std::move(function)) {}

  const std::string& name() const { return name_; }
  // Call it with the GIL held.
  bool calls(const nb::object& function) const { return function_.get().equal(function); }
  UserOrder user_order();
  // The number of samples of a dataset that has this order; the smallest of several counts.
  void note_samples(std::int64_t samples);

  // Adds the hash of the epoch's indices to the checkpoint's description of the order.
  void mark(Checkpoint& checkpoint) const;
  // Removes it again. Throws BuildError if the function now returns other indices.
  void unmark(Checkpoint& checkpoint) const;

 private:
  using Indices = std::vector<std::int64_t>;
  struct Epoch {
    std::int64_t number = -1;
    std::shared_ptr<const Indices> indices;
  };
  std::shared_ptr<const Indices> of(std::int64_t epoch) const;
  Indices ask(std::int64_t epoch) const;
  std::string hash_text(std::int64_t epoch) const;

  std::string name_;
  Function function_;
  std::int64_t samples_ = kUntilEnd;
  mutable std::mutex mutex_;  // never held while the function runs
  mutable std::array<Epoch, 2> recent_;
};

}  // namespace sluice::python
