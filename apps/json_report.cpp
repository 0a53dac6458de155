#include "json_report.h"

#include "output_paths.h"

#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sluice::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kIndent = 2;

}  // namespace

Figures::Figures() : json_(std::make_unique<Json>(Json::object())) {}
Figures::Figures(Figures&&) noexcept = default;
Figures& Figures::operator=(Figures&&) noexcept = default;
Figures::~Figures() = default;

void Figures::add(const char* name, std::nullptr_t) { (*json_)[name] = nullptr; }
void Figures::add(const char* name, bool yes) { (*json_)[name] = yes; }
void Figures::add(const char* name, int number) { (*json_)[name] = number; }
void Figures::add(const char* name, std::int64_t number) { (*json_)[name] = number; }
void Figures::add(const char* name, double number) { (*json_)[name] = number; }
void Figures::add(const char* name, const char* text) { (*json_)[name] = text; }
void Figures::add(const char* name, const std::string& text) { (*json_)[name] = text; }
void Figures::add(const char* name, const std::vector<double>& numbers) {
  (*json_)[name] = numbers;
}
void Figures::add(const char* name, const std::vector<std::string>& texts) {
  (*json_)[name] = texts;
}
void Figures::add(const char* name, const std::vector<std::vector<double>>& rows) {
  (*json_)[name] = rows;
}
void Figures::add(const char* name, Figures object) { (*json_)[name] = std::move(*object.json_); }
void Figures::add(const char* name, std::vector<Figures> objects) {
  Json& list = (*json_)[name] = Json::array();
  for (Figures& object : objects) list.push_back(std::move(*object.json_));
}

std::string Figures::text() const { return json_->dump(kIndent); }

std::string Figures::text_of(std::vector<Figures> objects) {
  Json list = Json::array();
  for (Figures& object : objects) list.push_back(std::move(*object.json_));
  return list.dump(kIndent);
}

void write_figures(const std::string& file, const Figures& figures) {
  if (file.empty()) return;
  const std::string text = figures.text() + "\n";
  if (file == "-") {
    fmt::print("{}", text);
    return;
  }
  write_file(file,
             Bytes::copy_of({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}));
}

}  // namespace sluice::app
