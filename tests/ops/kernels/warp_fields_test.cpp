// Displacement fields, against their formulas; and the inverses by which boxes and points move.
#include "tests/error_of.h"
#include "tests/ops/kernels/place_level.h"
#include "tests/ops/kernels/reference.h"
#include <sluice/ops/kernels/boxes.h>
#include <sluice/ops/kernels/places.h>
#include <sluice/ops/kernels/warp_fields.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/random.h>
#include <sluice/runtime/tensor.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::testing {
namespace warp_fields_test {

using kernels::ElasticParams;
using kernels::GridParams;
using kernels::ImagePlace;
using kernels::PlaceFunction;
using kernels::WarpOptions;

// Returns the displacement of a pixel along x (k = 0) or y (k = 1).
double displacement(const Tensor& field, int y, int x, int k) {
  const Strides& strides = field.strides();
  return double{field.data<float>()[y * strides[0] + x * strides[1] + k * strides[2]]};
}

// The same at any position, by linear interpolation, one axis after the other.
double displacement_at(const Tensor& field, double x, double y, int k) {
  const double height = static_cast<double>(field.shape()[0]);
  const double width = static_cast<double>(field.shape()[1]);
  const double column = std::clamp(x - 0.5, 0.0, width - 1),
               row = std::clamp(y - 0.5, 0.0, height - 1);
  const auto mixed = [&](double r) {
    const int left = static_cast<int>(column), at = static_cast<int>(r);
    const int right = std::min(left + 1, static_cast<int>(width) - 1);
    const double part = column - left;
    return (1 - part) * displacement(field, at, left, k) + part * displacement(field, at, right, k);
  };
  const double upper = std::floor(row), lower = std::min(upper + 1, height - 1);
  return (1 - (row - upper)) * mixed(upper) + (row - upper) * mixed(lower);
}

Tensor elastic_field(int height, int width, const ElasticParams& params, std::uint64_t seed = 4) {
  Tensor field;
  kernels::elastic_field(Random({.seed = seed}), height, width, params, field);
  return field;
}
Tensor grid_field(int height, int width, const GridParams& params, std::uint64_t seed = 4) {
  Tensor field;
  Random random({.seed = seed});
  kernels::grid_field(random, height, width, params, field);
  return field;
}

constexpr std::pair<int, int> kSizes[] = {{1, 1}, {1, 9}, {7, 1}, {13, 21}, {64, 100}};

TEST(WarpFields, RemapShowsWhatTheFieldSays) {
  for (const auto& [height, width] : kSizes) {
    for (int channels = 1; channels <= 4; ++channels) {
      const Image in = make_image(height, width, channels);
      const Tensor field = elastic_field(height, width, {80, 2});
      for (const WarpOptions& how : kAllWarps) {
        Image out;
        kernels::remap("remap", in, field, how, out);
        ASSERT_EQ(out.height(), height);
        ASSERT_EQ(out.width(), width);
        for (int y = 0; y < height; ++y) {
          for (int x = 0; x < width; ++x) {
            for (int c = 0; c < channels; ++c) {
              EXPECT_NEAR(out.at(y, x, c),
                          place_level(in, x + 0.5 + displacement(field, y, x, 0),
                                      y + 0.5 + displacement(field, y, x, 1), c, how),
                          how.interpolation == Interpolation::bicubic ? 1 : 0.75);
            }
          }
        }
      }
    }
  }
}

// x and y are columns of a wider tensor.
TEST(WarpFields, MayBeViews) {
  const Tensor field = elastic_field(9, 12, {60, 2});
  Tensor wide({9, 12, 4}, DType::f32);
  for (std::int64_t i = 0; i < 9 * 12; ++i) {
    wide.data<float>()[4 * i + 1] = field.data<float>()[2 * i];
    wide.data<float>()[4 * i + 3] = field.data<float>()[2 * i + 1];
  }
  const Tensor view = Tensor::view(wide.bytes() + sizeof(float),
                                   {{9, 12, 2}, DType::f32, Layout::none}, {48, 4, 2});
  const Image in = make_image(9, 12, 3);
  Image out, expected;
  kernels::remap("remap", in, field, {}, expected);
  kernels::remap("remap", in, view, {}, out);
  EXPECT_EQ(out, expected);
  const ImagePlace place = kernels::field_places("op", view)(5, 6);
  EXPECT_EQ(place.x, kernels::field_places("op", field)(5, 6).x);
}

// Displacements are rounded to f32, which moves a position by much less than its own rounding.
TEST(WarpFields, RemapWithTheSameDrawIsElastic) {
  for (const auto& [height, width] : kSizes) {
    const Image in = make_image(height, width, 3);
    for (const WarpOptions& how : kAllWarps) {
      if (how.interpolation == Interpolation::nearest) continue;  // may take the next pixel
      for (const ElasticParams& params : {ElasticParams{64, 2}, {50, 1.5f}, {0, 3}, {9, 0}}) {
        Image direct, mapped;
        kernels::elastic(Random({.seed = 4}), in, params, how, direct);
        kernels::remap("remap", in, elastic_field(height, width, params), how, mapped);
        // Half of 64 is a power of two, so nothing is rounded.
        EXPECT_LE(largest_difference(direct, mapped), params.alpha == 64 ? 0 : 1)
            << params.alpha << ' ' << name_of(how.interpolation);
      }
    }
  }
}

// Walks through the cells.
std::vector<double> grid_places(Random& random, int length, const GridParams& params) {
  std::vector<double> widths;
  double sum = 0;
  for (int i = 0; i < params.steps; ++i) {
    widths.push_back(1 + double{params.limit} * (2 * random.unit_double() - 1));
    sum += widths.back();
  }
  std::vector<double> places;
  for (int x = 0; x < length; ++x) {
    double cells = (x + 0.5) * params.steps / length, before = 0;
    for (const double width : widths) {
      before += width * std::min(cells, 1.0);
      cells = std::max(cells - 1, 0.0);
    }
    places.push_back(before * length / sum);
  }
  return places;
}

TEST(WarpFields, GridsStretchTheirCells) {
  for (const auto& [height, width] : kSizes) {
    for (const GridParams& params : {GridParams{}, {1, 0.5f}, {3, 0.9f}, {10, 0}, {40, 0.3f}}) {
      const Tensor field = grid_field(height, width, params);
      Random random({.seed = 4});
      const std::vector<double> xs = grid_places(random, width, params);
      const std::vector<double> ys = grid_places(random, height, params);
      for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
          const double column = x + 0.5 + displacement(field, y, x, 0);
          const double row = y + 0.5 + displacement(field, y, x, 1);
          EXPECT_NEAR(column, xs[static_cast<std::size_t>(x)], 1e-4);
          EXPECT_NEAR(row, ys[static_cast<std::size_t>(y)], 1e-4);
          EXPECT_TRUE(column > 0 && column < width && row > 0 && row < height);
          if (params.limit == 0 || params.steps == 1) {
            EXPECT_NEAR(column, x + 0.5, 1e-4);
          }
        }
      }
      const Image in = make_image(height, width, 3);
      for (const WarpOptions& how : kAllWarps) {
        Image direct, mapped;
        Random same({.seed = 4});
        kernels::grid_distortion(same, in, params, how.interpolation, direct);
        kernels::remap("remap", in, field, {how.interpolation, Border::edge}, mapped);
        EXPECT_EQ(direct, mapped);
      }
    }
  }
}

