#include <sluice/runtime/size_limit.h>

#include <string>

namespace sluice::detail {

void SizeLimit::refuse(const ValueSpec& spec, std::size_t most) {
  throw TooLarge("a value of shape " + to_string(spec.shape) + " and type " + name_of(spec.dtype) +
                 " is too large (got " + std::to_string(spec.bytes()) +
                 " bytes, expected at most max_image_bytes = " + std::to_string(most) +
                 "); ask for a smaller one, or raise max_image_bytes");
}

}  // namespace sluice::detail
