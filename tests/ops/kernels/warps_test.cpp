// Kernels that look up a place of the input for each pixel of the output.
#include "tests/io/images.h"
#include "tests/ops/kernels/filter_reference.h"
#include "tests/ops/kernels/image_kernel.h"
#include "tests/ops/kernels/place_level.h"
#include <sluice/ops/kernels/places.h>
#include <sluice/ops/kernels/warp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <functional>
#include <limits>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace sluice::testing {
namespace warps_test {

using kernels::AffineMap;
using kernels::ElasticParams;
using kernels::PerspectiveMap;
using kernels::PerspectivePoints;
using kernels::RotateOptions;
using kernels::WarpOptions;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The place of the input that shows at (x, y) of the output.
using PlaceOf = std::function<Place(double x, double y)>;

Levels levels_at(const Image& in, const WarpOptions& options, int height, int width,
                 const PlaceOf& place_of) {
  Levels out(height, width, in.channels());
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const Place from = place_of(x + 0.5, y + 0.5);
      for (int c = 0; c < in.channels(); ++c)
        out.at(y, x, c) = place_level(in, from.x, from.y, c, options);
    }
  }
  return out;
}

// Places are rounded. That changes bicubic values more.
double tolerance_of(const WarpOptions& options) {
  return options.interpolation == Interpolation::bicubic ? 1 : 0.75;
}

std::string text_of(const WarpOptions& options) {
  return std::string(", ") + name_of(options.interpolation) + ", " + name_of(options.border);
}

// A kernel without settings, for the sizes that all warps are tested with.
ImageKernel warp(const std::string& name) {
  ImageKernel kernel(name);
  kernel.sizes = {{1, 1}, {1, 7}, {5, 1}, {2, 3}, {13, 11}, {29, 37}};
  kernel.wide_sizes = {{4, 257}, {33, 40}};
  return kernel;
}

// Adds settings for all interpolations and borders. The size of the image stays.
void give_all(ImageKernel& kernel, const std::string& arguments,
              const std::function<void(const Image&, const WarpOptions&, Image&)>& run,
              const std::function<PlaceOf(const Image&)>& places) {
  for (const WarpOptions& options : kAllWarps) {
    kernel.gives(
        arguments + text_of(options), [=](const Image& in, Image& out) { run(in, options, out); },
        [=](const Image& in) {
          return levels_at(in, options, in.height(), in.width(), places(in));
        },
        tolerance_of(options));
  }
}

// The output size: the canvas that holds all corners.
ImageSize canvas_of(const Image& in, double angle) {
  const double height = in.height(), width = in.width();
  const double cosine = std::abs(std::cos(angle)), sine = std::abs(std::sin(angle));
  const auto length = [](double middle, double reach) {
    return static_cast<int>(std::ceil(middle + reach) - std::floor(middle - reach));
  };
  return {length(height / 2, (sine * width + cosine * height) / 2),
          length(width / 2, (cosine * width + sine * height) / 2)};
}

Levels rotated(const Image& in, double degrees, const RotateOptions& options) {
  const double angle = degrees * std::numbers::pi / 180.0;
  const ImageSize size =
      options.keep_size ? ImageSize{in.height(), in.width()} : canvas_of(in, angle);
  return levels_at(in, {options.interpolation, options.border, options.fill}, size.height,
                   size.width, [&](double x, double y) {
                     const double dx = x - size.width / 2.0, dy = y - size.height / 2.0;
                     return Place{std::cos(angle) * dx - std::sin(angle) * dy + in.width() / 2.0,
                                  std::sin(angle) * dx + std::cos(angle) * dy + in.height() / 2.0};
                   });
}

// Counter-clockwise: the right column becomes the upper row.
Levels quarter_turned(const Levels& in) {
  Levels out(in.width, in.height, in.channels);
  out.fill([&](int y, int x, int c) { return in.at(x, in.width - 1 - y, c); });
  return out;
}

