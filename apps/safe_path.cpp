#include "safe_path.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace sluice::app {
namespace {

constexpr std::size_t kMostOfAPart = 200;
constexpr std::size_t kMostOfAPath = 1000;

}  // namespace

std::string cut_name(std::string name) {
  if (name.size() <= kMostOfAPart) return name;
  std::size_t begin = name.size() - kMostOfAPart;
  while (begin < name.size() && (name[begin] & '\xc0') == '\x80') ++begin;
  return name.substr(begin);
}

std::string safe_path(std::string_view name) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('/', begin), name.size());
    std::string part(name.substr(begin, end - begin));
    begin = end + 1;
    if (part.empty() || part == "." || part == "..") continue;
    for (char& c : part) {
      if (static_cast<unsigned char>(c) < 0x20 || c == '\x7f') c = '_';
    }
    part = cut_name(std::move(part));
    if (part.empty()) continue;
    if (part.front() == '.') part.front() = '_';
    parts.push_back(std::move(part));
  }
  std::string path;
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    if (path.size() + part->size() >= kMostOfAPath) break;
    path = path.empty() ? std::move(*part) : *part + "/" + path;
  }
  return path.empty() ? "_" : path;
}

}  // namespace sluice::app
