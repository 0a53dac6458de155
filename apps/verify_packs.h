// verify_packs(): reads packs back and compares them with the files that they were made of, for
// `sluice pack --verify`.
//
// Each sample must have the columns of its file, must unpack to the same bytes, and must decode to
// the same pixels, or fail to decode as the file does. Threads: any number at once. Errors: Error
// that names the first sample that differs; Ctrl-C ends it early.
#pragma once

#include "pack_source.h"

#include <cstdint>
#include <string>
#include <vector>

namespace sluice::app {

// `samples`: the numbers in the source of the samples of the packs in `folder`. Returns the exit
// status: 0, or 128 plus the signal that ended it.
int verify_packs(const PackSource& source, const std::vector<std::int64_t>& samples,
                 const std::string& folder, int threads);

}  // namespace sluice::app
