// Arrays of the user that batches are written into.
//
// Ownership: a BufferRing keeps its arrays alive. Threads: with the GIL held; the ring itself as
// BufferRing says. Errors: BuildError for arrays that cannot hold batches.
#pragma once

#include "object.h"
#include <sluice/runtime/error.h>
#include <sluice/runtime/memory.h>

#include <memory>

namespace sluice::python {

void bind_memory(nb::module_& module);  // class BufferRing
// Returns the memory for an output: of a BufferRing, or null for None. Throws std::invalid_argument
// for anything else.
std::shared_ptr<MemoryResource> memory_of(nb::handle value);

}  // namespace sluice::python
