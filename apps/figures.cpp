#include "figures.h"

#include "outputs.h"

#include <cstdint>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sluice::app {

void write_figures(const std::string& file, const nlohmann::ordered_json& figures) {
  if (file.empty()) return;
  const std::string text = figures.dump(2) + "\n";
  if (file == "-") {
    fmt::print("{}", text);
    return;
  }
  write_file(file,
             Bytes::copy_of({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}));
}

}  // namespace sluice::app
