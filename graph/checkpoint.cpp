#include <sluice/graph/checkpoint.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/text.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

namespace sluice {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "sluice checkpoint";
constexpr int kVersion = 1;
constexpr std::string_view kMembers[] = {"format",  "version", "epoch",  "position", "batch",
                                         "errors",  "judged",  "shards", "done",     "seed",
                                         "sampler", "dataset", "plan",   "gpu",      "states"};

// Reads the members of an object, and names the invalid one in errors.
class Reader {
 public:
  Reader(const Json& json, std::string name) : json_(json), name_(std::move(name)) {}

  std::int64_t number(const char* member, std::int64_t least = 0) const {
    const Json& value = at(member);
    if (!value.is_number_integer() || !fits(value) || value.get<std::int64_t>() < least) {
      wrong(member, "a whole number of " + std::to_string(least) + " to 2^53");
    }
    return value.get<std::int64_t>();
  }
  std::uint64_t seed() const {
    if (!at("seed").is_number_unsigned()) wrong("seed", "a whole number of at least 0");
    return at("seed").get<std::uint64_t>();
  }
  bool flag(const char* member) const {
    if (!json_.contains(member)) return false;
    if (!at(member).is_boolean()) wrong(member, "true or false");
    return at(member).get<bool>();
  }
  std::string text(const char* member) const {
    if (!at(member).is_string()) wrong(member, "a text");
    return at(member).get<std::string>();
  }
  std::vector<std::string> texts(const char* member) const {
    std::vector<std::string> all;
    for (const Json& one : list(member)) {
      if (!one.is_string()) wrong(member, "a list of texts");
      all.push_back(one.get<std::string>());
    }
    return all;
  }
  std::vector<std::string> states() const {
    std::vector<std::string> all;
    if (!json_.contains("states")) return all;
    for (const Json& one : list("states")) {
      std::string& text = all.emplace_back();
      if (one.is_string()) {
        text = one.get<std::string>();
      } else if (one.is_array()) {
        for (const Json& byte : one) {
          if (!byte.is_number_unsigned() || byte.get<std::uint64_t>() > 255)
            wrong("states", "a list of texts, or of numbers of bytes");
          text += static_cast<char>(byte.get<std::uint8_t>());
        }
      } else {
        wrong("states", "a list of texts, or of numbers of bytes");
      }
    }
    return all;
  }
  std::vector<Progress> progress() const {
    std::vector<Progress> all;
    if (!json_.contains("done")) return all;
    for (const Json& one : list("done")) {
      const Reader part(one, name_ + ", in 'done'");
      if (!one.is_object()) wrong("done", "a list of objects");
      all.push_back({part.number("shards", 1), part.number("position")});
    }
    return all;
  }

 private:
  const Json& at(const char* member) const {
    const auto found = json_.find(member);
    if (found == json_.end()) throw BuildError(name_ + " lacks '" + member + "'");
    return *found;
  }
  const Json& list(const char* member) const {
    if (!at(member).is_array()) wrong(member, "a list");
    return at(member);
  }
  // Limits integers to those that a double holds, so that other JSON readers see the same value and
  // sums do not overflow.
  static bool fits(const Json& value) {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 53;
    return !value.is_number_unsigned() || value.get<std::uint64_t>() <= kMost;
  }
  [[noreturn]] void wrong(const char* member, const std::string& wanted) const {
    const Json& value = at(member);  // may be nested, so only simple values are shown
    throw BuildError(name_ + ": '" + member + "' must be " + wanted + ", not " +
                     (value.is_structured() ? std::string("a list or an object")
                                            : escape_control_chars(value.dump(-1, ' ', true))));
  }

  const Json& json_;
  std::string name_;
};

// Text as it is if JSON can hold it, otherwise the numbers of its bytes.
Json bytes_of(const std::string& text) {
  Json json = text;
  try {
    (void)json.dump();
  } catch (const Json::type_error&) {  // it is not UTF-8
    json = std::vector<std::uint8_t>(text.begin(), text.end());
  }
  return json;
}

// Describes the first line that differs.
std::string difference(const std::vector<std::string>& then, const std::vector<std::string>& now,
                       const char* what) {
  const auto at = static_cast<std::size_t>(
      std::mismatch(then.begin(), then.end(), now.begin(), now.end()).first - then.begin());
  const auto line = [&](const std::vector<std::string>& lines) {
    return at < lines.size() ? "(" + escape_control_chars(lines[at]) + ")" : std::string("none");
  };
  return std::string(what) + " " + std::to_string(at + 1) + " was " + line(then) + " and is " +
         line(now);
}

// Checkpoints of version 0.1 have no `gpu`. Returns true if a step is named "gpu", in lines of
// digest_of(): it moves values to the GPU, or is a step of the user.
bool has_step_named_gpu(const std::vector<std::string>& plan) {
  return std::any_of(plan.begin(), plan.end(), [](const std::string& line) {
    return line.starts_with("gpu ") || line.starts_with("gpu#");
  });
}

// A pipeline for the GPU has other steps than one for the CPU: those that move values.
void require_same_device(const Checkpoint& then, const Checkpoint& now) {
  const bool unknown = !then.gpu && has_step_named_gpu(then.plan);
  if (unknown || then.gpu == now.gpu) return;
  const auto device = [](bool gpu) { return gpu ? "the GPU" : "the CPU only"; };
  throw BuildError(std::string("the checkpoint is of another device: its pipeline used ") +
                   device(then.gpu) + ", and this one uses " + device(now.gpu) + " (" +
                   difference(then.plan, now.plan, "step") +
                   "); make the pipeline for the same device, or start without the checkpoint");
}

[[noreturn]] void refuse(const std::string& whose, const std::string& difference) {
  throw BuildError("the checkpoint is of another " + whose + ": " + difference +
                   "; use it for the run that it was taken from, or start without it");
}

}  // namespace