ImageKernel rotate() {
  ImageKernel kernel = warp("rotate");
  kernel.sizes = {{1, 1}, {1, 9}, {8, 1}, {2, 2}, {31, 40}, {50, 37}};
  const auto with = [](float degrees, const RotateOptions& options) {
    return [=](const Image& in, Image& out) { kernels::rotate(in, degrees, options, out); };
  };
  const auto gives = [&](float degrees, const RotateOptions& options,
                         const std::vector<ImageSize>& sizes = {}) {
    kernel.gives(
        std::to_string(degrees) + " degrees, " + name_of(options.interpolation) + ", " +
            name_of(options.border) + (options.keep_size ? ", same size" : ""),
        with(degrees, options),
        [=](const Image& in) { return rotated(in, double{degrees}, options); },
        tolerance_of({.interpolation = options.interpolation}), sizes);
  };
  for (const float degrees : {0.5f, 10.f, 20.f, 33.25f, 89.f, 91.f, 200.f, -17.f, 355.f, 720.5f}) {
    for (const bool keep_size : {false, true}) {
      for (const Interpolation interpolation :
           {Interpolation::nearest, Interpolation::bilinear, Interpolation::bicubic}) {
        for (const Border border : {Border::constant, Border::edge})
          gives(degrees, {keep_size, {7, 77, 177, 250}, interpolation, border});
      }
    }
  }
  for (const float degrees : {15.f, 300.f}) gives(degrees, {}, {{30, 25}});
  // Quarter turns move whole pixels.
  for (const auto& [degrees, turns] : {std::pair{0.f, 0},
                                       {-720.f, 0},
                                       {90.f, 1},
                                       {450.f, 1},
                                       {180.f, 2},
                                       {270.f, 3},
                                       {-90.f, 3}}) {
    kernel.gives(std::to_string(degrees) + " degrees", with(degrees, {}),
                 [turns = turns](const Image& in) {
                   Levels out(in);
                   for (int i = 0; i < turns; ++i) out = quarter_turned(out);
                   return out;
                 },
                 0, {{11, 17}, {17, 11}, {30, 25}});
  }
  kernel.refuses(with(std::numeric_limits<float>::infinity(), {}),
                 "rotate: the angle is inf; a finite number is needed");
  kernel.refuses([](const Image& in, Image& out) { kernels::rotate(in, 10, {.fill = 256}, out); },
                 "a fill value lies in 0 .. 255, not 256");
  kernel.refuses(
      [](const Image& in, Image& out) {
        kernels::rotate(in, 10, {.fill = {0, -1, 0}}, out);
      },
      "a fill value lies in 0 .. 255, not -1");
  kernel.refuses(
      with(10, {.interpolation = Interpolation::lanczos}),
      "rotate: interpolation lanczos is not possible; take nearest, bilinear or bicubic");
  kernel.refuses(with(10, {.border = Border::reflect}),
                 "rotate: border reflect is not possible; take constant or edge");
  return kernel;
}

TEST(Rotate, CanvasHoldsTheCorners) {
  const struct {
    int height, width;
    float degrees;
    int out_height, out_width;
  } cases[] = {
      // ceil(max) - floor(min) of the turned corners: the half width for 20 degrees is (500 cos 20
      // + 375 sin 20) / 2 = 299.05 about 250, which gives 550 + 50.
      {375, 500, 20.f, 525, 600}, {375, 500, -20.f, 525, 600}, {100, 100, 45.f, 142, 142},
      {10, 20, 90.f, 20, 10},     {10, 20, 180.f, 10, 20},     {10, 20, 270.f, 20, 10},
      {10, 20, -90.f, 20, 10},    {10, 20, 360.f, 10, 20},
  };
  for (const auto& c : cases) {
    Image out;
    kernels::rotate(make_image(c.height, c.width, 3), c.degrees, {}, out);
    EXPECT_EQ(out.height(), c.out_height) << c.degrees;
    EXPECT_EQ(out.width(), c.out_width) << c.degrees;
  }
}

TEST(Rotate, FillsPixelsWithoutASource) {
  const Image in = constant_image(40, 40, 3, 100);
  Image out;
  kernels::rotate(in, 45, {.fill = {1, 2, 3}}, out);
  EXPECT_EQ(out.at(0, 0, 0), 1);
  EXPECT_EQ(out.at(0, 0, 1), 2);
  EXPECT_EQ(out.at(0, 0, 2), 3);
  EXPECT_EQ(out.at(out.height() / 2, out.width() / 2, 1), 100);
  kernels::rotate(in, 45, {.fill = 128}, out);
  for (int c = 0; c < 3; ++c) EXPECT_EQ(out.at(out.height() - 1, out.width() - 1, c), 128);
  kernels::rotate(in, 45, {.fill = 100}, out);
  EXPECT_EQ(out, constant_image(out.height(), out.width(), 3, 100));
}

