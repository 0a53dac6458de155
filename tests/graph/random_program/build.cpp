#include "tests/graph/random_program/build.h"

#include "tests/graph/random_program/run_graph.h"

#include <cctype>
#include <cstring>

namespace sluice::random_program {

extern template Observed run_graph_of<std::int64_t>(const Program&, const Setting&);
extern template Observed run_graph_of<Image>(const Program&, const Setting&);
extern template Observed run_graph_of<std::string>(const Program&, const Setting&);

// Uses several widths, so that batches are sometimes dense and sometimes ragged.
void Carrier<Image>::encode(std::int64_t x, Image& out) {
  out.create(1, static_cast<int>(sizeof x) + (x % 7 == 3 ? 8 : 0), 1);
  std::memset(out.data(), 0, out.row_bytes());
  std::memcpy(out.data(), &x, sizeof x);
}

std::int64_t Carrier<Image>::decode(const Image& image) {
  if (image.empty()) throw std::logic_error("the image is empty");
  std::int64_t x = 0;
  std::memcpy(&x, image.data(), sizeof x);
  return x;
}

std::string without_numbers(const std::string& text) {
  std::string rest;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '#') {
      rest += text[i];
      continue;
    }
    while (i + 1 < text.size() && std::isdigit(static_cast<unsigned char>(text[i + 1])) != 0) ++i;
  }
  return rest;
}

Observed run_graph(const Program& program, const Setting& setting) {
  switch (setting.form) {
    case Form::number:
      return run_graph_of<std::int64_t>(program, setting);
    case Form::image:
      return run_graph_of<Image>(program, setting);
    default:
      return run_graph_of<std::string>(program, setting);
  }
}

std::string to_string(const Setting& setting) {
  static constexpr const char* kForms[] = {"numbers", "images", "texts"};
  return std::to_string(setting.samples) + " samples as " + kForms[static_cast<int>(setting.form)] +
         ", " + std::to_string(setting.threads) + " threads, batches of " +
         std::to_string(setting.batch_size) + ", window " + std::to_string(setting.window) +
         ", seed " + std::to_string(setting.seed) + ", " + std::to_string(setting.epochs) +
         " epochs" + (setting.compact ? ", compact" : "");
}

}  // namespace sluice::random_program
