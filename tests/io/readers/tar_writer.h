// Writes tar archives, valid and invalid, for tests.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

namespace sluice {

struct TarHeader {
  std::string name;
  std::string size;  // the field as it is: up to 12 bytes
  char type = '0';
  std::string prefix = {};
  std::string magic = std::string(
      "ustar\0"
      "00",
      8);
  std::string target = {};  // of a link
};

inline std::string octal(std::uint64_t number) {
  char text[16];
  std::snprintf(text, sizeof(text), "%011llo", static_cast<unsigned long long>(number));
  return text;
}

inline std::string tar_block(const TarHeader& header) {
  std::string block(512, '\0');
  const auto put = [&block](std::size_t at, std::string_view text) {
    block.replace(at, text.size(), text);
  };
  put(0, header.name.substr(0, 100));
  put(100, "0000644");
  put(124, header.size);
  put(136, octal(0));
  put(148, "        ");
  block[156] = header.type;
  put(157, header.target.substr(0, 100));
  put(257, header.magic);
  put(345, header.prefix);
  unsigned sum = 0;
  for (const char byte : block) sum += static_cast<unsigned char>(byte);
  char text[8];
  std::snprintf(text, sizeof(text), "%06o", sum);
  put(148, std::string_view(text, 7));
  return block;
}

class TarWriter {
 public:
  TarWriter& add(const TarHeader& header, std::string_view content) {
    bytes_ += tar_block(header);
    bytes_ += content;
    bytes_.resize((bytes_.size() + 511) / 512 * 512);
    return *this;
  }
  TarWriter& file(const std::string& name, std::string_view content) {
    return add({name, octal(content.size())}, content);
  }
  TarWriter& header(const TarHeader& header) { return add(header, {}); }
  TarWriter& pax(std::string_view key, std::string_view value, char type = 'x') {
    std::string record = " " + std::string(key) + "=" + std::string(value) + "\n";
    std::size_t length = record.size() + 1;
    while (std::to_string(length).size() + record.size() != length) ++length;
    record = std::to_string(length) + record;
    return add({"PaxHeader", octal(record.size()), type}, record);
  }
  // Type '1' is a hard link, '2' a symbolic one.
  TarWriter& link(const std::string& name, const std::string& target, char type = '1') {
    TarHeader header{.name = name, .size = octal(0), .type = type};
    header.target = target;
    return add(header, {});
  }
  // The long name of the next entry, or with 'K' its link target.
  TarWriter& gnu_name(const std::string& name, char type = 'L') {
    const std::string text = name + '\0';
    return add({"././@LongLink", octal(text.size()), type, "", "ustar  "}, text);
  }
  // Returns the archive without its end marker.
  const std::string& open() const { return bytes_; }
  std::string whole() const { return bytes_ + std::string(1024, '\0'); }

 private:
  std::string bytes_;
};

}  // namespace sluice
