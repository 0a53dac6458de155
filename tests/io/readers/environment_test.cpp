#include <sluice/io/readers/environment.h>
#include <sluice/runtime/error.h>

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace environment_test {

using Variables = std::map<std::string, std::string>;

Rank rank_in(const Variables& variables) {
  return detail::rank_of([&](const std::string& name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

Variables operator+(Variables a, const Variables& b) {
  a.insert(b.begin(), b.end());
  return a;
}

const Variables kTorchrun = {
    {"RANK", "5"}, {"WORLD_SIZE", "8"}, {"LOCAL_RANK", "1"}, {"TORCHELASTIC_RUN_ID", "none"}};
const Variables kOpenMpi = {{"OMPI_COMM_WORLD_RANK", "5"},
                            {"OMPI_COMM_WORLD_SIZE", "8"},
                            {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                            {"PMIX_RANK", "5"}};
const Variables kMpich = {{"PMI_RANK", "5"}, {"PMI_SIZE", "8"}, {"MPI_LOCALRANKID", "1"}};
// A step of 8 tasks, in a job with --ntasks=16.
const Variables kSrun = {{"SLURM_JOB_ID", "77"}, {"SLURM_STEP_ID", "3"},
                         {"SLURM_PROCID", "5"},  {"SLURM_STEP_NUM_TASKS", "8"},
                         {"SLURM_NTASKS", "16"}, {"SLURM_LOCALID", "1"}};
const Variables kBatch = {
    {"SLURM_JOB_ID", "77"}, {"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "16"}, {"SLURM_LOCALID", "0"}};

Variables srun(const char* rank, const char* size) {
  return {{"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", rank}, {"SLURM_STEP_NUM_TASKS", size}};
}

TEST(Environment, SaysWhichProcessThisIs) {
  struct Case {
    const char* what;
    Variables variables;
    Rank rank;
  };
  const Case cases[] = {
      {"nothing", {}, {0, 1, -1, ""}},
      {"torchrun", kTorchrun, {5, 8, 1, "torchrun"}},
      {"by hand", {{"RANK", "0"}, {"WORLD_SIZE", "2"}}, {0, 2, -1, "torchrun"}},
      {"Open MPI", kOpenMpi, {5, 8, 1, "Open MPI"}},
      {"MPICH", kMpich, {5, 8, 1, "PMI"}},
      {"Slurm", kSrun, {5, 8, 1, "Slurm"}},
      {"an old Slurm",
       {{"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "2"}, {"SLURM_NTASKS", "4"}},
       {2, 4, -1, "Slurm"}},
      {"the last step of a job",
       kBatch + Variables{{"SLURM_STEP_ID", "4294967280"}},
       {0, 16, 0, "Slurm"}},
      {"a batch script, which runs once", kBatch, {0, 1, -1, ""}},
      {"a batch script of a Slurm that numbers it",
       kBatch + Variables{{"SLURM_STEP_ID", "4294967291"}},
       {0, 1, -1, ""}},
      {"the shell that salloc opens",
       kBatch + Variables{{"SLURM_STEP_ID", "4294967290"}},
       {0, 1, -1, ""}},
      {"srun with PMI", kSrun + Variables{{"PMI_RANK", "5"}, {"PMI_SIZE", "8"}}, {5, 8, -1, "PMI"}},
      {"srun with PMIx", kSrun + Variables{{"PMIX_RANK", "5"}}, {5, 8, 1, "Slurm"}},
      {"srun of one torchrun for each node", kTorchrun + srun("1", "2"), {5, 8, 1, "torchrun"}},
      {"torchrun numbers its nodes as it likes", kTorchrun + srun("6", "8"), {5, 8, 1, "torchrun"}},
      {"mpirun, whose daemons srun starts", kOpenMpi + srun("1", "2"), {5, 8, 1, "Open MPI"}},
      {"mpirun in a batch script", kOpenMpi + kBatch, {5, 8, 1, "Open MPI"}},
      {"mpirun of one torchrun for each node",
       kTorchrun + Variables{{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "2"}},
       {5, 8, 1, "torchrun"}},
      {"the names of torchrun, set from those of srun",
       Variables{{"RANK", "5"}, {"WORLD_SIZE", "8"}} + kSrun,
       {5, 8, -1, "torchrun"}},
      {"a shell in a step of one", kTorchrun + srun("0", "1"), {5, 8, 1, "torchrun"}},
  };
  for (const Case& c : cases) {
    const Rank rank = rank_in(c.variables);
    EXPECT_EQ(rank.index, c.rank.index) << c.what;
    EXPECT_EQ(rank.count, c.rank.count) << c.what;
    EXPECT_EQ(rank.local, c.rank.local) << c.what;
    EXPECT_EQ(rank.from, c.rank.from) << c.what;
  }
}

TEST(Environment, RefusesHalvesAndContradictions) {
  struct Case {
    Variables variables;
    const char* what;
  };
  const Case cases[] = {
      {{{"RANK", "3"}}, "RANK=3, WORLD_SIZE is not set, where torchrun sets RANK and WORLD_SIZE"},
      {{{"WORLD_SIZE", "3"}, {"LOCAL_RANK", "1"}},
       "RANK is not set, WORLD_SIZE=3, LOCAL_RANK=1, where torchrun sets RANK and WORLD_SIZE"},
      {{{"OMPI_COMM_WORLD_LOCAL_RANK", "0"}},
       "OMPI_COMM_WORLD_RANK is not set, OMPI_COMM_WORLD_SIZE is not set, "
       "OMPI_COMM_WORLD_LOCAL_RANK=0, where Open MPI sets OMPI_COMM_WORLD_RANK and "
       "OMPI_COMM_WORLD_SIZE"},
      {{{"SLURM_STEP_ID", "0"}, {"SLURM_NTASKS", "4"}},
       "SLURM_PROCID is not set, SLURM_NTASKS=4, where Slurm sets SLURM_PROCID and SLURM_NTASKS"},
      {{{"RANK", "three"}, {"WORLD_SIZE", "4"}}, "RANK=three is not a number"},
      {{{"RANK", ""}, {"WORLD_SIZE", "4"}}, "RANK= is not a number"},
      {{{"RANK", "1 "}, {"WORLD_SIZE", "4"}}, "RANK=1  is not a number"},
      {{{"RANK", "-1"}, {"WORLD_SIZE", "4"}}, "RANK=-1 is not a number"},
      {{{"RANK", "1"}, {"WORLD_SIZE", "99999999999999999999"}},
       "WORLD_SIZE=99999999999999999999 is not a number"},
      {{{"RANK", "1\x1b[2J"}, {"WORLD_SIZE", "4"}}, "RANK=1\\x1b[2J is not a number"},
      {{{"SLURM_STEP_ID", "batch"}}, "SLURM_STEP_ID=batch is not a number"},
      {{{"PMI_RANK", "4"}, {"PMI_SIZE", "4"}},
       "PMI_RANK=4, PMI_SIZE=4, where ranks are below the size, counted from 0"},
      {{{"RANK", "0"}, {"WORLD_SIZE", "0"}},
       "RANK=0, WORLD_SIZE=0, where ranks are below the size, counted from 0"},
      {{{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"LOCAL_RANK", "2"}},
       "RANK=0, WORLD_SIZE=2, LOCAL_RANK=2, where ranks are below the size, counted from 0"},
      {{{"PMIX_RANK", "4"}},
       "PMIX_RANK=4, but nothing says how many there are, as WORLD_SIZE with RANK would"},
      {Variables{{"RANK", "0"}, {"WORLD_SIZE", "8"}} + srun("2", "8"),
       "as torchrun has it, RANK=0, WORLD_SIZE=8, but as Slurm has it, SLURM_PROCID=2, "
       "SLURM_STEP_NUM_TASKS=8"},
      {Variables{{"RANK", "0"}, {"WORLD_SIZE", "1"}} + srun("0", "8"),
       "as torchrun has it, RANK=0, WORLD_SIZE=1, but as Slurm has it, SLURM_PROCID=0, "
       "SLURM_STEP_NUM_TASKS=8"},
      {kMpich + srun("2", "8"),
       "as PMI has it, PMI_RANK=5, PMI_SIZE=8, MPI_LOCALRANKID=1, but as Slurm has it, "
       "SLURM_PROCID=2, SLURM_STEP_NUM_TASKS=8"},
  };
  for (const Case& c : cases) {
    try {
      (void)rank_in(c.variables);
      ADD_FAILURE() << "no error: " << c.what;
    } catch (const BuildError& error) {
      EXPECT_EQ(
          std::string(error.what()),
          "the environment does not say which process of the job this is: " + std::string(c.what) +
              "; fix or unset them, or set the option shard (--shard I/N of the program)");
    }
  }
}

}  // namespace environment_test
}  // namespace sluice
