#include <sluice/graph/builder/json_constants.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>

namespace sluice::detail {
namespace {

double wide_of(const JsonPlace& place) {
  if (!place.is_text()) return place.number();
  const std::string& text = place.text();
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (text == "inf") return std::numeric_limits<double>::infinity();
  if (text == "-inf") return -std::numeric_limits<double>::infinity();
  place.fail("must be a number, or one of 'nan', 'inf' and '-inf'");
}

template <class T>
T number_of(const JsonPlace& place) {
  if constexpr (std::is_same_v<T, bool>) {
    return place.boolean();
  } else if constexpr (std::is_same_v<T, std::uint64_t>) {
    return place.unsigned_integer();
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(
        place.integer(std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
  } else if constexpr (std::is_same_v<T, double>) {
    return wide_of(place);
  } else {
    if (place.is_text()) return static_cast<T>(static_cast<float>(wide_of(place)));
    return static_cast<T>(place.narrow_number());
  }
}

Rectangle rectangle_of(const JsonPlace& place) {
  place.only({"y", "x", "height", "width"});
  const auto number = [&](const char* name) {
    return static_cast<std::int32_t>(place.field(name).integer(INT32_MIN, INT32_MAX));
  };
  return {number("y"), number("x"), number("height"), number("width")};
}

std::vector<double> numbers_of(const JsonPlace& place) {
  std::vector<double> all;
  for (std::size_t i = 0; i < place.size(); ++i) all.push_back(place.at(i).narrow_number());
  return all;
}

}  // namespace

Constant typed_constant(const JsonPlace& place) {
  if (!place.is_object() || place.names().size() != 1)
    place.fail(R"(must be a slot, as {"slot": 3}, or a constant and its type, as {"i32": 5})");
  place.only({"bool", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f16", "f32", "f64",
              "text", "rectangle", "numbers"});
  const std::string type = place.names().front();
  const JsonPlace value = place.field(type);
  std::optional<Number> number;
  for_each_number_type([&]<class T>(std::type_identity<T>, std::string_view name) {
    if (type == name) number = number_of<T>(value);
  });
  if (number) return *number;
  if (type == "text") return value.text();
  if (type == "rectangle") return rectangle_of(value);
  return numbers_of(value);
}

Constant constant_of(const JsonPlace& place, const Parameter& parameter) {
  switch (parameter.type) {
    case ParameterType::boolean:
      return place.boolean();
    case ParameterType::integer:
      return static_cast<std::int32_t>(place.integer(INT32_MIN, INT32_MAX));
    case ParameterType::wide_integer:
      return place.integer(INT64_MIN, INT64_MAX);
    case ParameterType::number:
      return place.narrow_number();
    case ParameterType::wide_number:
      return place.number();
    case ParameterType::text:
    case ParameterType::choice:
      return place.text();
    case ParameterType::rectangle:
      return rectangle_of(place);
    case ParameterType::numbers:
      return numbers_of(place);
    case ParameterType::any_number:
    case ParameterType::any_whole:
    case ParameterType::any:
    case ParameterType::value_type:
      break;
  }
  return typed_constant(place);
}

}  // namespace sluice::detail
