// Whether Sluice's entropy decoder works with the libjpeg at hand. It stands in for a part of the
// library that has no documented interface, so it proves itself before its first use, once a
// process.
//
// It asks for no version: the library that is loaded need not be the one that was compiled with,
// and does not say which one it is.
//
// Threads: any number at once; the first one makes the test. Errors: std::bad_alloc, and the next
// one makes it.
#pragma once

namespace sluice {

// False when the environment has SLUICE_JPEG=stock, when the library's own entropy decoder does not
// look as it should (library_entropy.h), and when pictures made for the purpose are not read
// by ours from the first group of blocks to the last, to the same pixels as without it.
bool jpeg_entropy_works();
// The same, found out by the first call.
bool jpeg_entropy_is_usable();

}  // namespace sluice
