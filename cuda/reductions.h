// The versions of mean, min, max and standard_deviation that run on devices.
//
// Ownership: kept for as long as the process. Threads: one. Errors: BuildError when it is called a
// second time.
#pragma once

namespace sluice::device {

bool add_reductions();

}  // namespace sluice::device
