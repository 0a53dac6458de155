#include <sluice/graph/graph.h>
#include <sluice/runtime/error.h>

#include <cmath>
#include <stdexcept>

namespace sluice {

namespace {

// Parameters of a distribution. E is BuildError for constants; for what a sample has, its error.
template <class E>
void require_finite(const char* what, float number) {
  if (std::isfinite(number)) return;
  throw E(std::string(what) + " must be a finite number, not " + std::to_string(number));
}

template <class E>
void require_range(float lo, float hi) {
  require_finite<E>("uniform: an end of the range", lo);
  require_finite<E>("uniform: an end of the range", hi);
  if (lo <= hi && std::isfinite(hi - lo)) return;
  throw E("uniform: the range from " + std::to_string(lo) + " to " + std::to_string(hi) +
          (lo <= hi ? " is wider than a float can say; give a smaller one"
                    : " is empty; give the smaller number first"));
}

template <class E>
void require_mean(float mean) {
  require_finite<E>("normal: the mean", mean);
}

template <class E>
void require_stddev(float stddev) {
  require_finite<E>("normal: the standard deviation", stddev);
  if (stddev < 0)
    throw E("normal: the standard deviation must not be negative, but is " +
            std::to_string(stddev));
}

template <class E>
void require_probability(float probability) {
  if (probability >= 0 && probability <= 1) return;
  throw E("coin_flip: the probability must lie between 0 and 1, not " +
          std::to_string(probability));
}

}  // namespace

namespace detail {
void throw_empty(const std::string& context) {
  throw BuildError(context +
                   " a default-constructed Value; use one that a Graph or an operator has made");
}
void throw_foreign(const std::string& context) {
  throw BuildError(context + " a value of another pipeline; describe each pipeline on its own");
}

void throw_inexact_constant(const std::string& who, const std::string& number,
                            std::string_view type) {
  throw BuildError(who + " the constant " + number + ", which is not a number of type '" +
                   std::string(type) + "'; give one that is, or convert the values with cast");
}
void throw_inexact_value(const std::string& number, std::string_view type) {
  throw std::out_of_range("the number " + number + " is not one of type '" + std::string(type) +
                          "', which is wanted");
}

std::string inner(const char* kind, const std::string& which, const std::string& place) {
  return std::string(kind) + " " + which + (place.empty() ? "" : " of " + place);
}
}  // namespace detail

Value<Tensor> Graph::declare(Value<Tensor> value, const TensorSpec& spec) {
  const detail::ArgumentContext context{recorder_, "'declare' is given"};
  recorder_.declare(detail::normal(context, value).slot(), spec);
  return value;
}

Value<float> Graph::uniform(Param<float> lo, Param<float> hi) {
  for (const Param<float>* end : {&lo, &hi}) {
    if (end->is_constant())
      require_finite<BuildError>("uniform: an end of the range", end->constant());
  }
  if (lo.is_constant() && hi.is_constant()) require_range<BuildError>(lo.constant(), hi.constant());
  return random(
      "uniform",
      [](Random& draw, float l, float h) {
        require_range<std::invalid_argument>(l, h);
        return draw.uniform(l, h);
      },
      lo, hi);
}

Value<float> Graph::normal(Param<float> mean, Param<float> stddev) {
  if (mean.is_constant()) require_mean<BuildError>(mean.constant());
  if (stddev.is_constant()) require_stddev<BuildError>(stddev.constant());
  return random(
      "normal",
      [](Random& draw, float m, float s) {
        require_mean<std::invalid_argument>(m);
        require_stddev<std::invalid_argument>(s);
        return draw.normal(m, s);
      },
      mean, stddev);
}

Value<bool> Graph::coin_flip(Param<float> probability) {
  if (probability.is_constant()) require_probability<BuildError>(probability.constant());
  return random(
      "coin_flip",
      [](Random& draw, float p) {
        require_probability<std::invalid_argument>(p);
        return draw.unit() < p;
      },
      probability);
}

std::vector<std::string> Graph::arm_names(std::size_t count, const SelectOptions& options) {
  if (!options.arm_names.empty() && options.arm_names.size() != count) {
    throw BuildError("select: there are " + std::to_string(count) + " arms, but " +
                     std::to_string(options.arm_names.size()) + " names for them");
  }
  if (!options.arm_names.empty()) return options.arm_names;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back("arm " + std::to_string(i));
  return names;
}

void Graph::require_same_structure(const std::string& difference) const {
  if (difference.empty()) return;
  throw BuildError("'" + recorder_.open_name() + "': " + recorder_.open_part() +
                   " gives another structure: " + difference +
                   "; give both the same lengths and keys");
}

void Graph::require_arms(std::size_t count) {
  if (count == 0) throw BuildError("select: the vector of arms is empty; give at least one arm");
}

}  // namespace sluice
