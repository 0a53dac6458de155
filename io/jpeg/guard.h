// What our JPEG decoder and encoder share of libjpeg's error handling. Internal: no user includes
// it.
//
// libjpeg reports a fatal error by a call that must not return. jpeg_guarded() is the one function
// of Sluice that holds setjmp. It runs one step, a plain function whose locals need no destructors,
// and comes back with false when libjpeg gave up within it. No exception and no jump crosses it:
// neither steps nor what libjpeg calls of ours throw; their memory is taken before. Warnings are
// sorted into harmless ones and ones that mean lost picture data; with `strict` the first of the
// latter is fatal.
//
// Threads: one JpegErrors belongs to one libjpeg object and so to one thread.
#pragma once

#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include <jpeglib.h>

namespace sluice {

struct JpegErrors {
  jpeg_error_mgr manager{};  // first, so that libjpeg's pointer to it is a pointer to all of this
  std::jmp_buf jump{};
  bool strict = false;
  bool header_read = false;      // what lies between segments is harmless only before that
  bool damaged = false;          // a warning of lost data was seen
  bool fatal_is_damage = false;  // the fatal error is such a warning, under `strict`
  bool out_of_memory = false;    // the fatal error says nothing of the picture
  int row = 0;                   // where the first warning or the fatal error was: rows delivered
  int scan = 0;                  // and scans begun
  char text[JMSG_LENGTH_MAX]{};  // its message

  // Connects libjpeg's callbacks; the object's `err` is then &manager.
  void install();
  // Forgets what happened to the picture before.
  void start_picture(bool strict_policy);
  // Ends the running step with a message; for callbacks of ours. Never returns.
  [[noreturn]] void fail(j_common_ptr object, const char* message);
  [[noreturn]] void fail_out_of_memory();
};

using JpegStep = void (*)(void* context) noexcept;

// Runs step(context). False if libjpeg ended it by a fatal error: the object is then good for
// nothing but being destroyed.
bool jpeg_guarded(JpegErrors& errors, JpegStep step, void* context);

}  // namespace sluice
