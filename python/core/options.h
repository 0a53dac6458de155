// Converts Python dicts to the library's options. An unknown name raises BuildError with the valid
// names. Threads: with the GIL held.
#pragma once

#include "description.h"
#include "object.h"
#include <sluice/graph/options.h>
#include <sluice/io/http/request.h>
#include <sluice/io/readers/list.h>
#include <sluice/io/readers/tar_stream.h>
#include <sluice/io/workers/pool.h>

namespace sluice::python {

PipelineOptions pipeline_options_of(const nb::dict& options);
// The option `order` becomes the order of the description.
SourceOptions source_options_of(Description& self, const nb::dict& options);
WorkerOptions worker_options_of(const nb::dict& options);
HttpOptions http_options_of(const nb::dict& options);
// Without `columns` and `index`.
TarStreamOptions tar_stream_options_of(const nb::dict& options);
// Python's None means by_name.
ListFormat list_format_of(nb::handle name);
Verify verify_of(nb::handle name);
void bind_thread_pool(nb::module_& module);
void bind_index(nb::module_& module);

}  // namespace sluice::python
