// last_before: finds which of several consecutive ranges contains a position.
//
// A plain function without state, for the host and for kernels.
#pragma once

#include <sluice/cuda/device_view.h>

namespace sluice::device {

// Returns the index of the last of `count` ranges that does not begin after `at`; begin_of(i)
// ascends with i. Returns 0 if all begin after it.
template <class Number, class BeginOf>
SLUICE_HOST_DEVICE Number last_before(Number count, Number at, const BeginOf& begin_of) {
  Number low = 0, high = count;
  while (high - low > 1) {
    const Number middle = low + (high - low) / 2;
    if (begin_of(middle) <= at) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace sluice::device
