#include <sluice/runtime/function.h>

#include <functional>

namespace sluice::detail {

void throw_bad_function_call() { throw std::bad_function_call(); }

}  // namespace sluice::detail