// The point at (dx, dy) from the center goes to (dx + x dy, dy + y dx).
ImageKernel shear() {
  ImageKernel kernel = warp("shear");
  for (const kernels::Shear& s : {kernels::Shear{0.25, 0, 0, 0},
                                  {0, -0.5, 0, 0},
                                  {0.5, 0, 0, 0.5},
                                  {-1, 1, 0.5, 0.5},
                                  {0.5, -0.5, 0.25, 0}}) {
    give_all(
        kernel, "x " + std::to_string(s.x) + ", y " + std::to_string(s.y),
        [=](const Image& in, const WarpOptions& options, Image& out) {
          kernels::shear(in, s, options, out);
        },
        [=](const Image& in) -> PlaceOf {
          // Solved for dx and dy.
          const double cx = s.center_x * in.width(), cy = s.center_y * in.height();
          return [=, area = 1 - s.x * s.y](double x, double y) {
            const double dx = x - cx, dy = y - cy;
            return Place{(dx - s.x * dy) / area + cx, (dy - s.y * dx) / area + cy};
          };
        });
    // The division is not exact for other areas. Then, nearest may take the next pixel.
    const double area = 1 - s.x * s.y;
    if (area == 1.0 || area == 2.0) continue;
    for (std::size_t i = kernel.settings.size() - std::size(kAllWarps); i < kernel.settings.size();
         ++i) {
      ImageKernel::Setting& setting = kernel.settings[i];
      if (setting.arguments.find("nearest") != std::string::npos) setting.tolerance = 255;
    }
  }
  kernel.refuses(
      [](const Image& in, Image& out) { kernels::shear(in, {.x = 2, .y = 0.5}, {}, out); },
      "shear: x = 2 and y = 0.5 collapse the image to a line; x * y must not be 1");
  return kernel;
}

TEST(Shear, MovesARowToTheRight) {
  Image in = constant_image(8, 16, 1, 0), out;
  for (int y = 0; y < 8; ++y) in.row(y)[3] = 200;
  kernels::shear(in, {.x = 2, .center_y = 0.5}, {.interpolation = Interpolation::nearest}, out);
  for (int y = 0; y < 8; ++y) {
    // Row 4 is half a row below the middle, so it moves by one pixel.
    for (int x = 0; x < 16; ++x) EXPECT_EQ(out.at(y, x, 0), x == 3 + 2 * y - 7 ? 200 : 0);
  }
}

// Undoes one step after the other: the move, the rotation, the scale, the shears along y and x.
Place before_affine(const kernels::Affine& a, double height, double width, double x, double y) {
  const double radians = std::numbers::pi / 180;
  const double cx = a.center_x * width, cy = a.center_y * height;
  double dx = x - cx - (a.relative ? a.x * width : a.x);
  double dy = y - cy - (a.relative ? a.y * height : a.y);
  const std::complex<double> turned =
      std::complex<double>(dx, dy) * std::polar(1 / a.scale, a.degrees * radians);
  dx = turned.real();
  dy = turned.imag();
  dy -= std::tan(a.shear_y * radians) * dx;
  dx -= std::tan(a.shear_x * radians) * dy;
  return {dx + cx, dy + cy};
}

