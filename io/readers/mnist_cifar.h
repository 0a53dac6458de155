// Datasets of the binary MNIST and CIFAR files, for Graph::read.
//
//   auto [image, label] = g.read(mnist_in("train-images-idx3-ubyte", "train-labels-idx1-ubyte"));
//   auto [image, label] = g.read(cifar10_in({"data_batch_1.bin", "data_batch_2.bin"}));
//   auto [image, label, coarse] = g.read(cifar100_in({"train.bin"}));
//
// Images are HWC. MNIST, and other files in its format (two idx files of bytes, of any size), have
// 1 channel; CIFAR has 3. The files are read into memory once.
//
// Ownership: each is a small handle on that memory; copies are cheap, samples are copies. Threads:
// any number at once. Errors: when files are opened, IoError that names the file. It is thrown for
// files that are missing, of another kind, compressed, too short or too long, that do not belong
// together, or that hold invalid labels.
#pragma once

#include <sluice/graph/exec/sample.h>
#include <sluice/runtime/image.h>

#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace sluice {

class Mnist {
 public:
  Mnist(const std::string& images, const std::string& labels);

  std::int64_t size() const;
  std::string name(std::int64_t i) const;  // "train-images-idx3-ubyte:17"
  std::tuple<Image, std::int64_t> read(std::int64_t i) const;
  // For Graph::read.
  std::tuple<Image, std::int64_t> operator()(const SampleInfo& info) const;

 private:
  struct Data;
  std::shared_ptr<const Data> data_;
};

namespace detail {

// Files of records: some labels of a byte each, then 3 x 32 x 32 bytes.
class CifarFiles {
 public:
  // `most`: the number of values of each label.
  CifarFiles(const std::vector<std::string>& files, std::vector<int> most);
  std::int64_t size() const;
  std::string name(std::int64_t i) const;  // "train.bin:17"
  std::int64_t label(std::int64_t i, std::size_t which) const;
  Image image(std::int64_t i) const;

 private:
  struct Data;
  std::shared_ptr<const Data> data_;
};

}  // namespace detail

class Cifar10 {
 public:
  explicit Cifar10(const std::vector<std::string>& files);

  std::int64_t size() const { return files_.size(); }
  std::string name(std::int64_t i) const { return files_.name(i); }
  std::tuple<Image, std::int64_t> read(std::int64_t i) const;
  // For Graph::read.
  std::tuple<Image, std::int64_t> operator()(const SampleInfo& info) const;

 private:
  detail::CifarFiles files_;
};

class Cifar100 {
 public:
  explicit Cifar100(const std::vector<std::string>& files);

  std::int64_t size() const { return files_.size(); }
  std::string name(std::int64_t i) const { return files_.name(i); }
  // The image, its class of 100, and its class of 20.
  std::tuple<Image, std::int64_t, std::int64_t> read(std::int64_t i) const;
  // For Graph::read.
  std::tuple<Image, std::int64_t, std::int64_t> operator()(const SampleInfo& info) const;

 private:
  detail::CifarFiles files_;
};

inline Mnist mnist_in(const std::string& images, const std::string& labels) {
  return {images, labels};
}
inline Cifar10 cifar10_in(const std::vector<std::string>& files) { return Cifar10(files); }
inline Cifar100 cifar100_in(const std::vector<std::string>& files) { return Cifar100(files); }

}  // namespace sluice
