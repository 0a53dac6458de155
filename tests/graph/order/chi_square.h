// Chi-square tests: do counts fit equal, or given, probabilities?
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace sluice {

// Returns Pearson's statistic; an expectation of 0 must have a count of 0.
inline double chi_square(const std::vector<double>& counts, const std::vector<double>& expected) {
  double sum = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double off = counts[i] - expected[i];
    if (off != 0) sum += off * off / expected[i];
  }
  return sum;
}

// The same with equal probabilities.
inline double chi_square(const std::vector<double>& counts) {
  double total = 0;
  for (const double count : counts) total += count;
  return chi_square(counts,
                    std::vector<double>(counts.size(), total / static_cast<double>(counts.size())));
}

// Returns the value that chance exceeds once in a million times, by Wilson and Hilferty's formula.
inline double chi_square_limit(std::size_t degrees) {
  const double k = static_cast<double>(degrees);
  const double root = 1 - 2 / (9 * k) + 4.75 * std::sqrt(2 / (9 * k));
  return k * root * root * root;
}

}  // namespace sluice
