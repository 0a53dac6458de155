// The operators of the builder itself: draws, constants, arithmetic and what else the functions of
// Graph and the operators on numbers stand for.
//
// Threads: any number at once. Nothing is thrown.
#pragma once

#include <sluice/graph/plan/operator.h>

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace sluice::detail {

template <class T>
inline constexpr bool is_known_constant =
    is_known_number<T> || std::is_same_v<T, std::string> || std::is_same_v<T, Rectangle> ||
    std::is_same_v<T, std::vector<double>>;

const OperatorPtr& uniform_operator();    // (lo, hi)
const OperatorPtr& normal_operator();     // (mean, stddev)
const OperatorPtr& coin_flip_operator();  // (probability)
const OperatorPtr& draw_operator();       // apply_random's: (count) gives (chosen, negative)
const OperatorPtr& magnitude_operator();  // (negative, magnitude, low, high, signed, bins)
const OperatorPtr& constant_operator();   // (value)
const OperatorPtr& filter_operator();     // (predicate), no output
const OperatorPtr& cast_operator();       // (x, to), as cast<T>() does it
const OperatorPtr& convert_operator();    // (x, to), as parameters take values: nothing is lost
// "add", "subtract", ..., "bitwise_and", ..., "less", "negate", "not": (x, y), or (x).
const OperatorPtr& arithmetic_operator(std::string_view name);

// Of loops.
const OperatorPtr& count_operator();     // (x): any whole number as a std::int64_t, as to_count()
const OperatorPtr& list_operator();      // (type of list): empty
const OperatorPtr& append_operator();    // (list, value, length, name), no output: fills the list
const OperatorPtr& appended_operator();  // (list, value): a list with one more
const OperatorPtr& reverse_operator();   // (list)
const OperatorPtr& element_operator();   // (list, index)
const OperatorPtr& slice_operator();     // (tensor, index, axis)
const OperatorPtr& pad_operator();       // (list, length, reverse, name)
const OperatorPtr& stack_operator();     // (list of tensors, length, reverse, name, axis)

// Of devices.
const OperatorPtr& gpu_operator();  // (value): an image or tensor
const OperatorPtr& cpu_operator();  // (value)

// All of them.
std::vector<OperatorPtr> built_in_operators();

}  // namespace sluice::detail
