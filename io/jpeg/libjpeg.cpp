#include <sluice/io/jpeg/libjpeg.h>

#include <cstdlib>
#include <cstring>
#include <new>

#include <jerror.h>
#include <link.h>

namespace sluice {
namespace {

JpegErrors& errors_of(j_common_ptr object) { return *reinterpret_cast<JpegErrors*>(object->err); }

void note_place(j_common_ptr object, JpegErrors& errors) {
  if (object->is_decompressor == FALSE) return;
  const auto* decoder = reinterpret_cast<const jpeg_decompress_struct*>(object);
  errors.row = static_cast<int>(decoder->output_scanline);
  const bool one_scan = decoder->progressive_mode == FALSE && decoder->input_scan_number == 1 &&
                        decoder->comps_in_scan == decoder->num_components;
  if (errors.row == 0 && errors.header_read && one_scan && decoder->input_iMCU_row > 1) {
    // Skipped rows are counted only in rows of blocks. The last of these is still being read.
    errors.row = static_cast<int>(std::uint64_t{decoder->output_height} *
                                  (decoder->input_iMCU_row - 1) / decoder->total_iMCU_rows);
  }
  errors.scan = decoder->input_scan_number;
}

bool is_harmless(int code, bool header_read) {
  switch (code) {
    case JWRN_JFIF_MAJOR:
    case JWRN_ADOBE_XFORM:
    case JWRN_NOT_SEQUENTIAL:
      return true;
    case JWRN_EXTRANEOUS_DATA:
      return !header_read;
    default:
      return false;
  }
}

[[noreturn]] void on_error(j_common_ptr object) {
  JpegErrors& errors = errors_of(object);
  note_place(object, errors);
  errors.manager.format_message(object, errors.text);
  errors.fatal_is_damage = false;
  errors.out_of_memory = errors.manager.msg_code == JERR_OUT_OF_MEMORY;
  std::longjmp(errors.jump, 1);
}

// Levels below 0 are warnings; the others are trace messages.
void on_message(j_common_ptr object, int level) {
  JpegErrors& errors = errors_of(object);
  if (level >= 0) return;
  ++errors.manager.num_warnings;
  if (errors.damaged || is_harmless(errors.manager.msg_code, errors.header_read)) return;
  errors.damaged = true;
  note_place(object, errors);
  errors.manager.format_message(object, errors.text);
  if (errors.strict) {
    errors.fatal_is_damage = true;
    std::longjmp(errors.jump, 1);
  }
}

void print_nothing(j_common_ptr) {}

}  // namespace

void JpegErrors::install() {
  jpeg_std_error(&manager);
  manager.error_exit = on_error;
  manager.emit_message = on_message;
  manager.output_message = print_nothing;
}

void JpegErrors::start_image(bool strict_policy) {
  strict = strict_policy;
  header_read = false;
  damaged = false;
  fatal_is_damage = false;
  out_of_memory = false;
  row = 0;
  scan = 0;
  text[0] = '\0';
}

void JpegErrors::fail(j_common_ptr object, const char* message) {
  note_place(object, *this);
  fatal_is_damage = false;
  std::strncpy(text, message, sizeof text - 1);
  text[sizeof text - 1] = '\0';
  std::longjmp(jump, 1);
}

void JpegErrors::fail_out_of_memory() {
  out_of_memory = true;
  std::longjmp(jump, 1);
}

// Not inlined: otherwise the caller's locals would be in a frame that longjmp returns to.
[[gnu::noinline]] bool jpeg_guarded(JpegErrors& errors, JpegStep step, void* context) {
  if (setjmp(errors.jump) != 0) return false;
  step(context);
  return true;
}

JpegOutput::JpegOutput(JpegErrors& errors, std::size_t expected)
    : errors_(errors), capacity_(expected + 4096) {
  data_ = static_cast<std::uint8_t*>(std::malloc(capacity_));
  if (data_ == nullptr) throw std::bad_alloc();
  destination_.manager.free_in_buffer = capacity_;
}
JpegOutput::~JpegOutput() { std::free(data_); }

void JpegOutput::install(jpeg_compress_struct& info) {
  destination_.manager.init_destination = begin;
  destination_.manager.empty_output_buffer = grow;
  destination_.manager.term_destination = [](j_compress_ptr) {};
  destination_.owner = this;
  info.dest = &destination_.manager;
}

void JpegOutput::begin(j_compress_ptr info) {
  JpegOutput& self = *reinterpret_cast<Destination*>(info->dest)->owner;
  info->dest->next_output_byte = self.data_;
  info->dest->free_in_buffer = self.capacity_;
}

// Called when the buffer is full; the value of free_in_buffer is not valid then.
boolean JpegOutput::grow(j_compress_ptr info) {
  JpegOutput& self = *reinterpret_cast<Destination*>(info->dest)->owner;
  void* larger = std::realloc(self.data_, self.capacity_ * 2);
  if (larger == nullptr) self.errors_.fail_out_of_memory();
  self.data_ = static_cast<std::uint8_t*>(larger);
  info->dest->next_output_byte = self.data_ + self.capacity_;
  info->dest->free_in_buffer = self.capacity_;
  self.capacity_ *= 2;
  return TRUE;
}

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
