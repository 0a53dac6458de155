// BatchKey: which batch it is, for what is drawn for it as a whole; see Pipeline::batch_step().
#pragma once

#include <cstdint>

namespace sluice {

struct BatchKey {
  std::uint64_t seed = 0;  // of the pipeline
  std::int64_t epoch = 0;
  std::int64_t batch = 0;
};

}  // namespace sluice
