// Applies kernels to images, for the script that compares them with other libraries.
//
// Standard input: lines of the form  IN OUT COMMAND ARGUMENTS...  where IN is a PGM or PPM file (P5
// or P6, 255 levels) and OUT is written likewise, or, for `normalize`, as bare 32-bit floats (C x H
// x W).
//
//   resize HEIGHT WIDTH FILTER
//   rotate DEGREES expand|keep FILTER FILL
//   warp_affine XX XY X0 YX YY Y0 HEIGHT WIDTH FILTER constant|edge FILL
//   shear X Y CENTER_X CENTER_Y FILTER FILL
//   translate X Y FILTER FILL
//   flip HORIZONTAL VERTICAL                              (0 or 1)
//   brightness_contrast BRIGHTNESS CONTRAST CENTER
//   autocontrast
//   color_space_conversion to|from                       (YCbCr, of RGB)
//   color_twist BRIGHTNESS CONTRAST SATURATION HUE
//   contrast FACTOR
//   gaussian_blur SIGMA WINDOW                            (0: not given)
//   sharpness FACTOR
//   box_blur WINDOW
//   median_blur WINDOW
//   filter_2d ROWS COLUMNS WEIGHT...
//   clahe CLIP_LIMIT TILES_Y TILES_X
//   crop Y X HEIGHT WIDTH
//   dilate HEIGHT WIDTH, erode HEIGHT WIDTH
//   equalize
//   gamma_correction GAMMA GAIN
//   grayscale CHANNELS
//   hue DEGREES
//   jpeg_distortion QUALITY
//   laplacian WINDOW SCALE
//   perspective M0 ... M8 FILTER                          (from the output to the input; edge)
//   permute_channels FIRST SECOND THIRD
//   posterize BITS
//   saturation FACTOR
//   solarize THRESHOLD
//   normalize HEIGHT WIDTH MIRROR                         (ImageNet's mean and std, bilinear)
// Exit status 1, with a message, at the first line that fails.
#include <sluice/ops/kernels/blur.h>
#include <sluice/ops/kernels/color.h>
#include <sluice/ops/kernels/filter.h>
#include <sluice/ops/kernels/levels.h>
#include <sluice/ops/kernels/moves.h>
#include <sluice/ops/kernels/noise.h>
#include <sluice/ops/kernels/normalize.h>
#include <sluice/ops/kernels/places.h>
#include <sluice/ops/kernels/resize.h>
#include <sluice/ops/kernels/warp.h>

#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>

