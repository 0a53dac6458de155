#include <sluice/runtime/error.h>
#include <sluice/runtime/text.h>

#include <utility>

namespace sluice {
namespace {

std::string describe(std::int64_t batch, const std::vector<SampleError>& errors) {
  std::string text = "batch " + std::to_string(batch) + ": " + counted(errors.size(), "sample") +
                     (errors.size() == 1 ? " failed: " : " failed; the first: ");
  if (!errors.empty()) text += to_string(errors.front());
  return text;
}

// Returns the message without the operator's name. Messages of operators begin with it, and the
// step usually has the same name ("crop#2").
std::string said(const SampleError& error) {
  const std::string name = error.step.substr(0, error.step.find('#')) + ": ";
  return error.what.compare(0, name.size(), name) == 0 ? error.what.substr(name.size())
                                                       : error.what;
}

}  // namespace

const char* name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::delivered:
      return "delivered";
    case Outcome::replaced:
      return "replaced";
    case Outcome::skipped:
      return "skipped";
    case Outcome::filtered:
      return "filtered";
    case Outcome::failed:
      return "failed";
    case Outcome::cancelled:
      return "cancelled";
  }
  return "?";
}

std::string to_string(const SampleError& error) {
  std::string text = "sample " + std::to_string(error.key.index);
  if (!error.source.empty()) text += " (" + escape_control_chars(error.source) + ")";
  text += (error.kept ? " was kept, with a warning from step '" : " failed in step '") +
          error.step + "'";
  if (!error.path.empty()) text += " on the path " + error.path;
  return text + ": " + said(error) + " [seed " + std::to_string(error.seed) + ", epoch " +
         std::to_string(error.key.epoch) + "]";
}

Ledger& Ledger::operator+=(const Ledger& other) {
  admitted += other.admitted;
  delivered += other.delivered;
  replaced += other.replaced;
  skipped += other.skipped;
  filtered += other.filtered;
  failed += other.failed;
  cancelled += other.cancelled;
  return *this;
}

std::string to_string(const Ledger& ledger) {
  return std::to_string(ledger.admitted) + " admitted, " + std::to_string(ledger.delivered) +
         " delivered, " + std::to_string(ledger.replaced) + " replaced, " +
         std::to_string(ledger.skipped) + " skipped, " + std::to_string(ledger.filtered) +
         " filtered, " + std::to_string(ledger.failed) + " failed, " +
         std::to_string(ledger.cancelled) + " cancelled";
}

BatchError::BatchError(std::int64_t batch, std::vector<SampleError> errors,
                       const std::string& advice)
    : Error(describe(batch, errors) + advice), batch_(batch), errors_(std::move(errors)) {}

}  // namespace sluice
