// find_certificates: the certificates that servers must prove their identity with. Internal.
//
// libcurl knows where the system that it was built for keeps them. A program that was built on
// another distribution must look, because each has its own place.
#pragma once

#include <sluice/io/readers/environment.h>
#include <sluice/runtime/function.h>

#include <string>

namespace sluice::detail {

// Returns the PEM file that SSL_CERT_FILE names, else the first that exists in the places of common
// distributions. Returns an empty text if there is none, or if `has_default` says that libcurl's
// own place exists. Threads: any, as long as none sets variables. Throws std::bad_alloc.
std::string find_certificates(const Environment& environment, bool has_default,
                              const Function<bool(const char* path)>& exists);

}  // namespace sluice::detail
