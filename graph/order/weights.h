// Weights: how often each sample of a dataset is drawn, in proportion.
//
//   Sampler{.weights = {1, 1, 0.25}}
//
// A draw takes the same time for any number of weights: the alias method (Walker, 1974; table after
// Vose, "A linear algorithm for generating random numbers with a given distribution", 1991). The
// table is made once, of whole numbers: weights count in shares of 2^-62 of their sum, and one
// below that is never drawn. So draws are the same on every machine.
//
// Ownership: a small handle on an immutable table, 16 bytes for each weight, that copies share.
// Threads: any number at once. Errors: BuildError for a weight that is negative, infinite or not a
// number, and for weights that are all zero; it says which.
#pragma once

#include <sluice/runtime/random.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <vector>

namespace sluice {

class Weights {
 public:
  // None: a sampler draws nothing by weight.
  Weights() = default;
  // One weight for each sample; at least one is above 0.
  Weights(const std::vector<double>& weights);  // NOLINT(google-explicit-constructor)
  Weights(std::initializer_list<double> weights);

  // How many there are.
  std::int64_t size() const;
  bool empty() const { return table_ == nullptr; }
  // The number of a sample; takes up to 4 numbers of `random`, rarely more.
  std::int64_t draw(Random& random) const;
  // What tells these weights from others; weights in the same proportions are equal.
  std::uint64_t hash() const;

  friend bool operator==(const Weights& a, const Weights& b);

 private:
  struct Table;
  std::shared_ptr<const Table> table_;
};

}  // namespace sluice