TEST(WarpFields, PlacesShowThePositionsThatMoved) {
  struct Case {
    std::string text;
    Tensor field;
  };
  std::vector<Case> cases;
  cases.push_back({"one pixel", elastic_field(1, 1, {50, 5})});
  cases.push_back({"one row", elastic_field(1, 40, {50, 3})});
  cases.push_back({"usual", elastic_field(60, 80, {})});
  cases.push_back({"strong", elastic_field(60, 80, {300, 6})});
  cases.push_back({"folded", elastic_field(60, 80, {400, 4})});
  cases.push_back({"noise", elastic_field(20, 30, {30, 0})});
  cases.push_back({"grid", grid_field(60, 80, {})});
  cases.push_back({"rough grid", grid_field(60, 80, {9, 0.9f})});
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    const PlaceFunction places = kernels::field_places("op", c.field);
    const double height = static_cast<double>(c.field.shape()[0]);
    const double width = static_cast<double>(c.field.shape()[1]);
    Random random({.seed = 8});
    for (int i = 0; i < 300; ++i) {
      const double x = (2 * random.unit_double() - 0.5) * width;
      const double y = (2 * random.unit_double() - 0.5) * height;
      const ImagePlace q = places(x, y);
      EXPECT_NEAR(q.x + displacement_at(c.field, q.x, q.y, 0), x, kernels::kFieldAccuracy);
      EXPECT_NEAR(q.y + displacement_at(c.field, q.x, q.y, 1), y, kernels::kFieldAccuracy);
    }
  }
}

