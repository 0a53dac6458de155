// rows_of: a list of numbers, as a column of a dataset gives it, as a tensor with rows: boxes,
// points; and labels_of, the same of whole numbers, one for each.
//
//   auto [file, numbers, classes] = g.read(list_in<std::vector<float>, std::vector<std::int64_t>>(
//       "train.jsonl", {.columns = {"boxes", "labels"}}));
//   auto boxes = rows_of(numbers, 4);
//   auto labels = labels_of(classes);
//
// | operator  | takes                     | gives                     |
// |-----------|---------------------------|---------------------------|
// | rows_of   | std::vector<float>        | Tensor, f32, n x columns  |
// | labels_of | std::vector<std::int64_t> | Tensor, i64, n            |
//
// Errors of a sample: numbers that do not fill the last row.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/runtime/tensor.h>

#include <cstdint>
#include <vector>

namespace sluice {

// columns: 1 to 65535.
Value<Tensor> rows_of(Value<std::vector<float>> numbers, int columns);
Value<Tensor> labels_of(Value<std::vector<std::int64_t>> numbers);

namespace detail {
const OperatorPtr& rows_of_operator();
const OperatorPtr& labels_of_operator();
}  // namespace detail

}  // namespace sluice
