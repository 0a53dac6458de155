// list_tar_stream: lists the samples of an archive that must be read from front to end: compressed,
// or a pipe. Internal: for programs that print it.
//
// Ownership: none. Threads: any. Errors: IoError, with the archive and the place in it; the samples
// before it have been reported.
#pragma once

#include <sluice/io/sources/tar.h>

#include <functional>
#include <string>
#include <vector>

namespace sluice {

// True if the archive is compressed or a pipe. False if it cannot be read at all.
bool is_tar_stream(const std::string& path);

// Calls take(name, files) for each sample, in order, until it returns false. The samples are those
// of tar_in with this column; a link has 0 bytes. `left_out` counts the files that tar_in leaves
// out.
void list_tar_stream(
    const std::string& path, const std::string& column,
    const std::function<bool(const std::string&, const std::vector<TarFile>&)>& take,
    detail::LeftOutCounter& left_out);

}  // namespace sluice