ImageKernel affine() {
  ImageKernel kernel = warp("affine");
  for (const kernels::Affine& a :
       {kernels::Affine{.degrees = 30, .scale = 1.5},
        {.degrees = -100, .x = 3, .y = -2.5, .scale = 0.4},
        {.x = 0.25, .y = -0.125, .relative = true, .shear_x = 20},
        {.shear_x = -35, .shear_y = 50, .center_x = 0, .center_y = 1},
        {.degrees = 12, .x = 1, .y = 2, .scale = 0.7, .shear_x = 10, .shear_y = -15}}) {
    give_all(
        kernel,
        fmt::format("{} degrees, by {}, {}, scale {}, shear {}, {}", a.degrees, a.x, a.y, a.scale,
                    a.shear_x, a.shear_y),
        [=](const Image& in, const WarpOptions& options, Image& out) {
          kernels::affine(in, a, options, out);
        },
        [=](const Image& in) -> PlaceOf {
          return [=, height = in.height(), width = in.width()](double x, double y) {
            return before_affine(a, height, width, x, y);
          };
        });
    // Positions are not exact, so nearest may take the next pixel.
    for (std::size_t i = kernel.settings.size() - std::size(kAllWarps); i < kernel.settings.size();
         ++i) {
      ImageKernel::Setting& setting = kernel.settings[i];
      if (setting.arguments.find("nearest") != std::string::npos) setting.tolerance = 255;
    }
  }
  kernel.refuses([](const Image& in, Image& out) { kernels::affine(in, {.scale = 0}, {}, out); },
                 "affine: scale must be above 0, but is 0");
  kernel.refuses([](const Image& in, Image& out) { kernels::affine(in, {.shear_y = 90}, {}, out); },
                 "affine: a shear must be between -90 and 90 degrees, but they are 0 and 90");
  return kernel;
}

// With only one of its steps, affine equals rotate, shear or translate.
TEST(Affine, AgreesWithRotateShearAndTranslate) {
  const Image in = draw_image(31, 40, 3, 5);
  Image one, other;
  for (const Interpolation way : {Interpolation::nearest, Interpolation::bilinear}) {
    kernels::affine(in, {.degrees = 33}, {.interpolation = way, .fill = 9}, one);
    kernels::rotate(in, 33, {.keep_size = true, .fill = 9, .interpolation = way}, other);
    EXPECT_EQ(one, other);
    kernels::affine(in, {.shear_x = 45}, {.interpolation = way}, one);
    kernels::shear(in, {std::tan(std::numbers::pi / 4), 0, 0.5, 0.5}, {.interpolation = way},
                   other);
    EXPECT_EQ(one, other);
    kernels::affine(in, {.x = 7, .y = -3}, {.interpolation = way}, one);
    kernels::translate(in, 7, -3, false, {.interpolation = way}, other);
    EXPECT_EQ(one, other);
  }
}

ImageKernel translate() {
  ImageKernel kernel = warp("translate");
  const auto gives = [&](double by_x, double by_y, bool relative) {
    give_all(
        kernel, std::to_string(by_x) + ", " + std::to_string(by_y) + (relative ? ", relative" : ""),
        [=](const Image& in, const WarpOptions& options, Image& out) {
          kernels::translate(in, by_x, by_y, relative, options, out);
        },
        [=](const Image& in) -> PlaceOf {
          const double dx = relative ? by_x * in.width() : by_x;
          const double dy = relative ? by_y * in.height() : by_y;
          return [=](double x, double y) { return Place{x - dx, y - dy}; };
        });
  };
  for (const Place& by : {Place{0, 0}, {3, -2}, {-1.25, 0.5}, {0.75, 100}, {-65535, 65535}})
    gives(by.x, by.y, false);
  gives(0.5, -0.25, true);
  // Whole pixels do not change.
  gives(4, 3, false);
  for (std::size_t i = kernel.settings.size() - std::size(kAllWarps); i < kernel.settings.size();
       ++i) {
    kernel.settings[i].tolerance = 0;
    kernel.settings[i].sizes = {{11, 23}};
  }
  return kernel;
}

