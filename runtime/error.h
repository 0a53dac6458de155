// Outcomes of samples, records of failures, and the exceptions of the library.
//
// Every admitted sample ends in exactly one Outcome; the Ledger counts them. A SampleError is plain
// data: it is made where a step threw, and stays with its sample. The pipeline's error policy
// decides whether it is thrown, at the end of the batch (BatchError).
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
  std::int64_t id = -1;    // position in the epoch, even if not delivered
  SampleKey key;           // which sample it is
  std::uint64_t seed = 0;  // replays the sample, together with the key
  std::string source;      // what the source calls the sample, for instance its file; may be empty
  std::string step;        // the step that failed
  // The branches taken and the loops run until then; of an unfinished loop, only its current
  // iteration: "if_else:then/while_loop (iteration 52)/select#2:branch 3". Empty at the top level.
  std::string path;
  std::string what;   // the step's message
  bool kept = false;  // only a warning: the sample is still delivered
};
// One line: what failed, where, and how to reproduce it.
std::string to_string(const SampleError& error);

// Counts the admitted samples by outcome. Once a run has ended, admitted equals the sum of the
// other six.
struct Ledger {
  std::int64_t admitted = 0;
  std::int64_t delivered = 0;
  std::int64_t replaced = 0;
  std::int64_t skipped = 0;   // failed, and left out by the policy `skip`
  std::int64_t filtered = 0;  // by a filter, or too few at the end for LastBatch::drop
  std::int64_t failed = 0;
  std::int64_t cancelled = 0;
  // The number of samples that are admitted and have not ended.
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

// Thrown before any sample runs, if the program that describes a pipeline is wrong.
class BuildError : public Error {
 public:
  using Error::Error;
};

// Thrown if a batch holds failed samples and the policy is `fail`. errors() are ordered by id.
class BatchError : public Error {
 public:
  // `advice`: what to do about it.
  BatchError(std::int64_t batch, std::vector<SampleError> errors, const std::string& advice = {});
  std::int64_t batch() const { return batch_; }
  const std::vector<SampleError>& errors() const { return errors_; }

 private:
  std::int64_t batch_;
  std::vector<SampleError> errors_;
};

// Thrown by a source of kUntilEnd samples: there is no sample at this index or beyond.
class EndOfEpoch : public Error {
 public:
  EndOfEpoch() : Error("there are no more samples") {}
};

// Thrown if more samples failed than the policy's budget allows; the epoch has ended.
class BudgetError : public Error {
 public:
  using Error::Error;
};

// Thrown if no sample has made progress for longer than the pipeline's stall timeout. Says which
// sample is in which loop or step.
class StallError : public Error {
 public:
  using Error::Error;
};

}  // namespace sluice
