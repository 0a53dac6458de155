#include <sluice/io/readers/files.h>
#include <sluice/io/readers/mnist_cifar.h>
#include <sluice/io/readers/open_file.h>
#include <sluice/runtime/text.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace sluice {
namespace {

[[noreturn]] void refuse_file(const std::string& path, const std::string& what) {
  throw IoError("'" + escape_control_chars(path) + "' " + what);
}

void require_sample(std::int64_t i, std::int64_t samples) {
  if (i < 0 || i >= samples)
    throw std::out_of_range("there is no sample " + std::to_string(i) + " of " +
                            std::to_string(samples));
}

void refuse_compressed(const std::string& path, std::string_view content) {
  if (content.starts_with("\x1f\x8b"))
    refuse_file(path, "is compressed: decompress it with gunzip");
}

// A file of the idx format: big-endian numbers, then bytes.
struct Idx {
  std::vector<std::uint32_t> sizes;
  std::string content;
  std::size_t begin = 0;  // of the bytes
  const std::uint8_t* bytes() const {
    return reinterpret_cast<const std::uint8_t*>(content.data()) + begin;
  }
};

std::uint32_t number_at(std::string_view content, std::size_t at) {
  std::uint32_t number = 0;
  for (const char byte : content.substr(at, 4))
    number = number << 8 | static_cast<std::uint8_t>(byte);
  return number;
}

Idx read_idx(const std::string& path, std::size_t dimensions, const char* what) {
  Idx idx;
  idx.content = OpenFile(path).content();
  idx.begin = 4 + 4 * dimensions;
  refuse_compressed(path, idx.content);
  const std::string_view content = idx.content;
  if (content.size() < idx.begin || number_at(content, 0) != 0x800 + dimensions) {
    refuse_file(path, std::string("is not a file of ") + what +
                          ": it does not begin with 00 00 08 0" + std::to_string(dimensions) +
                          " and " + std::to_string(dimensions) + " numbers");
  }
  // Divide step by step, since the product may overflow.
  std::size_t rest = content.size() - idx.begin;
  bool fits = true;
  for (std::size_t i = 0; i < dimensions; ++i) {
    idx.sizes.push_back(number_at(content, 4 + 4 * i));
    if (idx.sizes[i] == 0) refuse_file(path, "is empty: one of its sizes is 0");
    fits = fits && rest % idx.sizes[i] == 0;
    rest /= idx.sizes[i];
  }
  if (!fits || rest != 1) {
    std::string sizes;
    for (const std::uint32_t size : idx.sizes)
      sizes += (sizes.empty() ? "" : " x ") + std::to_string(size);
    refuse_file(path, "has " + std::to_string(content.size() - idx.begin) +
                          " bytes behind its header, which says " + sizes);
  }
  return idx;
}

}  // namespace

struct Mnist::Data {
  std::string path;
  Idx images;
  Idx labels;
};

Mnist::Mnist(const std::string& images, const std::string& labels) {
  Data data{images, read_idx(images, 3, "images"), read_idx(labels, 1, "labels")};
  constexpr std::uint32_t kMost = 65535;
  if (data.images.sizes[1] > kMost || data.images.sizes[2] > kMost)
    refuse_file(images, "has images that are larger than 65535 pixels");
  if (data.images.sizes[0] != data.labels.sizes[0]) {
    refuse_file(images, "has " + counted(data.images.sizes[0], "image") + ", but '" +
                            escape_control_chars(labels) + "' has " +
                            counted(data.labels.sizes[0], "label"));
  }
  data_ = std::make_shared<const Data>(std::move(data));
}

std::int64_t Mnist::size() const { return data_->images.sizes[0]; }
std::string Mnist::name(std::int64_t i) const { return data_->path + ":" + std::to_string(i); }

std::tuple<Image, std::int64_t> Mnist::read(std::int64_t i) const {
  require_sample(i, size());
  const std::vector<std::uint32_t>& sizes = data_->images.sizes;
  Image image(static_cast<int>(sizes[1]), static_cast<int>(sizes[2]), 1);
  const std::size_t bytes = std::size_t{sizes[1]} * sizes[2];
  std::memcpy(image.data(), data_->images.bytes() + static_cast<std::size_t>(i) * bytes, bytes);
  return {std::move(image), data_->labels.bytes()[i]};
}

