// Plans as JSON. to_json() writes a plan: pipeline.save() puts it into a file, and SavedPlan
// (saved_plan.h) reads it. plan_json.cpp writes plans, and reads and writes constants.
// saved_plan.cpp reads plans, and has JsonPlace. Both are here and not in plan/, because a plan is
// read by recording it. Files are written and opened in ops/operators.cpp, which knows all
// operators.
//
// The JSON holds the plan as it was described, before any pass: the types of slots, the steps in
// their order as operators with versions and arguments, branches and loops with their blocks, and
// the outputs of the source. Slots are numbered in the order in which steps make them, so that the
// same program produces the same text. Derived data is left out: the nesting implies the scopes,
// and the reader makes new storage for loops.
//
// Threads: pure functions. Errors: to_json() throws BuildError, with advice, for anything that a
// file cannot hold: user functions, and operators and value types that are not registered. Readers
// throw BuildError that names the place in the file.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/plan/plan_text.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace sluice::detail {

class OperatorRegistry;

inline constexpr const char* kPlanFormat = "sluice plan";
inline constexpr int kPlanVersion = 1;
// The greatest nesting depth of arrays and objects.
inline constexpr int kPlanDepth = 256;

std::string to_json(const Plan& plan, const OperatorRegistry& registry);

// JsonPlace: a value in a JSON file and its location there. Accessors that fail throw an error with
// that location. Readers use it, so that only two sources include the JSON library, which is slow
// to compile.
//
// Ownership: refers to the document and the file's name. Threads: like a pointer. Errors:
// BuildError, "FILE at /steps/2/arguments: ...".

class JsonPlace {
 public:
  using Json = nlohmann::json;
  JsonPlace(const Json& json, const std::string& file, std::string pointer = "")
      : json_(&json), file_(&file), pointer_(std::move(pointer)) {}

  [[noreturn]] void fail(const std::string& what) const;

  bool is_object() const;
  bool is_text() const;
  bool has(const char* name) const;
  // The names of the fields, in order. Fails unless this is an object.
  std::vector<std::string> names() const;
  std::string compact() const;  // the whole value, without white space
  // Fails unless this is an object with no other fields than these.
  void only(std::initializer_list<const char*> names) const;
  JsonPlace field(const std::string& name) const;
  // Fails unless this is an array.
  std::size_t size() const;
  JsonPlace at(std::size_t i) const;

  const std::string& text() const;
  // A name. Fails for control characters, which would break error messages.
  const std::string& printable_text() const;
  bool boolean() const;
  std::int64_t integer(std::int64_t low, std::int64_t high) const;
  std::uint64_t unsigned_integer() const;
  double number() const;
  float narrow_number() const;  // fails if the number is beyond the range of a float

 private:
  const Json* json_;
  const std::string* file_;
  std::string pointer_;
};

// Parses text. Fails if it is not JSON, if an object has a name twice, or if arrays and objects are
// nested deeper than `depth`.
std::shared_ptr<const nlohmann::json> parse_json(const std::string& text, const std::string& file,
                                                 int depth);

// Reads a constant with its type: {"i32": 5}.
Constant typed_constant(const JsonPlace& place);
// Reads a constant for the parameter: a plain number or text, or a typed one if the parameter takes
// several types.
Constant constant_of(const JsonPlace& place, const Parameter& parameter);

}  // namespace sluice::detail
