#include <sluice/graph/builder/json_place.h>
#include <sluice/runtime/error.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sluice::detail {
namespace {

// Shows a value in a message: completely if it is short.
std::string shown(const nlohmann::json& json) {
  constexpr std::size_t kMost = 40;
  if (json.is_structured()) return json.is_array() ? "an array" : "an object";
  std::string text = json.dump(-1, ' ', true);
  return text.size() <= kMost ? text : text.substr(0, kMost) + "...";
}

}  // namespace

void JsonPlace::fail(const std::string& what) const {
  throw BuildError(
      fmt::format("{} at {}: {}", *file_, pointer_.empty() ? "the top" : pointer_, what));
}

bool JsonPlace::is_object() const { return json_->is_object(); }
bool JsonPlace::is_text() const { return json_->is_string(); }
bool JsonPlace::has(const char* name) const { return is_object() && json_->contains(name); }
std::string JsonPlace::compact() const { return json_->dump(); }

std::vector<std::string> JsonPlace::names() const {
  if (!is_object()) fail("must be an object, not " + shown(*json_));
  std::vector<std::string> all;
  for (const auto& item : json_->items()) all.push_back(item.key());
  return all;
}

void JsonPlace::only(std::initializer_list<const char*> names) const {
  for (const std::string& given : this->names()) {
    const auto is_it = [&](const char* name) { return given == name; };
    if (std::any_of(names.begin(), names.end(), is_it)) continue;
    std::string known;
    for (const char* name : names) known += (known.empty() ? "" : ", ") + std::string(name);
    fail("there is no field " + shown(given) + " here; there may be: " + known);
  }
}

JsonPlace JsonPlace::field(const std::string& name) const {
  if (!json_->is_object()) fail("must be an object, not " + shown(*json_));
  const auto found = json_->find(name);
  if (found == json_->end()) fail("the field '" + name + "' is missing");
  std::string escaped;
  for (const char c : name) escaped += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  return {*found, *file_, pointer_ + "/" + escaped};
}

std::size_t JsonPlace::size() const {
  if (!json_->is_array()) fail("must be an array, not " + shown(*json_));
  return json_->size();
}

JsonPlace JsonPlace::at(std::size_t i) const {
  return {json_->at(i), *file_, pointer_ + "/" + std::to_string(i)};
}

const std::string& JsonPlace::text() const {
  if (!json_->is_string()) fail("must be a text, not " + shown(*json_));
  return json_->get_ref<const std::string&>();
}

bool JsonPlace::boolean() const {
  if (!json_->is_boolean()) fail("must be true or false, not " + shown(*json_));
  return json_->get<bool>();
}

std::int64_t JsonPlace::integer(std::int64_t low, std::int64_t high) const {
  if (!json_->is_number_integer()) fail("must be a whole number, not " + shown(*json_));
  const bool fits = !json_->is_number_unsigned() || json_->get<std::uint64_t>() <= INT64_MAX;
  const std::int64_t number = fits ? json_->get<std::int64_t>() : 0;
  if (!fits || number < low || number > high)
    fail(fmt::format("must lie between {} and {}, not {}", low, high, shown(*json_)));
  return number;
}

std::uint64_t JsonPlace::unsigned_integer() const {
  if (!json_->is_number_integer()) fail("must be a whole number, not " + shown(*json_));
  if (!json_->is_number_unsigned() && json_->get<std::int64_t>() < 0)
    fail(fmt::format("must lie between 0 and {}, not {}", UINT64_MAX, shown(*json_)));
  return json_->get<std::uint64_t>();
}

double JsonPlace::number() const {
  if (!json_->is_number()) fail("must be a number, not " + shown(*json_));
  return json_->get<double>();
}

float JsonPlace::narrow_number() const {
  const double wide = number();
  if (std::abs(wide) > FLT_MAX) fail("must be a number of 32 bits, not " + shown(*json_));
  return static_cast<float>(wide);
}

std::shared_ptr<const nlohmann::json> parse_json(const std::string& text, const std::string& file,
                                                 int depth) {
  using Json = nlohmann::json;
  std::vector<std::set<std::string>> names;  // of the open objects
  const auto look = [&](int at, Json::parse_event_t event, Json& parsed) {
    if (at >= depth)
      throw BuildError(
          fmt::format("{}: more than {} arrays and objects lie one inside the other", file, depth));
    if (event == Json::parse_event_t::object_start) names.emplace_back();
    if (event == Json::parse_event_t::object_end) names.pop_back();
    if (event == Json::parse_event_t::key && !names.back().insert(parsed.get<std::string>()).second)
      throw BuildError(file + ": the name " + shown(parsed) + " stands twice in one object");
    return true;
  };
  // The parser would treat a zero byte as the end.
  if (text.find('\0') != std::string::npos)
    throw BuildError(file + " is no JSON: there is a zero byte in it");
  try {
    return std::make_shared<const Json>(Json::parse(text, look));
  } catch (const Json::exception& error) {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: ..."
    const std::string what = error.what();
    throw BuildError(file + " is no JSON: " + what.substr(what.find("] ") + 2));
  }
}

}  // namespace sluice::detail
