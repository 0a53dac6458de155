// What is in an archive that has to be read from its front: compressed, or a pipe. Internal: for
// those who print it.
//
// Ownership: none. Threads: any. Errors: IoError, with the archive and the place in it; what lies
// before it has been told.
#pragma once

#include <sluice/io/sources/tar.h>

#include <functional>
#include <string>
#include <vector>

namespace sluice {

// Whether it is one of those. What cannot be read at all is none.
bool is_tar_stream(const std::string& path);

// Calls take(name, files) for each sample, in order, until it returns false. The samples are those
// of tar_in with this column; a link has 0 bytes. `left_out` counts the files that tar_in leaves
// out.
void list_tar_stream(
    const std::string& path, const std::string& column,
    const std::function<bool(const std::string&, const std::vector<TarFile>&)>& take,
    detail::LeftOutCounter& left_out);

}  // namespace sluice
