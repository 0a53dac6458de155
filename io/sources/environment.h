// Which of the processes of a job this one is, as whoever started it says in the environment.
//
//   g.read(files_in("train"), {.shuffle = true, .shard = shard_of_environment()})
//
// Known are, in this order:
//
//   torchrun            RANK, WORLD_SIZE, LOCAL_RANK
//   Open MPI            OMPI_COMM_WORLD_RANK, OMPI_COMM_WORLD_SIZE, OMPI_COMM_WORLD_LOCAL_RANK
//   MPICH, Intel MPI    PMI_RANK, PMI_SIZE, MPI_LOCALRANKID
//   Slurm's srun        SLURM_PROCID, SLURM_STEP_NUM_TASKS (else SLURM_NTASKS), SLURM_LOCALID
//
// One that starts processes is often started by another one, such as torchrun once on each node by
// srun. Then the innermost counts, which is the first of the list. It must have more processes than
// the one around it, or as many and agree on the rank; torchrun itself, which sets
// TORCHELASTIC_RUN_ID, numbers its nodes as it likes. Everything else is a contradiction.
//
// Of Slurm only what srun has started is a rank. A batch script, and what a person types after
// salloc, have SLURM_NTASKS and SLURM_PROCID as well, though they run once: they lack
// SLURM_STEP_ID, or it is one of the numbers that Slurm keeps for itself. `srun -n 4 --pty bash` is
// four processes, and its shell the first.
//
// PMIX_RANK alone does not say how many processes there are, and is an error; beside others it is
// not looked at. With none of all these there is one process.
//
// Threads: any, as long as none sets variables. Errors: BuildError for what is half there, is no
// number, or contradicts; it names the variables with their values and says what to do.
#pragma once

#include <sluice/graph/order/sampler.h>
#include <sluice/runtime/function.h>

#include <cstdint>
#include <string>

namespace sluice {

struct Rank {
  std::int64_t index = 0;   // 0 to count - 1
  std::int64_t count = 1;   // processes of the job
  std::int64_t local = -1;  // number on its machine, from 0: which GPU to use; -1: nobody says
  std::string from = {};    // who says so, "torchrun"; empty: nobody
};

Rank rank_of_environment();
// {index, count} of it.
Shard shard_of_environment();

namespace detail {

// The value of a variable; null where it is not set.
using Environment = Function<const char*(const char* name)>;
Rank rank_of(const Environment& environment);

}  // namespace detail
}  // namespace sluice
