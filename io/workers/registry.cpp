#include <sluice/io/workers/registry.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/printable.h>

#include <map>

namespace sluice::detail {
namespace {

struct Named {
  WorkerEntry entry;
  bool twice = false;
};

// Made by whoever gives the first name.
std::map<std::string, Named, std::less<>>& named() {
  static auto* const all = new std::map<std::string, Named, std::less<>>();
  return *all;
}

}  // namespace

bool add_worker(std::string_view name, WorkerEntry entry) noexcept {
  const auto [place, is_new] = named().try_emplace(std::string(name));
  if (is_new) {
    place->second.entry = std::move(entry);
  } else {
    place->second.twice = true;
  }
  return is_new;
}

const WorkerEntry* find_worker(std::string_view name) {
  const auto found = named().find(name);
  if (found == named().end()) return nullptr;
  if (found->second.twice) {
    throw BuildError("SLUICE_WORKER gives the name '" + printable(name) +
                     "' twice: give one of the two readers another name");
  }
  return &found->second.entry;
}

std::string no_such_worker(std::string_view name) {
  std::string all;
  for (const auto& [other, entry] : named()) {
    if (!all.empty()) all += ", ";
    all += "'" + printable(other) + "'";
  }
  return "the program has no SLUICE_WORKER(\"" + printable(name) +
         "\", ...); it has: " + (all.empty() ? "none" : all) +
         ". One that lies in a static library is there if something else of its file is used";
}

}  // namespace sluice::detail