TEST(WarpFields, RefuseWhatIsNone) {
  const Image in = make_image(4, 6, 3);
  const auto told = [](const auto& f) { return error_of<std::invalid_argument>(f); };
  Image out;
  Tensor field;
  for (const Shape& shape : {Shape{4, 6}, Shape{4, 6, 3}, Shape{0, 6, 2}}) {
    EXPECT_NE(told([&] {
                kernels::remap("remap", in, Tensor(shape, DType::f32), {}, out);
              }).find("remap: a field is a tensor of f32 and the shape (height, width, 2)"),
              std::string::npos);
  }
  EXPECT_NE(told([&] { (void)kernels::field_places("op", Tensor({4, 6, 2}, DType::f64)); }), "");
  EXPECT_EQ(
      told([&] { kernels::remap("remap", in, elastic_field(6, 4, {}), {}, out); }),
      "remap: the image has 4 x 6 pixels (height x width) but the field 6 x 4; make the field "
      "with the image's canvas_size()");
  EXPECT_EQ(told([&] {
              elastic_field(4, 6, {-1, 2});
            }),
            "elastic_field: alpha is -1; it must lie between 0 and 100000");
  EXPECT_EQ(told([&] { grid_field(4, 6, {0}); }),
            "grid_field: steps is 0; it must lie between 1 and 1000");
  EXPECT_EQ(told([&] {
              grid_field(4, 6, {5, 1});
            }),
            "grid_field: limit is 1; it must lie between 0 and 0.9");
  EXPECT_NE(told([&] { elastic_field(0, 6, {}); }), "");
  Tensor nowhere = elastic_field(4, 6, {});
  std::fill_n(nowhere.data<float>(), nowhere.elements(), std::nanf(""));
  EXPECT_EQ(told([&] { (void)kernels::field_places("op", nowhere)(1, 2); }),
            "op: no position was found that shows (1, 2); the numbers of the field must be finite, "
            "and a smoother field helps");
  kernels::remap("remap", in, nowhere, {.fill = 9}, out);
  EXPECT_EQ(out, constant_image(4, 6, 3, 9));
}

TEST(LensPlaces, SolveTheFormula) {
  for (const auto& [k1, k2] : {std::pair{0.f, 0.f},
                               {0.4f, 0.f},
                               {-0.3f, 0.f},
                               {-0.2f, -0.07f},
                               {5.f, 80.f},
                               {-0.3f, 0.1f},
                               {0.f, 0.5f},
                               {0.f, -0.19f}}) {
    const PlaceFunction places = kernels::lens_places("op", 60, 80, k1, k2);
    for (int i = 0; i <= 100; ++i) {
      const double r = i / 100.0, angle = 0.7 * i;
      const double shown = r * (1 + double{k1} * r * r + double{k2} * r * r * r * r);
      const ImagePlace place =
          places(40 + 50 * shown * std::cos(angle), 30 + 50 * shown * std::sin(angle));
      EXPECT_NEAR(place.x, 40 + 50 * r * std::cos(angle), 50e-9) << k1 << ' ' << i;
      EXPECT_NEAR(place.y, 30 + 50 * r * std::sin(angle), 50e-9) << k1 << ' ' << i;
    }
  }
  // The largest distance that is shown is that of the corners: 0.7. Others move on outside.
  const PlaceFunction places = kernels::lens_places("op", 60, 80, -0.3f, 0);
  double before = 0;
  for (double shown = 0.005; shown < 2; shown += 0.01) {
    const double r = (places(40 + 50 * shown, 30).x - 40) / 50;
    EXPECT_GT(r, before);
    EXPECT_EQ(shown > 0.7, r > 1) << shown;
    before = r;
  }
  for (const auto& [k1, k2] : {std::pair{-0.34f, 0.f}, {0.f, -0.21f}, {-3.f, 2.f}}) {
    EXPECT_NE(error_of<std::invalid_argument>([&, k1 = k1, k2 = k2] {
                (void)kernels::lens_places("op", 60, 80, k1, k2);
              }).find("the image shows some positions twice"),
              std::string::npos);
  }
  EXPECT_EQ(error_of<std::invalid_argument>([] {
              (void)kernels::lens_places("op", 60, 80, std::numeric_limits<float>::infinity(), 0);
            }),
            "op: k1 is inf; a finite number is needed");
}

