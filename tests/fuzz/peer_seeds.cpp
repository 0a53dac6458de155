// Writes first inputs of both kinds for peer_fuzzer into a folder:
//
//   peer_seeds FOLDER

#include <sluice/io/workers/message.h>
#include <sluice/runtime/tensor.h>

#include <cstddef>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>

namespace sluice::detail {
namespace {

void write(const std::filesystem::path& folder, const std::string& name, std::string_view fields,
           std::string_view content) {
  std::ofstream out(folder / name, std::ios::binary);
  out.exceptions(std::ios::failbit | std::ios::badbit);
  out << fields << content;
}

void write_answers(const std::filesystem::path& folder) {
  using namespace std::string_view_literals;
  constexpr std::string_view kFields = "\0\0\0"sv;
  write(folder, "whole", kFields,
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nETag: \"a\"\r\nLast-Modified: Thu, 01 Jan 1970 "
        "00:00:00 GMT\r\nContent-MD5: XUFAKrxLKna5cZ2REBfFkg==\r\nConnection: close\r\n\r\nhello");
  write(folder, "part", kFields,
        "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 10-19/100\r\nTransfer-Encoding: "
        "chunked\r\nx-goog-hash: crc32c=n03x6A==\r\nWarning: 214 - \"changed\"\r\n\r\n");
  write(folder, "unknown", kFields,
        "HTTP/2 206 \r\ncontent-range: bytes 0-0/*\r\ncontent-length: 1, 1\r\n"
        "content-encoding: gzip\r\nx-goog-stored-content-encoding: gzip\r\n\r\n");
  write(
      folder, "error", kFields,
      "HTTP/1.1 404 Not Found\r\n\r\n<Error><Code>NoSuchKey</Code><Message>none</Message></Error>");
}

// Messages of values: the bytes of the input after the first three.
void write_replies(const std::filesystem::path& folder) {
  const auto write_values = [&folder](const std::string& name, char wanted,
                                      const WireValues& values) {
    MessageWriter message(Header{});
    values.write(message);
    const std::span<const std::byte> all = message.message().subspan(sizeof(Header));
    const std::string fields{'\1', static_cast<char>(values.count()), wanted};
    write(folder, name, fields, {reinterpret_cast<const char*>(all.data()), all.size()});
  };
  WireValues number;
  number.add_number(42);
  write_values("number", 0, number);
  for (const auto& [name, kind, wanted] :
       {std::tuple{"text", ValueKind::text, 1}, {"bytes", ValueKind::bytes, 2}}) {
    WireValues values;
    WireValue value;
    value.kind = kind;
    constexpr std::string_view kText = "hello";
    (void)values.add_inline(value, std::as_bytes(std::span(kText)));
    write_values(name, static_cast<char>(wanted), values);
  }
  for (const bool is_shared : {false, true}) {
    for (const auto& [name, kind, wanted] :
         {std::tuple{"tensor", ValueKind::tensor, 3}, {"image", ValueKind::image, 4}}) {
      const Tensor tensor({2, 3, 3}, DType::u8);
      WireValue value = WireValues::of(tensor, kind);
      WireValues values;
      if (is_shared) {
        value.segment = 1;
        value.offset = 64;
        values.add(value);
      } else {
        const std::string zeros(tensor.nbytes(), '\0');
        (void)values.add_inline(value, std::as_bytes(std::span(zeros)));
      }
      write_values(name + std::string(is_shared ? "-shared" : ""), static_cast<char>(wanted),
                   values);
    }
  }
}

}  // namespace
}  // namespace sluice::detail

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::fprintf(stderr, "usage: peer_seeds FOLDER\n");
    return 2;
  }
  std::filesystem::create_directories(argv[1]);
  sluice::detail::write_answers(argv[1]);
  sluice::detail::write_replies(argv[1]);
} catch (const std::exception& error) {
  std::fprintf(stderr, "peer_seeds: %s\n", error.what());
  return 1;
}
