// LibraryEntropy: the beginning of libjpeg's entropy decoder objects, which the pointer `entropy`
// of a decompress object refers to. has_known_entropy() tests if the loaded library uses this
// layout. Internal.
//
// No header of libjpeg declares it, and the loaded library may differ from the one that the program
// was compiled with. So the object is checked before anything is written to it.
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

// True if the object behind info.entropy begins with this layout: with two different functions of
// the library that created `info`. Call after jpeg_start_decompress.
bool has_known_entropy(const jpeg_decompress_struct& info) noexcept;

}  // namespace sluice
