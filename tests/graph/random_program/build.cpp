#include "tests/graph/random_program/build.h"

#include "tests/graph/random_program/run_graph.h"

#include <cctype>
#include <cstring>
#include <stdexcept>
#include <thread>

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

void Faults::meet() {
  if (!armed) return;
  const std::uint64_t call = ++calls_;
  if (call < plan_.at || call >= plan_.at + plan_.count) return;
  switch (plan_.kind) {
    case FaultPlan::Kind::thrown:
      ++met;
      throw std::runtime_error(kInjected);
    case FaultPlan::Kind::slow:
      ++met;
      for (int i = 0; i < 2000; ++i) std::this_thread::yield();
      break;
    case FaultPlan::Kind::cancelled:
      ++met;
      cancel();
      break;
    default:
      break;
  }
}

bool is_of_memory(const std::string& what) {
  return what.find("bad_alloc") != std::string::npos || what.find("memory") != std::string::npos;
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
  static constexpr const char* kFaults[] = {
      "no fault",   "steps throw", "no memory", "no memory of any kind",
      "slow steps", "cancelled",   "left early"};
  return std::to_string(setting.samples) + " samples as " + kForms[static_cast<int>(setting.form)] +
         ", " + std::to_string(setting.threads) + " threads, batches of " +
         std::to_string(setting.batch_size) + ", window " + std::to_string(setting.window) +
         ", seed " + std::to_string(setting.seed) + ", " + std::to_string(setting.epochs) +
         " epochs" + (setting.compact ? ", compact" : "") + ", " +
         kFaults[static_cast<int>(setting.fault.kind)] + " at " + std::to_string(setting.fault.at) +
         " for " + std::to_string(setting.fault.count);
}

}  // namespace sluice::random_program
