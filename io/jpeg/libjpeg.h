// Access to libjpeg beyond its interface, for our decoder and encoder: JpegErrors and
// jpeg_guarded() for its errors, JpegOutput for what it writes, and LibraryEntropy, the layout of
// its entropy decoder. Internal: users do not include it.
//
// libjpeg reports a fatal error by a call that must not return. jpeg_guarded() is the only function
// that uses setjmp for libjpeg. It runs one step, a plain function whose locals need no
// destructors, and returns false if libjpeg gave up within it. No exception and no jump crosses it:
// steps and our callbacks of libjpeg do not throw, because their memory is allocated before.
// Warnings are divided into harmless ones and ones that mean lost image data. With `strict`, the
// first of the latter is fatal.
//
// Threads: one JpegErrors belongs to one libjpeg object and so to one thread.
#pragma once

#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>

#include <jpeglib.h>

namespace sluice {

struct JpegErrors {
  jpeg_error_mgr manager{};  // first, so that libjpeg's pointer to it is a pointer to all of this
  std::jmp_buf jump{};
  bool strict = false;
  bool header_read = false;      // stray bytes between segments are harmless only before that
  bool damaged = false;          // a warning of lost data was seen
  bool fatal_is_damage = false;  // the fatal error is such a warning, under `strict`
  bool out_of_memory = false;    // the fatal error is not about the image
  int row = 0;                   // at the first warning or the fatal error: rows delivered
  int scan = 0;                  // and scans begun
  char text[JMSG_LENGTH_MAX]{};  // its message

  // Connects libjpeg's callbacks; the object's `err` is then &manager.
  void install();
  // Resets the state for a new image.
  void start_image(bool strict_policy);
  // Ends the running step with a message, for our callbacks. Never returns.
  [[noreturn]] void fail(j_common_ptr object, const char* message);
  [[noreturn]] void fail_out_of_memory();
};

using JpegStep = void (*)(void* context) noexcept;

// Runs step(context). Returns false if libjpeg ended it by a fatal error: the object must then be
// destroyed.
bool jpeg_guarded(JpegErrors& errors, JpegStep step, void* context);

// JpegOutput: the bytes that a compress object writes. libjpeg's own memory destination loses its
// buffer on an error, so this class has its own.
class JpegOutput {
 public:
  // Begins with memory for `expected` bytes and a little more. Throws std::bad_alloc; later, a lack
  // of memory is an error of the running step.
  JpegOutput(JpegErrors& errors, std::size_t expected);
  JpegOutput(const JpegOutput&) = delete;
  JpegOutput& operator=(const JpegOutput&) = delete;
  ~JpegOutput();

  // Makes `info` write here, from the first byte on. For a step.
  void install(jpeg_compress_struct& info);
  std::span<const std::uint8_t> bytes() const {
    return {data_, capacity_ - destination_.manager.free_in_buffer};
  }

 private:
  struct Destination {
    jpeg_destination_mgr manager;  // first: libjpeg hands out a pointer to it
    JpegOutput* owner;
  };
  static void begin(j_compress_ptr info);
  static boolean grow(j_compress_ptr info);

  JpegErrors& errors_;
  Destination destination_{};
  std::uint8_t* data_ = nullptr;
  std::size_t capacity_ = 0;
};

// LibraryEntropy: the beginning of libjpeg's entropy decoder objects, which the pointer `entropy`
// of a decompress object refers to. has_known_entropy() tests if the loaded library uses this
// layout.
//
// No header of libjpeg declares it, and the loaded library may differ from the one that the program
// was compiled with. So the object is checked before anything is written to it.
struct LibraryEntropy {
  void (*start_pass)(j_decompress_ptr);
  boolean (*decode_mcu)(j_decompress_ptr, JBLOCKROW*);
};

// True if the object behind info.entropy begins with this layout: with two different functions of
// the library that created `info`. Call after jpeg_start_decompress.
bool has_known_entropy(const jpeg_decompress_struct& info) noexcept;

}  // namespace sluice