Tensor rows_of(const std::vector<float>& numbers, std::int64_t columns) {
  Tensor tensor({static_cast<std::int64_t>(numbers.size()) / columns, columns}, DType::f32);
  std::copy(numbers.begin(), numbers.end(), tensor.data<float>());
  return tensor;
}
std::vector<float> numbers_of(const Tensor& tensor) {
  return {tensor.data<float>(), tensor.data<float>() + tensor.elements()};
}

TEST(PerspectiveMaps, TheInverseLeadsBack) {
  const kernels::PerspectiveMap map{1.1, 0.2, -3, -0.1, 0.8, 4, 0.002, -0.001, 1};
  const kernels::PerspectiveMap back = kernels::inverse_perspective("op", map);
  const auto moved = [](const kernels::PerspectiveMap& m, double x, double y) {
    const double w = m[6] * x + m[7] * y + m[8];
    return ImagePlace{(m[0] * x + m[1] * y + m[2]) / w, (m[3] * x + m[4] * y + m[5]) / w};
  };
  for (const ImagePlace& p : {ImagePlace{0, 0}, {30, 4}, {-700, 90}, {1000, 2000}}) {
    const ImagePlace there = moved(map, p.x, p.y), again = moved(back, there.x, there.y);
    EXPECT_NEAR(again.x, p.x, 1e-8);
    EXPECT_NEAR(again.y, p.y, 1e-8);
  }
  EXPECT_NE(error_of<std::invalid_argument>([] {
              (void)kernels::inverse_perspective("op", {1, 0, 0, 0, 1, 0, 0, 0, std::nan("")});
            }),
            "");
}

TEST(PerspectiveMaps, HaveAHorizon) {
  // Positions with x = 10 have no place.
  const kernels::PerspectiveMap map{1, 0, 0, 0, 1, 0, -0.1, 0, 1};
  Tensor out;
  kernels::move_points_in_perspective("op", rows_of({0, 4, 5, 3, 15, 3}, 2), map, out);
  EXPECT_EQ(numbers_of(out), (std::vector<float>{0, 4, 10, 6, -30, -6}));
  kernels::move_boxes_in_perspective("op", rows_of({0, 3, 5, 4, 15, 3, 20, 4}, 4), map, out);
  EXPECT_EQ(numbers_of(out), (std::vector<float>{0, 3, 10, 8, -30, -8, -20, -3}));
  EXPECT_EQ(
      error_of<std::invalid_argument>([&] {
        kernels::move_points_in_perspective("op", rows_of({0, 4, 10, 3}, 2), map, out);
      }),
      "op: point 1 is (10, 3), which lies on the horizon of the map and has no place; drop it "
      "before");
  for (const auto& box : {std::vector<float>{5, 3, 15, 4}, {5, 3, 10, 4}, {10, 3, 15, 4}}) {
    EXPECT_NE(error_of<std::invalid_argument>([&] {
                kernels::move_boxes_in_perspective("op", rows_of(box, 4), map, out);
              }).find("op: box 0 is ("),
              std::string::npos);
  }
}

// The parabola (x, y + (x - 5)^2) is lowest in the middle of the upper edge.
TEST(Boxes, CurvesAreSampledAlongEdges) {
  const PlaceFunction bent = [](double x, double y) {
    return ImagePlace{x, y + (x - 5) * (x - 5)};
  };
  Tensor out;
  kernels::move_boxes_along_curves("op", rows_of({0, 0, 10, 4, 7, 1, 7, 1}, 4), bent, out);
  EXPECT_EQ(numbers_of(out), (std::vector<float>{0, 0, 10, 29, 7, 5, 7, 5}));
  kernels::move_points_along_curves("op", rows_of({3, 1}, 2), bent, out);
  EXPECT_EQ(numbers_of(out), (std::vector<float>{3, 5}));
}

}  // namespace warp_fields_test
}  // namespace sluice::testing
