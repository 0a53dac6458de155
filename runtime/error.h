// How a sample can end, and what is known about one that failed.
//
// Every admitted sample ends in exactly one Outcome; the Ledger counts them. A SampleError is plain
// data: it is made where a step threw, travels with its sample, and is thrown to nobody's surprise
// only at the end of the batch (BatchError) or not at all, as the pipeline's error policy says.
#pragma once

#include <sluice/runtime/sample_key.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace sluice {

enum class Outcome : std::uint8_t { delivered, replaced, skipped, filtered, failed, cancelled };
const char* name_of(Outcome outcome);

struct SampleError {
  std::int64_t id = -1;    // position in the epoch: where it stands, or should
  SampleKey key;           // which sample it is
  std::uint64_t seed = 0;  // with the key: what replays the sample
  std::string source;      // what the source calls the sample, for instance its file; may be empty
  std::string step;        // the step that failed
  // The arms taken and the loops gone through until then, of a loop that is not over only what its
  // present iteration took: "if_else:then/while_loop (iteration 52)/select#2:arm 3". Empty at the
  // top.
  std::string path;
  std::string what;   // what the step said
  bool kept = false;  // only a warning: the sample is delivered all the same
};
// One line: what, where, and how to get it again.
std::string to_string(const SampleError& error);

// Where each admitted sample went. admitted equals the sum of the other six once a run has ended.
struct Ledger {
  std::int64_t admitted = 0;
  std::int64_t delivered = 0;
  std::int64_t replaced = 0;
  std::int64_t skipped = 0;   // failed, and left out as the policy `skip` says
  std::int64_t filtered = 0;  // left out by a filter, or too few at the end for LastBatch::drop
  std::int64_t failed = 0;
  std::int64_t cancelled = 0;
  // Admitted, and not ended yet.
  std::int64_t open() const {
    return admitted - delivered - replaced - skipped - filtered - failed - cancelled;
  }
  bool balanced() const { return open() == 0; }
  Ledger& operator+=(const Ledger& other);
};
// "100 admitted, 90 delivered, 0 replaced, 8 skipped, 2 filtered, 0 failed, 0 cancelled".
std::string to_string(const Ledger& ledger);

// Base of all exceptions that Sluice throws on purpose.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The program that describes a pipeline is wrong; found before any sample runs.
class BuildError : public Error {
 public:
  using Error::Error;
};

// A batch holds failed samples and the policy is `fail`. errors() are ordered by id.
class BatchError : public Error {
 public:
  // `advice`: what may be done about it.
  BatchError(std::int64_t batch, std::vector<SampleError> errors, const std::string& advice = {});
  std::int64_t batch() const { return batch_; }
  const std::vector<SampleError>& errors() const { return errors_; }

 private:
  std::int64_t batch_;
  std::vector<SampleError> errors_;
};

// For a source to throw that has kUntilEnd samples: there is none at this index, nor behind it.
class EndOfEpoch : public Error {
 public:
  EndOfEpoch() : Error("there are no more samples") {}
};

// More samples failed than the policy's budget allows; the epoch has ended.
class BudgetError : public Error {
 public:
  using Error::Error;
};

// No sample has moved for longer than the pipeline's stall timeout; says which sample is in which
// loop or step.
class StallError : public Error {
 public:
  using Error::Error;
};

}  // namespace sluice