ImageKernel perspective() {
  ImageKernel kernel = warp("perspective");
  for (const PerspectiveMap& m : {PerspectiveMap{1, 0, 0, 0, 1, 0, 0, 0, 1},
                                  {0.9, 0.2, -1.3, -0.1, 1.1, 2.2, 0.01, -0.004, 1},
                                  {2, 0, 0, 0, 2, 0, 0, 0, -2},
                                  {1, 0, 0, 0, 1, 0, -0.11, 0.03, 0.7}}) {
    const auto place_of = [=](double x, double y) {
      const double part = 1 / (m[6] * x + m[7] * y + m[8]);
      return Place{(m[0] * x + m[1] * y + m[2]) * part, (m[3] * x + m[4] * y + m[5]) * part};
    };
    for (const WarpOptions& options : kAllWarps) {
      kernel.gives(
          "a map that begins with " + std::to_string(m[0]) + text_of(options),
          [=](const Image& in, Image& out) {
            kernels::warp_perspective("perspective", in, m, in.height() + 1, in.width() + 2,
                                      options, out);
          },
          [=](const Image& in) {
            return levels_at(in, options, in.height() + 1, in.width() + 2, place_of);
          },
          tolerance_of(options));
    }
  }
  kernel.refuses(
      [](const Image& in, Image& out) {
        kernels::warp_perspective("perspective", in, {kNan}, 3, 3, {}, out);
      },
      "perspective: a number of the matrix is nan; a finite number is needed");
  kernel.refuses(
      [](const Image& in, Image& out) {
        kernels::warp_perspective("perspective", in, {}, 3, 3, {.border = Border::reflect}, out);
      },
      "perspective: border reflect is not possible; take constant or edge");
  return kernel;
}

TEST(Perspective, MapsPointsToTheirPlaces) {
  const PerspectivePoints from{{{0, 0}, {99, 0}, {99, 79}, {0, 79}}};
  const PerspectivePoints to{{{10, 3}, {80, -7.5}, {120, 60}, {-4, 70}}};
  const PerspectiveMap m = kernels::map_of_points("perspective", from, to);
  for (std::size_t i = 0; i < 4; ++i) {
    const auto& [x, y] = from[i];
    const double w = m[6] * x + m[7] * y + m[8];
    EXPECT_NEAR((m[0] * x + m[1] * y + m[2]) / w, to[i].x, 1e-9);
    EXPECT_NEAR((m[3] * x + m[4] * y + m[5]) / w, to[i].y, 1e-9);
  }
  const auto told = [](const PerspectivePoints& a, const PerspectivePoints& b) {
    return refusal([&] { (void)kernels::map_of_points("perspective", a, b); });
  };
  const std::string end = " lie on a line, so they are no corners of a quadrilateral";
  EXPECT_EQ(told(from, {{{0, 0}, {1, 1}, {2, 2}, {0, 5}}}),
            "perspective: three of the points (0, 0) (1, 1) (2, 2) (0, 5)" + end);
  EXPECT_EQ(told({}, to), "perspective: three of the points (0, 0) (0, 0) (0, 0) (0, 0)" + end);
}

// The map leads nowhere, or as far away as numbers go.
TEST(Perspective, TakesPlacesThatAreNone) {
  const Image in = constant_image(4, 4, 2, 9);
  Image out;
  kernels::warp_perspective("perspective", in, {}, 4, 4, {.border = Border::edge, .fill = 5}, out);
  EXPECT_EQ(out.at(2, 2, 1), 5);
  kernels::warp_perspective("perspective", in, {1e300, 0, 0, 0, -1e300, 0, 0, 0, 1}, 4, 4,
                            {.border = Border::edge, .fill = 5}, out);
  EXPECT_EQ(out.at(2, 2, 1), 9);
}

