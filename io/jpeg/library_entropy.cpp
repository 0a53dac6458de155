#include <sluice/io/jpeg/library_entropy.h>

#include <cstdint>
#include <cstring>

#include <link.h>

namespace sluice {
namespace {

// A range of addresses with code of one library, or of the program.
struct Code {
  std::uintptr_t wanted = 0;  // an address in it
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  bool holds(std::uintptr_t address) const { return begin <= address && address < end; }
};

// Returns nothing (begin == end) if there is no code at `address`.
Code code_around(std::uintptr_t address) noexcept {
  Code code{.wanted = address};
  const auto look = [](dl_phdr_info* module, std::size_t, void* data) {
    Code& found = *static_cast<Code*>(data);
    for (int i = 0; i < module->dlpi_phnum; ++i) {
      const auto& segment = module->dlpi_phdr[i];
      if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
      const std::uintptr_t begin = module->dlpi_addr + segment.p_vaddr;
      const Code here{found.wanted, begin, begin + segment.p_memsz};
      if (!here.holds(found.wanted)) continue;
      found = here;
      return 1;
    }
    return 0;
  };
  dl_iterate_phdr(look, &code);
  return code;
}

}  // namespace

bool has_known_entropy(const jpeg_decompress_struct& info) noexcept {
  if (info.entropy == nullptr || info.mem == nullptr) return false;
  struct {
    std::uintptr_t start_pass;
    std::uintptr_t decode_mcu;
  } found{};
  static_assert(sizeof(found) == sizeof(LibraryEntropy));
  std::memcpy(&found, info.entropy, sizeof(found));
  // A function that the library itself has stored in the object.
  const Code library = code_around(reinterpret_cast<std::uintptr_t>(info.mem->alloc_small));
  return library.holds(found.start_pass) && library.holds(found.decode_mcu) &&
         found.start_pass != found.decode_mcu;
}

}  // namespace sluice
