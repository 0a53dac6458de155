// Certificates: the file that a variable names, libcurl's own place, and the places of
// distributions.
#include <sluice/io/http/certificates.h>

#include <string>

#include <gtest/gtest.h>

namespace sluice::detail {
namespace certificates_test {

std::string found(const char* named, bool has_default, const std::string& existing) {
  const auto environment = [&](const char* name) {
    return std::string(name) == "SSL_CERT_FILE" ? named : nullptr;
  };
  return find_certificates(environment, has_default,
                           [&](const char* path) { return existing == path; });
}

TEST(Certificates, AVariableNamesThem) {
  EXPECT_EQ(found("/mine.pem", true, "/etc/ssl/cert.pem"), "/mine.pem");
  EXPECT_EQ(found("", false, "/etc/ssl/cert.pem"), "/etc/ssl/cert.pem");
}

TEST(Certificates, TheDefaultOfLibcurlStays) {
  EXPECT_EQ(found(nullptr, true, "/etc/ssl/cert.pem"), "");
}

TEST(Certificates, EachDistributionHasItsPlace) {
  for (const char* place :
       {"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
        "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem"})
    EXPECT_EQ(found(nullptr, false, place), place);
  EXPECT_EQ(found(nullptr, false, "/elsewhere.pem"), "");
}

}  // namespace certificates_test
}  // namespace sluice::detail