namespace detail {
namespace {

constexpr int kSide = 32;
constexpr std::size_t kPlane = std::size_t{kSide} * kSide;
constexpr std::size_t kChannels = 3;

}  // namespace

struct CifarFiles::Data {
  struct File {
    std::string path;
    std::string content;
    std::size_t end = 0;  // records of this file and those before
  };
  std::vector<File> files;
  std::size_t labels = 0;

  std::size_t record() const { return labels + kChannels * kPlane; }
  // The place of record i.
  struct Place {
    const File& file;
    std::size_t number;  // in the file
  };
  Place place(std::int64_t i) const {
    require_sample(i, static_cast<std::int64_t>(files.back().end));
    const auto number = static_cast<std::size_t>(i);
    const auto file =
        std::upper_bound(files.begin(), files.end(), number,
                         [](std::size_t wanted, const File& one) { return wanted < one.end; });
    return {*file, number - (file->end - file->content.size() / record())};
  }
  std::span<const std::uint8_t> bytes(std::int64_t i) const {
    const auto [file, number] = place(i);
    return {reinterpret_cast<const std::uint8_t*>(file.content.data()) + number * record(),
            record()};
  }
};

CifarFiles::CifarFiles(const std::vector<std::string>& files, std::vector<int> most) {
  if (files.empty()) throw BuildError("cifar: no files are named");
  Data data;
  data.labels = most.size();
  for (const std::string& path : files) {
    std::string content = OpenFile(path).content();
    refuse_compressed(path, content);
    const std::size_t records = content.size() / data.record();
    if (records == 0 || content.size() % data.record() != 0) {
      refuse_file(path, "has " + std::to_string(content.size()) +
                            " bytes, which are not records of " + std::to_string(data.record()));
    }
    for (std::size_t i = 0; i < records; ++i) {
      for (std::size_t which = 0; which < most.size(); ++which) {
        const auto label = static_cast<std::uint8_t>(content[i * data.record() + which]);
        if (label < most[which]) continue;
        refuse_file(path, "has the label " + std::to_string(label) + " in record " +
                              std::to_string(i) + ", where it is below " +
                              std::to_string(most[which]));
      }
    }
    const std::size_t before = data.files.empty() ? 0 : data.files.back().end;
    data.files.push_back({path, std::move(content), before + records});
  }
  data_ = std::make_shared<const Data>(std::move(data));
}

std::int64_t CifarFiles::size() const { return static_cast<std::int64_t>(data_->files.back().end); }

std::string CifarFiles::name(std::int64_t i) const {
  const auto [file, number] = data_->place(i);
  return file.path + ":" + std::to_string(number);
}

std::int64_t CifarFiles::label(std::int64_t i, std::size_t which) const {
  return data_->bytes(i)[which];
}

Image CifarFiles::image(std::int64_t i) const {
  const std::span<const std::uint8_t> planes = data_->bytes(i).subspan(data_->labels);
  Image image(kSide, kSide, kChannels);
  std::uint8_t* const pixels = image.data();
  for (std::size_t pixel = 0; pixel < kPlane; ++pixel) {
    for (std::size_t c = 0; c < kChannels; ++c)
      pixels[pixel * kChannels + c] = planes[c * kPlane + pixel];
  }
  return image;
}

}  // namespace detail

std::tuple<Image, std::int64_t> Mnist::operator()(const SampleInfo& info) const {
  return read(info.index);
}

Cifar10::Cifar10(const std::vector<std::string>& files) : files_(files, {10}) {}
std::tuple<Image, std::int64_t> Cifar10::read(std::int64_t i) const {
  return {files_.image(i), files_.label(i, 0)};
}
std::tuple<Image, std::int64_t> Cifar10::operator()(const SampleInfo& info) const {
  return read(info.index);
}

Cifar100::Cifar100(const std::vector<std::string>& files) : files_(files, {20, 100}) {}
std::tuple<Image, std::int64_t, std::int64_t> Cifar100::read(std::int64_t i) const {
  return {files_.image(i), files_.label(i, 1), files_.label(i, 0)};
}
std::tuple<Image, std::int64_t, std::int64_t> Cifar100::operator()(const SampleInfo& info) const {
  return read(info.index);
}

}  // namespace sluice
