// `sluice index --tar`: notes where the files in tar archives lie, and writes that to one file,
// with which the archives open without a look at their headers.
#pragma once

#include <string>
#include <vector>

namespace sluice::app {

// The file appears when it is whole. Returns the exit status. Throws UsageError when `out` is
// something else, and Error for an archive that cannot be read.
int run_tar_offsets(const std::vector<std::string>& archives, const std::string& out);

}  // namespace sluice::app
