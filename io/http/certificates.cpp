#include <sluice/io/http/certificates.h>

namespace sluice::detail {

std::string find_certificates(const Environment& environment, bool has_default,
                              const Function<bool(const char* path)>& exists) {
  const char* const named = environment("SSL_CERT_FILE");
  if (named != nullptr && *named != '\0') return named;
  if (has_default) return {};
  constexpr const char* kPlaces[] = {
      "/etc/ssl/certs/ca-certificates.crt",                 // Debian, Ubuntu, Arch, Gentoo
      "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  // Fedora, Red Hat
      "/etc/pki/tls/certs/ca-bundle.crt",                   // their older releases
      "/etc/ssl/ca-bundle.pem",                             // openSUSE
      "/etc/ssl/cert.pem",                                  // Alpine
  };
  for (const char* const place : kPlaces)
    if (exists(place)) return place;
  return {};
}

}  // namespace sluice::detail