ImageKernel warp_affine() {
  ImageKernel kernel = warp("warp_affine");
  const auto with = [](const AffineMap& map, int height = 8, int width = 8,
                       const WarpOptions& options = {}) {
    return [=](const Image& in, Image& out) {
      kernels::warp_affine("warp_affine", in, map, height, width, options, out);
    };
  };
  // Numbers with few bits, so that the kernel and the reference compute the same places.
  for (const AffineMap& m : {AffineMap{},
                             {1, 0.3125, -4, 0, 1, 0},
                             {0.5, 0, 0, 0, 2, 0},
                             {-1.25, 0.125, 30, 0.6875, 0.875, -2},
                             {0, 1, 0, 1, 0, 0},
                             {1, 0, 1000000, 0, 1, 0},
                             {0, 0, 3.25, 0, 0, 2.5}}) {
    const PlaceOf place_of = [=](double x, double y) {
      return Place{m.xx * x + m.xy * y + m.x0, m.yx * x + m.yy * y + m.y0};
    };
    const std::string arguments = "xx " + std::to_string(m.xx) + ", xy " + std::to_string(m.xy);
    give_all(
        kernel, arguments,
        [=](const Image& in, const WarpOptions& options, Image& out) {
          with(m, in.height(), in.width(), options)(in, out);
        },
        [=](const Image&) { return PlaceOf(place_of); });
    for (const WarpOptions& options : kAllWarps) {
      for (const auto& [height, width] : {ImageSize{1, 1}, {9, 33}}) {
        kernel.gives(
            arguments + text_of(options) + ", to " + std::to_string(height) + " x " +
                std::to_string(width),
            with(m, height, width, options),
            [=, height = height, width = width](const Image& in) {
              return levels_at(in, options, height, width, place_of);
            },
            tolerance_of(options));
      }
    }
  }
  const std::pair<AffineMap, const char*> too_far[] = {
      {{kNan, 0, 0, 0, 1, 0}, "[nan 0 0; 0 1 0] takes the pixels at nan x 0"},
      {{-kNan, 0, 0, 0, 1, 0}, "[nan 0 0; 0 1 0] takes the pixels at nan x 0"},
      {{1, 0, 0, 0, kInfinity, 0}, "[1 0 0; 0 inf 0] takes the pixels at 0 x nan"},
      {{3e6, 0, 0, 0, 1, 0}, "[3e+06 0 0; 0 1 0] takes the pixels at 2.4e+07 x 0"},
      {{1, 0, 0, 0, 1, -1e300}, "[1 0 0; 0 1 -1e+300] takes the pixels at 0 x -1e+300"}};
  for (const auto& [map, text] : too_far) {
    kernel.refuses(with(map), "warp_affine: the map " + std::string(text) +
                                  " (x, y), for an output of 8 x 8 (height x width); places must "
                                  "lie within 16777216 of the image's corner");
  }
  const auto impossible = [](const char* size) {
    return "warp_affine: a size of " + std::string(size) +
           " (height x width) is not possible; each must lie in 1 .. 65535";
  };
  kernel.refuses(with({}, 0, 8), impossible("0 x 8"));
  kernel.refuses(with({}, 8, 65536), impossible("8 x 65536"));
  kernel.refuses(with({}, 8, 8, {.interpolation = Interpolation::lanczos}),
                 "warp_affine: interpolation lanczos is not possible; take nearest, bilinear or "
                 "bicubic");
  kernel.refuses(with({}, 8, 8, {.border = Border::reflect}),
                 "warp_affine: border reflect is not possible; take constant or edge");
  return kernel;
}

TEST(WarpAffine, TakesPlacesUpToTheLimit) {
  const Image in = make_image(8, 8, 3);
  const auto told = [&](const AffineMap& map) {
    Image out;
    return refusal([&] { kernels::warp_affine("warp", in, map, 8, 8, {}, out); });
  };
  EXPECT_EQ(told({}), "");
  EXPECT_EQ(told({1, 0, -16777215, 0, 1, 16777200}), "");
}

TEST(WarpAffine, TheInverseLeadsBack) {
  const AffineMap map{2, 0.5, -7, -0.25, 1.5, 3};
  const AffineMap back = kernels::inverse("warp_affine", map);
  for (const Place& p : {Place{0, 0}, {10, 3}, {-5, 70}}) {
    const double x = map.xx * p.x + map.xy * p.y + map.x0;
    const double y = map.yx * p.x + map.yy * p.y + map.y0;
    EXPECT_NEAR(back.xx * x + back.xy * y + back.x0, p.x, 1e-12);
    EXPECT_NEAR(back.yx * x + back.yy * y + back.y0, p.y, 1e-12);
  }
  const std::pair<AffineMap, const char*> lines[] = {{{1, 2, 0, 2, 4, 0}, "[1 2 0; 2 4 0]"},
                                                     {{0, 0, 0, 0, 0, 0}, "[0 0 0; 0 0 0]"},
                                                     {{kNan, 0, 0, 0, 1, 0}, "[nan 0 0; 0 1 0]"}};
  for (const auto& [line, text] : lines) {
    EXPECT_EQ(refusal([&line = line] { (void)kernels::inverse("warp", line); }),
              "warp: the map " + std::string(text) +
                  " collapses the image to a line, so it has no inverse");
  }
}