std::string Checkpoint::to_json() const {
  Json all;
  all["format"] = kFormat;
  all["version"] = kVersion;
  all["epoch"] = epoch;
  all["position"] = position;
  all["batch"] = batch;
  all["errors"] = errors;
  if (judged > 0) all["judged"] = judged;
  all["shards"] = shards;
  for (const Progress& part : done)
    all["done"].push_back({{"shards", part.shards}, {"position", part.position}});
  all["seed"] = seed;
  all["sampler"] = sampler;
  all["dataset"] = dataset;
  all["plan"] = plan;
  if (gpu) all["gpu"] = true;
  for (const std::string& state : states) all["states"].push_back(bytes_of(state));
  return all.dump(2) + "\n";
}

Checkpoint Checkpoint::from_json(const std::string& text, const std::string& name) {
  // Stops at values nested deeper than in any checkpoint, and at a second member of one name, of
  // which the parser would keep the last.
  constexpr int kDepth = 4;
  std::vector<std::string> members;
  const auto check = [&](int depth, Json::parse_event_t event, const Json& parsed) {
    if (depth > kDepth) throw BuildError(name + " was not made by Pipeline::checkpoint()");
    if (event != Json::parse_event_t::key || depth != 1) return true;
    const auto& member = parsed.get_ref<const std::string&>();
    if (std::find(members.begin(), members.end(), member) != members.end())
      throw BuildError(name + " has '" + escape_control_chars(member) + "' more than once");
    members.push_back(member);
    return true;
  };
  Json json;
  try {
    json = Json::parse(text, check);
  } catch (const Json::parse_error& error) {
    throw BuildError(name + " is not JSON: it ends or is malformed at byte " +
                     std::to_string(error.byte));
  } catch (const Json::out_of_range&) {
    throw BuildError(name + " is not JSON: a number in it is too large for a double");
  }
  if (!json.is_object() || !json.contains("format") || json["format"] != kFormat)
    throw BuildError(name + " was not made by Pipeline::checkpoint()");
  const Reader reader(json, name);
  if (const std::int64_t version = reader.number("version"); version != kVersion) {
    throw BuildError(name + " is of version " + std::to_string(version) +
                     ", but this library reads version " + std::to_string(kVersion));
  }
  for (const std::string& member : members) {
    if (std::find(std::begin(kMembers), std::end(kMembers), member) == std::end(kMembers))
      throw BuildError(name + " has the unknown member '" + escape_control_chars(member) + "'");
  }
  return {.epoch = reader.number("epoch"),
          .position = reader.number("position"),
          .batch = reader.number("batch"),
          .errors = reader.number("errors"),
          .judged = json.contains("judged") ? reader.number("judged") : 0,
          .shards = reader.number("shards", 1),
          .done = reader.progress(),
          .seed = reader.seed(),
          .sampler = reader.text("sampler"),
          .dataset = reader.texts("dataset"),
          .plan = reader.texts("plan"),
          .gpu = reader.flag("gpu"),
          .states = reader.states()};
}

void detail::require_same_run(const Checkpoint& from, const Checkpoint& now) {
  if (from.seed != now.seed)
    refuse("seed", "it was " + std::to_string(from.seed) + " and is " + std::to_string(now.seed));
  if (from.sampler != now.sampler)
    refuse("sampler",
           "it was (" + escape_control_chars(from.sampler) + ") and is (" + now.sampler + ")");
  if (from.dataset != now.dataset)
    refuse("dataset", difference(from.dataset, now.dataset, "source"));
  if (from.plan == now.plan) return;
  require_same_device(from, now);
  refuse("program", difference(from.plan, now.plan, "step"));
}

}  // namespace sluice
