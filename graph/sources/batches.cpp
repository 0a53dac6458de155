#include <sluice/graph/sources/batches.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/text.h>

#include <string>

namespace sluice::detail {

void check_batches(std::int64_t count, std::int64_t size, int threads) {
  if (count < 0) {
    throw BuildError("batches_of: there cannot be " + std::to_string(count) +
                     " samples; give the number in an epoch, at least 0, or kUntilEnd");
  }
  constexpr std::int64_t kMostSamples = 1 << 20;
  if (size < 1 || size > kMostSamples) {
    throw BuildError("batches_of: a group cannot have " + std::to_string(size) +
                     " samples; give 1 to 1,048,576");
  }
  constexpr int kMostThreads = 4096;
  if (threads < 0 || threads > kMostThreads) {
    throw BuildError("batches_of: there cannot be " + std::to_string(threads) +
                     " threads; give 1 to 4096, or 0 for the pipeline's");
  }
}

void throw_too_many(const BatchInfo& info, std::size_t given) {
  throw Error("gave " + counted(given, "sample") + " for the group that begins at position " +
              std::to_string(info.first) + ", which has " + std::to_string(info.keys.size()) +
              ": give one for each of BatchInfo::keys, in their order");
}

}  // namespace sluice::detail
