// Workers whose program starts another one, which does the work.
#include <sluice/io/workers/workers.h>
#include <sluice/runtime/error.h>

#include <cstdint>

#include <gtest/gtest.h>
#include <tests/io/workers/asked.h>
#include <tests/worker_samples.h>

namespace sluice {
namespace program_arguments_test {

using testing::Asked;
using testing::Mixed;

TEST(ProgramArguments, StartAProgramThatStartsTheWorker) {
  Asked<Mixed> asked("mixed", {.workers = 2,
                               .program = "/usr/bin/env",
                               .program_arguments = {"-u", "HOME", SLUICE_WORKER_PROGRAM}});
  for (const auto& answer : asked.all_of(20)) ASSERT_TRUE(answer.sample) << answer.error;
  EXPECT_EQ(asked.pool().stats().restarts, 0);
}

TEST(ProgramArguments, AreThoseOfAnotherProgram) {
  try {
    (void)workers<std::int64_t>("wild", 10, {.program_arguments = {"-n"}});
    ADD_FAILURE() << "no error";
  } catch (const BuildError& error) {
    EXPECT_STREQ(error.what(),
                 "workers(\"wild\"): program_arguments are those of another program: name it as "
                 "program");
  }
}

}  // namespace program_arguments_test
}  // namespace sluice
