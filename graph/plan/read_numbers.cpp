#include <sluice/graph/plan/number_types.h>
#include <sluice/graph/plan/operator.h>
#include <sluice/runtime/compute.h>
#include <sluice/runtime/tensor.h>
#include <sluice/runtime/visit_dtype.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <type_traits>

#include <fmt/format.h>

namespace sluice::detail {
void read_numbers(std::string_view op, const Parameter& parameter, const Tensor& tensor,
                  std::span<float> numbers) {
  const auto refuse = [&](const std::string& what) {
    throw std::invalid_argument(fmt::format("{}: {} is given {}", op, parameter.name, what));
  };
  if (tensor.dtype() == DType::boolean) refuse("a tensor of bool; give one of numbers");
  const Shape& shape = tensor.shape();
  const auto count = static_cast<std::size_t>(shape.rank == 1 ? shape[0] : 1);
  const bool whole = shape.rank <= 1 && count == numbers.size();
  const bool fewer = shape.rank <= 1 && (count == 1 || (count > 2 && count < numbers.size()));
  if (!whole && !fewer) {
    refuse(fmt::format(
        "a tensor of shape {}; give one dimension of {}{} numbers, or one number for all",
        to_string(shape), numbers.size() == 4 ? "3 or " : "", numbers.size()));
  }
  const auto* rest = parameter.default_value
                         ? std::get_if<std::vector<double>>(&*parameter.default_value)
                         : nullptr;
  if (count < numbers.size() && rest != nullptr)
    std::transform(rest->begin(), rest->end(), numbers.begin(),
                   [](double number) { return static_cast<float>(number); });
  const std::int64_t step = shape.rank == 1 ? tensor.strides()[0] : 0;
  visit_dtype(tensor.dtype(), [&]<class T>(std::type_identity<T>) {
    for (std::size_t i = 0; i < count; ++i) {
      const T element = tensor.data<T>()[static_cast<std::int64_t>(i) * step];
      const auto number = static_cast<double>(plain(element));
      if (!parameter.allows(number) || !fits(number, numbers[i])) {
        Parameter one = parameter;
        one.name = fmt::format("{}[{}]", parameter.name, i);
        throw_refused(op, one, number);
      }
    }
  });
  if (count == 1) std::fill(numbers.begin(), numbers.end(), numbers.front());
}

}  // namespace sluice::detail
