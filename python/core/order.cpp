#include "order.h"

#include "errors.h"
#include "values.h"
#include <sluice/runtime/error.h>
#include <sluice/runtime/text.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

namespace sluice::python {

UserOrder PythonOrder::user_order() {
  const std::shared_ptr<const PythonOrder> self = shared_from_this();
  return {name_,
          [self](std::int64_t epoch) { return static_cast<std::int64_t>(self->of(epoch)->size()); },
          [self](std::int64_t epoch, std::int64_t place) {
            return (*self->of(epoch))[static_cast<std::size_t>(place)];
          }};
}

void PythonOrder::note_samples(std::int64_t samples) { samples_ = std::min(samples_, samples); }

std::shared_ptr<const PythonOrder::Indices> PythonOrder::of(std::int64_t epoch) const {
  {
    const std::lock_guard lock(mutex_);
    for (const Epoch& one : recent_)
      if (one.number == epoch) return one.indices;
  }
  auto indices = std::make_shared<const Indices>(ask(epoch));
  const std::lock_guard lock(mutex_);
  recent_[0] = std::exchange(recent_[1], {epoch, indices});
  return indices;
}

PythonOrder::Indices PythonOrder::ask(std::int64_t epoch) const {
  const std::string call = fmt::format("order: {}({})", escape_control_chars(name_), epoch);
  Indices indices;
  try {
    call_python([&] {
      const nb::object given = function_.get()(epoch);
      try {
        indices = numbers_of<std::int64_t>(given, "indices of samples");
      } catch (const std::invalid_argument& error) {
        throw Error(std::string("the result: ") + error.what());
      }
    });
  } catch (const Error& error) {
    throw Error(fmt::format("{} failed: {}", call, error.what()));
  }
  for (std::size_t place = 0; place < indices.size(); ++place) {
    if (indices[place] >= 0 && indices[place] < samples_) continue;
    const std::string known =
        samples_ == kUntilEnd ? ""
                              : fmt::format("; the dataset has {}", counted(samples_, "sample"));
    throw Error(fmt::format("{} returned index {} at place {}{}, counted from 0", call,
                            indices[place], place, known));
  }
  return indices;
}

std::string PythonOrder::hash_text(std::int64_t epoch) const {
  const std::shared_ptr<const Indices> indices = of(epoch);
  return fmt::format("; {} indices (hash {:016x}) in epoch {}", indices->size(),
                     sluice::Indices(*indices).hash(), epoch);
}

namespace {

// No sample of the epoch has been delivered, so any order can follow.
bool is_at_start(const Checkpoint& checkpoint) {
  return checkpoint.position == 0 && checkpoint.judged == 0 && checkpoint.done.empty();
}

}  // namespace

void PythonOrder::mark(Checkpoint& checkpoint) const {
  if (!is_at_start(checkpoint)) checkpoint.sampler += hash_text(checkpoint.epoch);
}

void PythonOrder::unmark(Checkpoint& checkpoint) const {
  const std::size_t begin = checkpoint.sampler.rfind("; ");
  if (is_at_start(checkpoint) || begin == std::string::npos) return;
  const std::string saved = checkpoint.sampler.substr(begin), now = hash_text(checkpoint.epoch);
  if (saved != now && saved.find(" indices (hash ") != std::string::npos) {
    throw BuildError(fmt::format(
        "the checkpoint is of another order: '{}' returned{} and now returns{}; it must return the "
        "same indices for an epoch each time, or begin the epoch anew without the checkpoint",
        escape_control_chars(name_), escape_control_chars(saved.substr(1)), now.substr(1)));
  }
  if (saved == now) checkpoint.sampler.resize(begin);
}

}  // namespace sluice::python
