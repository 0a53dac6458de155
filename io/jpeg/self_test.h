// Tests if Sluice's entropy decoder works with the loaded libjpeg, and if JpegPixels makes the same
// pixels as that library. The entropy decoder replaces a part of the library that has no documented
// interface, so both are tested before their first use, once per process.
//
// The test does not rely on a version: the loaded library need not be the one that Sluice was
// compiled with, and does not report its version.
//
// Threads: any number at once; the first one runs the test. Errors: std::bad_alloc; the next call
// then runs the test again.
#pragma once

namespace sluice {

// Runs the test. Returns false if the environment has SLUICE_JPEG=stock, or if the library's own
// entropy decoder does not have the expected layout (libjpeg.h). Also returns false unless our
// decoder reads test images completely, with the same pixels as the library's.
bool jpeg_entropy_works();
// The same result, computed by the first call.
bool jpeg_entropy_is_usable();
// The same with JpegPixels, computed by the first call.
bool jpeg_pixels_are_usable();

}  // namespace sluice
