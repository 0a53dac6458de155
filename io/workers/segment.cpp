#include <sluice/io/workers/message.h>
#include <sluice/io/workers/segment.h>

#include <cerrno>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

namespace sluice::detail {
namespace {

constexpr std::size_t kPage = 4096;

[[noreturn]] void fail(const char* call) {
  throw std::system_error(errno, std::generic_category(), call);
}

}  // namespace

Segment::Segment(int descriptor, std::size_t bytes, Pages pages) : size_(bytes) {
  // MAP_POPULATE would copy the pages of a private mapping.
  const int how = pages == Pages::shared ? MAP_SHARED | MAP_POPULATE : MAP_PRIVATE;
  void* const at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, how, descriptor, 0);
  if (at == MAP_FAILED) fail("mmap");
  at_ = static_cast<std::byte*>(at);
}

Segment::~Segment() {
  if (at_ != nullptr) ::munmap(at_, size_);
}

std::pair<Segment, Descriptor> Segment::make(std::size_t bytes) {
  Descriptor descriptor(::memfd_create("sluice-worker", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!descriptor) fail("memfd_create");
  bytes = (bytes + kPage - 1) / kPage * kPage;
  if (::ftruncate(descriptor.number(), static_cast<off_t>(bytes)) != 0) fail("ftruncate");
  if (::fcntl(descriptor.number(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    fail("fcntl");
  return {Segment(descriptor.number(), bytes, Pages::shared), std::move(descriptor)};
}

Segment Segment::of(const Descriptor& descriptor, std::size_t most, Pages pages) {
  struct stat status {};
  const int seals = ::fcntl(descriptor.number(), F_GET_SEALS);
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0)
    throw Nonsense("a descriptor that is not of sealed shared memory");
  if (::fstat(descriptor.number(), &status) != 0) fail("fstat");
  if (status.st_size <= 0 || static_cast<std::size_t>(status.st_size) > most) {
    throw Nonsense("shared memory of " + std::to_string(status.st_size) + " bytes");
  }
  return Segment(descriptor.number(), static_cast<std::size_t>(status.st_size), pages);
}

}  // namespace sluice::detail
