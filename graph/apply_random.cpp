#include <sluice/graph/apply_random.h>
#include <sluice/graph/builder/declare_operator.h>

#include <string>

namespace sluice::detail {

void check_apply_random(const ApplyRandomOptions& options, std::size_t augmentations) {
  const auto require = [](bool good, const std::string& what) {
    if (!good) throw BuildError("apply_random: " + what);
  };
  require(options.n >= 0, "n must not be negative, but is " + std::to_string(options.n));
  require(options.bins >= 1, "bins must be at least 1, not " + std::to_string(options.bins));
  require(options.n == 0 || augmentations > 0,
          "the list of operators is empty; give at least one, or n = 0");
  if (!options.magnitude.is_constant()) return;
  const int magnitude = options.magnitude.constant();
  require(magnitude >= 0 && magnitude < options.bins,
          "magnitude must lie between 0 and bins - 1 = " + std::to_string(options.bins - 1) +
              ", but is " + std::to_string(magnitude));
}

OperatorSchema apply_random_schema() {
  const ApplyRandomOptions usual;
  OperatorSchema schema =
      declare_operator("apply_random")
          .family("random")
          .summary("n steps, each one of several augmentations, drawn for each sample.")
          .in_cpp("apply_random(g, image, suite, {.n = 2, .magnitude = 9})")
          .constant<std::int32_t>("n",
                                  {.value = usual.n, .low = 0, .help = "steps; 0 changes nothing"})
          .parameter<std::int32_t>(
              "magnitude", {.value = usual.magnitude.constant(), .low = 0, .help = "0 to bins - 1"})
          .constant<std::int32_t>("bins",
                                  {.value = usual.bins, .low = 1, .help = "how many magnitudes"})
          .made_of({"draw", "magnitude"});
  schema.inputs = {{"value", {}}};
  schema.outputs = {{"value", nullptr}};
  return schema;
}

}  // namespace sluice::detail
