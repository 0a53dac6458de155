// Whether Sluice's entropy decoder works with the libjpeg at hand. It stands in for a part of the
// library that has no documented interface, so it proves itself before its first use, once a
// process.
//
// Threads: any number at once; the first one makes the test. Errors: none.
#pragma once

namespace sluice {

// False for a version of the library that was never looked at, when the environment has
// SLUICE_JPEG=stock, and when pictures made for the purpose do not decode to the same pixels with
// it and without.
bool jpeg_entropy_is_usable();

}  // namespace sluice
