// LibraryEntropy: what stands at the beginning of libjpeg's entropy decoders, behind the pointer
// `entropy` of a decompress object, and whether it does so in the library that this process has
// loaded. Internal.
//
// No header of libjpeg says so, and the library may be another one than the program was compiled
// with. Hence what is there is looked at before anything is written to it.
//
// Threads: any number at once. Errors: none.
#pragma once

#include <cstdio>

#include <jpeglib.h>

namespace sluice {

struct LibraryEntropy {
  void (*start_pass)(j_decompress_ptr);
  boolean (*decode_mcu)(j_decompress_ptr, JBLOCKROW*);
};

// Whether the object behind info.entropy begins like that: with two different functions of the
// library that made `info`. From jpeg_start_decompress on.
bool has_known_entropy(const jpeg_decompress_struct& info) noexcept;

}  // namespace sluice