ImageKernel lens_distortion() {
  ImageKernel kernel = warp("lens_distortion");
  for (const auto& [k1, k2] : {std::pair{0.f, 0.f}, {0.4f, 0.f}, {-0.3f, 0.1f}, {5.f, -9.f}}) {
    give_all(
        kernel, "k1 " + std::to_string(k1) + ", k2 " + std::to_string(k2),
        [k1 = k1, k2 = k2](const Image& in, const WarpOptions& options, Image& out) {
          kernels::lens_distortion(in, k1, k2, options, out);
        },
        [k1 = double{k1}, k2 = double{k2}](const Image& in) -> PlaceOf {
          const double cx = in.width() / 2.0, cy = in.height() / 2.0;
          return [=](double x, double y) {
            const double r = std::hypot(x - cx, y - cy) / std::hypot(cx, cy);
            const double scale = 1 + k1 * std::pow(r, 2) + k2 * std::pow(r, 4);
            return Place{cx + (x - cx) * scale, cy + (y - cy) * scale};
          };
        });
  }
  kernel.refuses(
      [](const Image& in, Image& out) {
        kernels::lens_distortion(in, std::numeric_limits<float>::infinity(), 0, {}, out);
      },
      "lens_distortion: k1 is inf; a finite number is needed");
  return kernel;
}

// Blurs numbers by a Gaussian in two dimensions at once.
std::vector<double> blurred(const std::vector<double>& in, int height, int width, double sigma) {
  const int radius = (static_cast<int>(8 * sigma + 1) | 1) / 2;
  double norm = 0;
  for (int i = -radius; i <= radius; ++i) norm += std::exp(-i * i / (2 * sigma * sigma));
  std::vector<double> out;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      double sum = 0;
      for (int i = -radius; i <= radius; ++i) {
        for (int k = -radius; k <= radius; ++k) {
          const int row = folded(y + i, height), column = folded(x + k, width);
          sum += std::exp(-(i * i + k * k) / (2 * sigma * sigma)) *
                 *(in.begin() + row * width + column);
        }
      }
      out.push_back(sum / (norm * norm));
    }
  }
  return out;
}

ImageKernel elastic() {
  ImageKernel kernel = warp("elastic");
  kernel.sizes = {{1, 1}, {1, 7}, {5, 1}, {13, 11}, {3, 150}};
  const auto with = [](const ElasticParams& params, const WarpOptions& options) {
    return [=](const Image& in, Image& out) {
      kernels::elastic(Random({.seed = 9}), in, params, options, out);
    };
  };
  const WarpOptions options{Interpolation::bilinear, Border::edge};
  kernel.gives(
      "alpha 40", with({40, 1.5f}, options),
      [=](const Image& in) {
        const int height = in.height(), width = in.width();
        Random random({.seed = 9});
        const auto shifts = [&] {
          std::vector<double> numbers(static_cast<std::size_t>(height * width));
          for (double& number : numbers) number = 2.0 * double{random.unit()} - 1;
          return blurred(numbers, height, width, 1.5);
        };
        const std::vector<double> dx = shifts(), dy = shifts();
        return levels_at(in, options, height, width, [&](double x, double y) {
          const int i = static_cast<int>(y) * width + static_cast<int>(x);
          return Place{x + 20 * *(dx.begin() + i), y + 20 * *(dy.begin() + i)};
        });
      },
      tolerance_of(options));
  kernel.gives("alpha 0", with({0, 0}, {Interpolation::bicubic}),
               [](const Image& in) { return Levels(in); }, 0, {{9, 12}});
  kernel.refuses(with({-1, 2}, {}), "elastic: alpha is -1; it must lie between 0 and 100000");
  kernel.refuses(with({1, 65}, {}), "elastic: sigma is 65; it must lie between 0 and 64");
  return kernel;
}

INSTANTIATE_TEST_SUITE_P(Warps, ImageKernels,
                         ::testing::Values(rotate(), shear(), translate(), perspective(), affine(),
                                           warp_affine(), lens_distortion(), elastic()),
                         name_of_kernel);

}  // namespace warps_test
}  // namespace sluice::testing
