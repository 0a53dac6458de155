#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/boxes.h>
#include <sluice/ops/kernels/boxes.h>

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

namespace sluice {

const detail::OperatorPtr& detail::rows_of_operator() {
  static const OperatorPtr op =
      declare_operator("rows_of")
          .family("boxes")
          .summary("A list of numbers as a tensor with rows: boxes, points.")
          .in_cpp("rows_of(weights, 4)")
          .input<std::vector<float>>("numbers")
          .constant<std::int32_t>("columns", {.low = 1, .high = 65535, .help = "numbers of a row"})
          .output<Tensor>("rows")
          .infers([](const Arguments&, const std::vector<TensorSpec>&) {
            return std::vector<TensorSpec>{
                {.dtype = DType::f32, .layout = Layout::none, .rank = 2}};
          })
          .runs([](const std::vector<float>& numbers, std::int32_t columns, Tensor& out) {
            const auto count = static_cast<std::int64_t>(numbers.size());
            if (count % columns != 0) {
              throw std::invalid_argument(
                  fmt::format("rows_of: {} numbers do not make rows of {}", count, columns));
            }
            out.create({count / columns, columns}, DType::f32);
            std::copy(numbers.begin(), numbers.end(), out.data<float>());
          });
  return op;
}

const detail::OperatorPtr& detail::labels_of_operator() {
  static const OperatorPtr op = declare_operator("labels_of")
                                    .family("boxes")
                                    .summary("A list of whole numbers as a tensor.")
                                    .in_cpp("labels_of(classes)")
                                    .input<std::vector<std::int64_t>>("numbers")
                                    .output<Tensor>("labels")
                                    .infers([](const Arguments&, const std::vector<TensorSpec>&) {
                                      return std::vector<TensorSpec>{
                                          {.dtype = DType::i64, .layout = Layout::none, .rank = 1}};
                                    })
                                    .runs([](const std::vector<std::int64_t>& numbers,
                                             Tensor& out) { kernels::write_rows(numbers, out); });
  return op;
}

Value<Tensor> rows_of(Value<std::vector<float>> numbers, int columns) {
  return apply_operator<Tensor>(detail::rows_of_operator(), numbers, columns);
}
Value<Tensor> labels_of(Value<std::vector<std::int64_t>> numbers) {
  return apply_operator<Tensor>(detail::labels_of_operator(), numbers);
}

}  // namespace sluice
