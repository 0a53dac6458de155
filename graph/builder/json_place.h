// JsonPlace: a value in a JSON file and its location there. Accessors that fail throw an error with
// that location. Internal to saved_plan.cpp.
//
// Only json_place.cpp includes the JSON library, which is slow to compile.
//
// Ownership: refers to the document and the file's name. Threads: like a pointer. Errors:
// BuildError, "FILE at /steps/2/arguments: ...".
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace sluice::detail {

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

}  // namespace sluice::detail
