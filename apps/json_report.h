// Figures: a JSON object that the program prints. Members keep the order in which they were added.
// write_figures: writes the file of `sluice bench --json FILE`.
//
// This header keeps the JSON library out of the sources that print.
//
// Ownership: a movable value. Threads: one. Errors: text() throws for strings that are not UTF-8;
// write_figures also throws IoError.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace sluice::app {

class Figures {
 public:
  Figures();
  Figures(Figures&&) noexcept;
  Figures& operator=(Figures&&) noexcept;
  ~Figures();

  // Adds a member. Each name may be added once.
  void add(const char* name, std::nullptr_t);
  void add(const char* name, bool yes);
  void add(const char* name, int number);
  void add(const char* name, std::int64_t number);
  void add(const char* name, double number);
  void add(const char* name, const char* text);
  void add(const char* name, const std::string& text);
  void add(const char* name, const std::vector<double>& numbers);
  void add(const char* name, const std::vector<std::vector<double>>& rows);
  void add(const char* name, const std::vector<std::string>& texts);
  void add(const char* name, Figures object);
  void add(const char* name, std::vector<Figures> objects);

  // The JSON text, indented by two, without a newline at the end.
  std::string text() const;
  static std::string text_of(std::vector<Figures> objects);

 private:
  std::unique_ptr<nlohmann::ordered_json> json_;
};

// "-" means standard output. An empty name writes nothing.
void write_figures(const std::string& file, const Figures& figures);

}  // namespace sluice::app
