// `sluice index --tar`: writes an index file with the offsets of the files in tar archives. With
// it, archives open without reading their headers.
#pragma once

#include <string>
#include <vector>

namespace sluice::app {

// The file only appears once it is complete. Returns the exit status. Throws UsageError if `out` is
// something else than an index file, and Error for an archive that cannot be read.
int run_tar_offsets(const std::vector<std::string>& archives, const std::string& out);

}  // namespace sluice::app
