#include <sluice/runtime/arithmetic.h>
#include <sluice/runtime/compute.h>

#include <stdexcept>

#include <fmt/format.h>

namespace sluice::detail {
namespace {

struct Words {
  const char *name, *sign;
};
constexpr std::array<Words, 25> kWords{
    {{"add", "+"},         {"subtract", "-"},       {"multiply", "*"},
     {"divide", "/"},      {"remainder", "%"},      {"floor_divide", "//"},
     {"modulo", "mod"},    {"power", "**"},         {"minimum", "min"},
     {"maximum", "max"},   {"bitwise_and", "&"},    {"bitwise_or", "|"},
     {"bitwise_xor", "^"}, {"less", "<"},           {"less_equal", "<="},
     {"greater", ">"},     {"greater_equal", ">="}, {"equal", "=="},
     {"not_equal", "!="},  {"negate", "-"},         {"absolute", "abs"},
     {"sqrt", "sqrt"},     {"exp", "exp"},          {"log", "log"},
     {"not", "!"}}};

const Words& words_of(NumberOperation what) { return kWords.at(static_cast<std::size_t>(what)); }

}  // namespace

const char* name_of(NumberOperation what) { return words_of(what).name; }

void throw_division_by_zero() { throw std::domain_error("integer division by zero"); }

void throw_negative_power() {
  throw std::domain_error("power: an integer has a negative exponent; cast one side to f32 or f64");
}

void throw_overflow(NumberOperation what, const std::string& x, const std::string& y,
                    NumberType type) {
  const auto& [name, sign] = words_of(what);
  const std::string result =
      y.empty() ? fmt::format("{}({})", sign, x) : fmt::format("{} {} {}", x, sign, y);
  throw std::overflow_error(
      fmt::format("{}: the result of {} does not fit into {}; cast to a "
                  "wider or a signed type first",
                  name, result, name_of(type)));
}

void throw_cast(const std::string& number, NumberType type) {
  throw std::range_error(fmt::format(
      "cast: {} does not fit into '{}'; clamp it, or cast to a wider type", number, name_of(type)));
}

std::string text_of(Wide whole) {
  return whole < 0 ? std::to_string(static_cast<std::int64_t>(whole))
                   : std::to_string(static_cast<std::uint64_t>(whole));
}
std::string text_of(double fraction) { return fmt::format("{:g}", fraction); }

}  // namespace sluice::detail