namespace sluice {
namespace {

Image read_image(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string magic;
  int width = 0, height = 0, levels = 0;
  file >> magic >> width >> height >> levels;
  file.get();
  if (!file || (magic != "P5" && magic != "P6") || levels != 255) {
    throw std::runtime_error(path + ": not a P5 or P6 file with 255 levels");
  }
  Image image(height, width, magic == "P5" ? 1 : 3);
  file.read(reinterpret_cast<char*>(image.data()),
            static_cast<std::streamsize>(image.row_bytes()) * height);
  if (!file) throw std::runtime_error(path + ": too short");
  return image;
}

void write_bytes(const std::string& path, const std::string& header, const void* data,
                 std::size_t bytes) {
  std::ofstream file(path, std::ios::binary);
  file << header;
  file.write(static_cast<const char*>(data), static_cast<std::streamsize>(bytes));
  if (!file) throw std::runtime_error(path + ": cannot be written");
}

Interpolation interpolation_named(const std::string& name) {
  for (const Interpolation i :
       {Interpolation::nearest, Interpolation::box, Interpolation::bilinear, Interpolation::hamming,
        Interpolation::bicubic, Interpolation::lanczos}) {
    if (name == name_of(i)) return i;
  }
  throw std::runtime_error("no filter is called '" + name + "'");
}

// The next word of the line as T.
template <class T>
T next(std::istream& line) {
  T value{};
  if (!(line >> value)) throw std::runtime_error("an argument is missing or is not of its type");
  return value;
}

void write_image(const std::string& path, const Image& image) {
  write_bytes(path,
              std::string(image.channels() == 1 ? "P5 " : "P6 ") + std::to_string(image.width()) +
                  " " + std::to_string(image.height()) + " 255\n",
              image.data(), image.row_bytes() * static_cast<std::size_t>(image.height()));
}

void apply(std::istream& line) {
  const Image in = read_image(next<std::string>(line));
  const std::string path = next<std::string>(line);
  const std::string command = next<std::string>(line);
  Image out;
  if (command == "resize") {
    const int height = next<int>(line), width = next<int>(line);
    const Interpolation interpolation = interpolation_named(next<std::string>(line));
    std::string how;
    line >> how;
    kernels::resize(in, height, width, {interpolation, how != "aliased"}, out);
  } else if (command == "rotate") {
    const float degrees = next<float>(line);
    const bool keep_size = next<std::string>(line) == "keep";
    const Interpolation interpolation = interpolation_named(next<std::string>(line));
    kernels::rotate(in, degrees, {keep_size, next<int>(line), interpolation}, out);
  } else if (command == "warp_affine") {
    double m[6];
    for (double& number : m) number = next<double>(line);
    const int height = next<int>(line), width = next<int>(line);
    const Interpolation interpolation = interpolation_named(next<std::string>(line));
    const Border border = next<std::string>(line) == "edge" ? Border::edge : Border::constant;
    kernels::warp_affine("warp_affine", in, {m[0], m[1], m[2], m[3], m[4], m[5]}, height, width,
                         {interpolation, border, next<int>(line)}, out);
  } else if (command == "shear") {
    kernels::Shear how;
    for (double* number : {&how.x, &how.y, &how.center_x, &how.center_y})
      *number = next<double>(line);
    const Interpolation interpolation = interpolation_named(next<std::string>(line));
    kernels::shear(in, how, {interpolation, Border::constant, next<int>(line)}, out);
  } else if (command == "translate") {
    const double x = next<double>(line), y = next<double>(line);
    const Interpolation interpolation = interpolation_named(next<std::string>(line));
    kernels::translate(in, x, y, false, {interpolation, Border::constant, next<int>(line)}, out);
  } else if (command == "flip") {
    const bool horizontal = next<bool>(line), vertical = next<bool>(line);
    kernels::flip(in, horizontal, vertical, out);
  } else if (command == "brightness_contrast") {
    const float brightness = next<float>(line), contrast = next<float>(line);
    kernels::brightness_contrast(in, brightness, contrast, next<float>(line), out);
  } else if (command == "gaussian_blur") {
    const float sigma = next<float>(line);
    kernels::gaussian_blur(in, {.sigma = sigma, .window_size = next<int>(line)}, out);
  } else if (command == "sharpness") {
    kernels::sharpness(in, next<float>(line), out);
  } else if (command == "box_blur") {
    kernels::box_blur(in, next<int>(line), out);
  } else if (command == "median_blur") {
    kernels::median_blur(in, next<int>(line), out);
  } else if (command == "filter_2d") {
    kernels::FilterWeights filter;
    filter.rows = next<int>(line);
    filter.columns = next<int>(line);
    for (int i = 0; i < filter.rows * filter.columns; ++i)
      filter.weights.at(static_cast<std::size_t>(i)) = next<float>(line);
    kernels::filter_2d(in, filter, out);
  } else if (command == "crop") {
    Rectangle region;
    region.y = next<int>(line);
    region.x = next<int>(line);
    region.height = next<int>(line);
    region.width = next<int>(line);
    kernels::crop(in, region, out);
  } else if (command == "gamma_correction") {
    const float gamma = next<float>(line);
    kernels::gamma_correction(in, gamma, next<float>(line), out);
  } else if (command == "autocontrast") {
    kernels::autocontrast(in, out);
  } else if (command == "equalize") {
    kernels::equalize(in, out);
  } else if (command == "color_space_conversion") {
    const bool to = next<std::string>(line) == "to";
    kernels::color_space_conversion(in, to ? PixelFormat::rgb : PixelFormat::ycbcr,
                                    to ? PixelFormat::ycbcr : PixelFormat::rgb, out);
  } else if (command == "permute_channels") {
    kernels::ChannelOrder order{};
    for (int& channel : order) channel = next<int>(line);
    kernels::permute_channels(in, order, out);
  } else if (command == "color_twist") {
    kernels::ColorTwist twist;
    twist.brightness = next<float>(line);
    twist.contrast = next<float>(line);
    twist.saturation = next<float>(line);
    twist.hue = next<float>(line);
    kernels::color_twist(in, twist, out);
  } else if (command == "hue") {
    kernels::hue(in, next<float>(line), out);
  } else if (command == "contrast") {
    kernels::contrast(in, next<float>(line), out);
  } else if (command == "grayscale") {
    kernels::grayscale(in, next<int>(line), out);
  } else if (command == "saturation") {
    kernels::saturation(in, next<float>(line), out);
  } else if (command == "posterize") {
    kernels::posterize(in, next<int>(line), out);
  } else if (command == "solarize") {
    kernels::solarize(in, next<float>(line), out);
  } else if (command == "clahe") {
    const float limit = next<float>(line);
    const int tiles_y = next<int>(line);
    kernels::clahe(in, {limit, tiles_y, next<int>(line)}, out);
  } else if (command == "dilate" || command == "erode") {
    const int height = next<int>(line);
    const kernels::MorphologyWindow window{height, next<int>(line)};
    command == "dilate" ? kernels::dilate(in, window, out) : kernels::erode(in, window, out);
  } else if (command == "jpeg_distortion") {
    kernels::jpeg_distortion(in, next<int>(line), out);
  } else if (command == "laplacian") {
    const int window = next<int>(line);
    kernels::laplacian(in, window, next<float>(line), out);
  } else if (command == "perspective") {
    kernels::PerspectiveMap map{};
    for (double& number : map) number = next<double>(line);
    kernels::warp_perspective("perspective", in, map, in.height(), in.width(),
                              {interpolation_named(next<std::string>(line)), Border::edge, 0}, out);
  } else if (command == "normalize") {
    const int height = next<int>(line), width = next<int>(line);
    const kernels::NormalizeParams params{.mirror = next<bool>(line),
                                          .mean = {0.485f, 0.456f, 0.406f, 0.0f},
                                          .std = {0.229f, 0.224f, 0.225f, 1.0f}};
    Tensor tensor;
    kernels::resize_mirror_normalize(in, height, width, Interpolation::bilinear, params, tensor);
    return write_bytes(path, "", tensor.bytes(), tensor.spec().bytes());
  } else {
    throw std::runtime_error("no kernel is called '" + command + "'");
  }
  write_image(path, out);
}

}  // namespace
}  // namespace sluice

int main() {
  std::string text;
  while (std::getline(std::cin, text)) {
    std::istringstream line(text);
    try {
      sluice::apply(line);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "kernel_dump: %s\n  in: %s\n", error.what(), text.c_str());
      return 1;
    }
  }
  return 0;
}
