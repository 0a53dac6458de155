// Detects which process of a job this one is, from the environment variables of its launcher.
//
//   g.read(files_in("train"), {.shuffle = true, .shard = shard_of_environment()})
//
// These launchers are known, in this order:
//
//   torchrun            RANK, WORLD_SIZE, LOCAL_RANK
//   Open MPI            OMPI_COMM_WORLD_RANK, OMPI_COMM_WORLD_SIZE, OMPI_COMM_WORLD_LOCAL_RANK
//   MPICH, Intel MPI    PMI_RANK, PMI_SIZE, MPI_LOCALRANKID
//   Slurm's srun        SLURM_PROCID, SLURM_STEP_NUM_TASKS (else SLURM_NTASKS), SLURM_LOCALID
//
// Launchers may be nested, such as torchrun started once on each node by srun. Then the innermost
// counts, which is the first in the list. It must have more processes than the outer one, or as
// many and agree on the rank. torchrun itself, which sets TORCHELASTIC_RUN_ID, may number its nodes
// differently. Everything else is a contradiction.
//
// For Slurm, only a process that srun has started is a rank. A batch script, and commands typed
// after salloc, have SLURM_NTASKS and SLURM_PROCID as well, though they run once. They lack
// SLURM_STEP_ID, or it is one of the numbers that Slurm reserves. `srun -n 4 --pty bash` is four
// processes, and its shell is the first.
//
// PMIX_RANK alone is an error, because it lacks the number of processes; beside others it is
// ignored. Without any of these variables there is one process.
//
// Threads: any, as long as none sets variables. Errors: BuildError if only some of a launcher's
// variables are set, or if one is not a number or contradicts another. It names the variables with
// their values and says what to do.
#pragma once

#include <sluice/graph/sampling/sampler.h>
#include <sluice/runtime/function.h>

#include <cstdint>
#include <string>

namespace sluice {

struct Rank {
  std::int64_t index = 0;   // 0 to count - 1
  std::int64_t count = 1;   // processes of the job
  std::int64_t local = -1;  // number on its machine, from 0, to select a GPU; -1: unknown
  std::string from = {};    // the launcher, "torchrun"; empty: none
};

Rank rank_of_environment();
// Returns {index, count} of rank_of_environment().
Shard shard_of_environment();

namespace detail {

// Returns the value of a variable, or null if it is not set.
using Environment = Function<const char*(const char* name)>;
Rank rank_of(const Environment& environment);

}  // namespace detail
}  // namespace sluice
