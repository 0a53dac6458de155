// Where the files in a tar archive lie. Internal: no user includes it.
//
// Read are the headers alone, 512 bytes or a little more for each file: POSIX ustar, GNU's long
// names and large sizes, pax (path, size), and the old format without a magic. Nothing is
// extracted, so a name is just a name, whatever it is. What an archive says of sizes is checked
// against the file before it is used, and no header makes more than 1 MiB be read.
//
// Ownership: none. Threads: any number. Errors: IoError with the archive, the place and the member.
#pragma once

#include <sluice/io/sources/random_access.h>

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace sluice {

constexpr std::size_t kTarBlock = 512;
using TarBlock = std::array<std::uint8_t, kTarBlock>;

struct TarEntry {
  std::string name;
  std::uint64_t data = 0;  // where its bytes begin; its header is the block before
  std::uint64_t size = 0;
  std::uint32_t seal = 0;  // of its header
};

// Calls take() for each regular file, in order. Throws for what is no archive, is damaged, or ends
// without the mark of its end.
void scan_tar(const RandomAccess& file, const std::function<void(TarEntry&&)>& take);

// Of a header, so that another one in its place is noticed.
std::uint32_t seal_of_tar_header(const TarBlock& header);

}  // namespace sluice
