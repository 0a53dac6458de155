#include <sluice/io/readers/environment.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/text.h>

#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

namespace sluice {
namespace {

using detail::Environment;

// A launcher and the variables that it sets.
struct Launcher {
  const char* name;
  const char* rank;
  const char* size;
  const char* local;
};
constexpr Launcher kTorchrun{"torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK"};
constexpr Launcher kOpenMpi{"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
                            "OMPI_COMM_WORLD_LOCAL_RANK"};
constexpr Launcher kPmi{"PMI", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"};
constexpr Launcher kSlurm{"Slurm", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID"};
constexpr Launcher kOldSlurm{"Slurm", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID"};

constexpr const char* kCure =
    "; fix or unset them, or set the option shard (--shard I/N of the program)";

[[noreturn]] void refuse(const std::string& what) {
  throw BuildError("the environment does not say which process of the job this is: " + what +
                   kCure);
}

// Returns "RANK=3", or "RANK is not set".
std::string shown(const Environment& environment, const char* name) {
  const char* const value = environment(name);
  return value == nullptr ? std::string(name) + " is not set"
                          : std::string(name) + "=" + escape_control_chars(value);
}

std::string shown(const Environment& environment, const Launcher& launcher) {
  std::string text = shown(environment, launcher.rank) + ", " + shown(environment, launcher.size);
  if (environment(launcher.local) != nullptr) text += ", " + shown(environment, launcher.local);
  return text;
}

// Returns the number if the text is only digits and not too large.
std::optional<std::int64_t> number_in(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

std::int64_t number_of(const Environment& environment, const char* name) {
  const auto number = number_in(environment(name));
  if (!number) refuse(shown(environment, name) + " is not a number");
  return *number;
}

std::optional<Rank> found(const Environment& environment, const Launcher& launcher) {
  const bool has_rank = environment(launcher.rank) != nullptr;
  const bool has_size = environment(launcher.size) != nullptr;
  const bool has_local = environment(launcher.local) != nullptr;
  if (!has_rank && !has_size && !has_local) return std::nullopt;
  if (!has_rank || !has_size) {
    refuse(shown(environment, launcher) + ", where " + launcher.name + " sets " + launcher.rank +
           " and " + launcher.size);
  }
  Rank rank;
  rank.from = launcher.name;
  rank.index = number_of(environment, launcher.rank);
  rank.count = number_of(environment, launcher.size);
  if (has_local) rank.local = number_of(environment, launcher.local);
  if (rank.index >= rank.count || rank.local >= rank.count)
    refuse(shown(environment, launcher) + ", where ranks are below the size, counted from 0");
  return rank;
}

// True if srun has started this process. Steps above 0xfffffff0 are not started by srun: the batch
// script, and the shell that salloc opens (SLURM_MAX_NORMAL_STEP_ID in slurm.h).
bool in_step(const Environment& environment) {
  const char* const step = environment("SLURM_STEP_ID");
  if (step == nullptr) return false;
  const auto number = number_in(step);
  if (!number) refuse(shown(environment, "SLURM_STEP_ID") + " is not a number");
  return *number <= 0xfffffff0;
}

struct Claim {
  Launcher launcher;
  Rank rank;
};

std::vector<Claim> claims_in(const Environment& environment) {
  std::vector<Launcher> launchers = {kTorchrun, kOpenMpi, kPmi};
  if (in_step(environment))
    launchers.push_back(environment(kSlurm.size) != nullptr ? kSlurm : kOldSlurm);
  std::vector<Claim> claims;
  for (const Launcher& launcher : launchers) {
    if (const auto rank = found(environment, launcher)) claims.push_back({launcher, *rank});
  }
  return claims;
}

// True if the processes of `outer` can have started those of `inner`.
bool go_together(const Environment& environment, const Claim& inner, const Claim& outer) {
  if (inner.rank.count != outer.rank.count) return inner.rank.count > outer.rank.count;
  const bool own_numbers = std::string_view(inner.launcher.name) == kTorchrun.name &&
                           environment("TORCHELASTIC_RUN_ID") != nullptr;
  return own_numbers || inner.rank.index == outer.rank.index;
}

}  // namespace

namespace detail {

Rank rank_of(const Environment& environment) {
  const std::vector<Claim> claims = claims_in(environment);
  if (claims.empty()) {
    if (environment("PMIX_RANK") == nullptr) return {};
    refuse(shown(environment, "PMIX_RANK") +
           ", but nothing says how many there are, as WORLD_SIZE with RANK would");
  }
  for (std::size_t i = 1; i < claims.size(); ++i) {
    if (go_together(environment, claims.front(), claims[i])) continue;
    refuse("as " + std::string(claims.front().launcher.name) + " has it, " +
           shown(environment, claims.front().launcher) + ", but as " + claims[i].launcher.name +
           " has it, " + shown(environment, claims[i].launcher));
  }
  return claims.front().rank;
}

}  // namespace detail

Rank rank_of_environment() {
  return detail::rank_of([](const char* name) -> const char* { return std::getenv(name); });
}

Shard shard_of_environment() {
  const Rank rank = rank_of_environment();
  return {rank.index, rank.count};
}

}  // namespace sluice
