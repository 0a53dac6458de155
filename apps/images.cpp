#include "images.h"

#include "canvas.h"
#include "output_paths.h"
#include "usage.h"
#include <sluice/io/jpeg/encode.h>
#include <sluice/io/jpeg/orientation.h>
#include <sluice/runtime/text.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace sluice::app {
namespace {

constexpr Color kWhite{1, 1, 1};
constexpr Color kInk{0.13f, 0.16f, 0.24f};
constexpr Color kRed{0.89f, 0.27f, 0.25f};
constexpr Color kSun{1.f, 0.82f, 0.35f};

// Paints a vertical gradient between two colors.
void sky(Canvas& canvas, Color top, Color bottom) {
  const float height = canvas.bottom();
  canvas.paint([=](Point p) { return mix(top, bottom, (p.y + height) / (2 * height)); });
}

void sun(Canvas& canvas, Point at, float radius, Color color) {
  canvas.shape(
      color, [=](Point p) { return circle(p, at, radius); }, 5 * radius, 0.6f);
  canvas.shape(color, [=](Point p) { return circle(p, at, radius); });
}

void fill(Canvas& canvas, Color color, const std::vector<Point>& corners) {
  canvas.shape(color, [&](Point p) { return polygon(p, corners); });
}

void stroke(Canvas& canvas, Color color, const std::vector<Point>& points, float half_width) {
  for (std::size_t i = 1; i < points.size(); ++i) {
    canvas.shape(color, [&](Point p) { return line(p, points[i - 1], points[i], half_width); });
  }
}

void dot(Canvas& canvas, Color color, Point at, float radius) {
  canvas.shape(color, [=](Point p) { return circle(p, at, radius); });
}

void plate(Canvas& canvas, Color color, Point at, Point half, float rounding) {
  canvas.shape(color, [=](Point p) { return box(p, at, half, rounding); });
}

// Fills the area below a wavy line.
void hills(Canvas& canvas, Color color, float level, float swing, float phase) {
  canvas.shape(color, [=](Point p) {
    return level + swing * std::sin(4.2f * p.x + phase) +
           0.4f * swing * std::sin(9.1f * p.x - phase) - p.y;
  });
}

void boat(Canvas& canvas) {
  sky(canvas, {0.47f, 0.74f, 0.93f}, {0.98f, 0.9f, 0.8f});
  sun(canvas, {-0.33f, -0.22f}, 0.075f, kSun);
  hills(canvas, {0.17f, 0.48f, 0.67f}, 0.16f, 0.012f, 0.4f);
  fill(canvas, kWhite, {{0.03f, -0.36f}, {0.03f, 0.1f}, {0.33f, 0.1f}});
  fill(canvas, {0.95f, 0.45f, 0.33f}, {{-0.01f, -0.28f}, {-0.01f, 0.1f}, {-0.18f, 0.1f}});
  stroke(canvas, {0.36f, 0.24f, 0.2f}, {{0.01f, -0.37f}, {0.01f, 0.14f}}, 0.011f);
  fill(canvas, {0.48f, 0.26f, 0.2f},
       {{-0.26f, 0.13f}, {0.38f, 0.13f}, {0.25f, 0.24f}, {-0.16f, 0.24f}});
  hills(canvas, {0.11f, 0.37f, 0.57f}, 0.235f, 0.014f, 2.f);
}

void house(Canvas& canvas) {
  sky(canvas, {0.56f, 0.8f, 0.95f}, {0.93f, 0.96f, 0.9f});
  hills(canvas, {0.52f, 0.73f, 0.42f}, 0.2f, 0.03f, 1.f);
  plate(canvas, {0.66f, 0.32f, 0.27f}, {0.19f, -0.2f}, {0.045f, 0.12f}, 0.005f);
  for (int i = 0; i < 3; ++i) {
    const auto s = static_cast<float>(i);
    canvas.shape(
        kWhite,
        [=](Point p) {
          return circle(p, {0.21f + 0.05f * s, -0.35f - 0.045f * s}, 0.03f + 0.008f * s);
        },
        0.02f, 0.8f);
  }
  plate(canvas, {0.97f, 0.91f, 0.78f}, {0, 0.1f}, {0.27f, 0.19f}, 0.005f);
  fill(canvas, kRed, {{-0.33f, -0.07f}, {0, -0.31f}, {0.33f, -0.07f}});
  plate(canvas, {0.4f, 0.26f, 0.2f}, {-0.13f, 0.17f}, {0.06f, 0.12f}, 0.01f);
  dot(canvas, kSun, {-0.09f, 0.18f}, 0.012f);
  plate(canvas, {0.36f, 0.61f, 0.8f}, {0.13f, 0.09f}, {0.075f, 0.07f}, 0.008f);
  stroke(canvas, kWhite, {{0.13f, 0.02f}, {0.13f, 0.16f}}, 0.007f);
  stroke(canvas, kWhite, {{0.06f, 0.09f}, {0.2f, 0.09f}}, 0.007f);
}

void mountains(Canvas& canvas) {
  sky(canvas, {0.33f, 0.35f, 0.62f}, {0.99f, 0.75f, 0.58f});
  sun(canvas, {0.26f, -0.14f}, 0.07f, {1.f, 0.91f, 0.7f});
  fill(canvas, {0.4f, 0.41f, 0.6f}, {{-0.8f, 0.35f}, {-0.2f, -0.33f}, {0.35f, 0.35f}});
  fill(canvas, kWhite,
       {{-0.2f, -0.33f},
        {-0.288f, -0.23f},
        {-0.23f, -0.25f},
        {-0.19f, -0.2f},
        {-0.15f, -0.25f},
        {-0.107f, -0.216f}});
  fill(canvas, {0.3f, 0.31f, 0.5f}, {{-0.15f, 0.4f}, {0.3f, -0.08f}, {0.85f, 0.4f}});
  hills(canvas, {0.18f, 0.3f, 0.36f}, 0.22f, 0.04f, 0.2f);
  hills(canvas, {0.11f, 0.21f, 0.27f}, 0.32f, 0.03f, 2.6f);
}

void fish(Canvas& canvas) {
  sky(canvas, {0.25f, 0.73f, 0.78f}, {0.04f, 0.25f, 0.45f});
  fill(canvas, {0.93f, 0.47f, 0.18f}, {{-0.17f, 0}, {-0.4f, -0.17f}, {-0.34f, 0}, {-0.4f, 0.17f}});
  fill(canvas, {0.93f, 0.47f, 0.18f}, {{-0.06f, -0.12f}, {0.03f, -0.27f}, {0.16f, -0.12f}});
  canvas.shape({1.f, 0.62f, 0.2f}, [](Point p) {
    return circle({p.x * 0.62f, p.y}, {0.035f, 0}, 0.17f);
  });
  canvas.shape({1.f, 0.9f, 0.75f}, [](Point p) {
    return std::max(std::abs(p.x + 0.02f + 0.5f * p.y * p.y) - 0.026f,
                    circle({p.x * 0.62f, p.y}, {0.035f, 0}, 0.168f));
  });
  dot(canvas, kWhite, {0.22f, -0.045f}, 0.036f);
  dot(canvas, kInk, {0.23f, -0.043f}, 0.019f);
  for (const Point bubble : {Point{0.39f, -0.12f}, Point{0.42f, -0.23f}, Point{0.37f, -0.32f}}) {
    canvas.shape(
        kWhite, [=](Point p) { return std::abs(circle(p, bubble, 0.024f)) - 0.005f; }, 0, 0.85f);
  }
  for (const float x : {-0.45f, -0.36f, 0.3f}) {
    stroke(canvas, {0.1f, 0.48f, 0.4f},
           {{x, 0.6f}, {x + 0.03f, 0.42f}, {x - 0.02f, 0.3f}, {x + 0.02f, 0.2f}}, 0.014f);
  }
}

void rocket(Canvas& canvas) {
  sky(canvas, {0.07f, 0.08f, 0.2f}, {0.34f, 0.2f, 0.46f});
  for (int i = 0; i < 40; ++i) {
    const auto n = static_cast<float>(i);
    const Point star{0.9f * std::sin(12.9f * n + 1.f), 0.6f * std::sin(78.2f * n + 2.f)};
    dot(canvas, kWhite, star, 0.002f + 0.003f * std::abs(std::sin(3.f * n)));
  }
  dot(canvas, {0.93f, 0.86f, 0.7f}, {-0.34f, 0.2f}, 0.11f);
  dot(canvas, {0.84f, 0.76f, 0.6f}, {-0.37f, 0.17f}, 0.024f);
  dot(canvas, {0.84f, 0.76f, 0.6f}, {-0.3f, 0.23f}, 0.034f);
  fill(canvas, {1.f, 0.55f, 0.2f}, {{-0.125f, 0.085f}, {-0.085f, 0.125f}, {-0.22f, 0.22f}});
  fill(canvas, kRed, {{-0.12f, -0.03f}, {-0.02f, -0.05f}, {-0.1f, 0.06f}});
  fill(canvas, kRed, {{0.03f, 0.12f}, {0.05f, 0.02f}, {-0.06f, 0.1f}});
  fill(canvas, {0.94f, 0.95f, 0.98f},
       {{-0.13f, 0.05f},
        {0.05f, -0.18f},
        {0.19f, -0.25f},
        {0.25f, -0.25f},
        {0.25f, -0.19f},
        {0.18f, -0.05f},
        {-0.05f, 0.13f}});
  fill(canvas, kRed, {{0.3f, -0.3f}, {0.15f, -0.262f}, {0.262f, -0.15f}});
  dot(canvas, {0.3f, 0.45f, 0.65f}, {0.1f, -0.1f}, 0.06f);
  dot(canvas, {0.62f, 0.84f, 0.96f}, {0.1f, -0.1f}, 0.045f);
}

void arrow(Canvas& canvas) {
  canvas.paint([](Point p) {
    return mix(mix({0.98f, 0.72f, 0.45f}, {0.95f, 0.4f, 0.5f}, p.x + 0.5f), {0.5f, 0.35f, 0.7f},
               0.5f * p.y + 0.3f);
  });
  fill(canvas, kWhite,
       {{0.f, -0.38f},
        {0.24f, -0.1f},
        {0.09f, -0.1f},
        {0.09f, 0.25f},
        {-0.09f, 0.25f},
        {-0.09f, -0.1f},
        {-0.24f, -0.1f}});
  dot(canvas, {0.5f, 0.35f, 0.7f}, {0.f, 0.16f}, 0.05f);
}

void letter_r(Canvas& canvas) {
  canvas.paint([](Point p) {
    return mix({0.36f, 0.75f, 0.68f}, {0.13f, 0.36f, 0.58f}, 0.6f * (p.x + p.y) + 0.5f);
  });
  stroke(canvas, kWhite, {{-0.17f, 0.24f}, {-0.17f, -0.32f}, {0.02f, -0.32f}}, 0.055f);
  canvas.shape(kWhite, [](Point p) {
    return std::max(std::abs(circle(p, {0.02f, -0.16f}, 0.16f)) - 0.055f, 0.02f - p.x);
  });
  stroke(canvas, kWhite, {{0.02f, 0.f}, {-0.15f, 0.f}}, 0.055f);
  stroke(canvas, kWhite, {{0.02f, 0.f}, {0.19f, 0.24f}}, 0.055f);
}

void letter_f(Canvas& canvas) {
  canvas.paint([](Point p) {
    return mix({0.98f, 0.85f, 0.5f}, {0.9f, 0.52f, 0.3f}, circle(p, {-0.2f, -0.2f}, 0));
  });
  stroke(canvas, kInk, {{-0.13f, 0.26f}, {-0.13f, -0.3f}, {0.2f, -0.3f}}, 0.06f);
  stroke(canvas, kInk, {{-0.13f, -0.03f}, {0.12f, -0.03f}}, 0.06f);
}

void balloon(Canvas& canvas) {
  sky(canvas, {0.4f, 0.69f, 0.93f}, {0.95f, 0.93f, 0.87f});
  hills(canvas, {0.55f, 0.75f, 0.5f}, 0.3f, 0.03f, 0.f);
  for (const Point cloud : {Point{0.33f, -0.24f}, Point{-0.38f, 0.03f}}) {
    for (const float step : {-0.07f, 0.f, 0.06f}) {
      canvas.shape(
          kWhite,
          [=](Point p) {
            return circle(p, {cloud.x + step, cloud.y - 0.1f * std::abs(step)}, 0.05f);
          },
          0.02f, 0.9f);
    }
  }
  const Point at{-0.06f, -0.14f};
  for (int i = 0; i < 5; ++i) {
    const auto n = static_cast<float>(i);
    const Color stripe = i % 2 == 0 ? kRed : Color{0.99f, 0.88f, 0.6f};
    canvas.shape(stripe, [=](Point p) {
      const float across =
          (p.x - at.x) / std::sqrt(std::max(0.0484f - (p.y - at.y) * (p.y - at.y), 1e-4f));
      return std::max(circle(p, at, 0.22f), 0.1f * (std::abs(across - (0.4f * n - 0.8f)) - 0.2f));
    });
  }
  stroke(canvas, kInk, {{-0.15f, 0.06f}, {-0.1f, 0.17f}}, 0.005f);
  stroke(canvas, kInk, {{0.03f, 0.06f}, {-0.02f, 0.17f}}, 0.005f);
  plate(canvas, {0.5f, 0.31f, 0.2f}, {-0.06f, 0.2f}, {0.05f, 0.04f}, 0.012f);
  stroke(canvas, {0.2f, 0.5f, 0.3f}, {{-0.01f, 0.19f}, {0.1f, 0.14f}}, 0.008f);
}

void moon(Canvas& canvas) {
  sky(canvas, {0.05f, 0.08f, 0.22f}, {0.22f, 0.33f, 0.5f});
  const Color light{0.97f, 0.94f, 0.82f};
  canvas.shape(
      light,
      [](Point p) {
        return circle(p, {0.18f, -0.17f}, 0.13f);
      },
      0.5f, 0.3f);
  canvas.shape(light, [](Point p) {
    return std::max(circle(p, {0.18f, -0.17f}, 0.13f), -circle(p, {0.12f, -0.2f}, 0.12f));
  });
  hills(canvas, {0.1f, 0.17f, 0.3f}, 0.17f, 0.05f, 0.5f);
  hills(canvas, {0.05f, 0.1f, 0.18f}, 0.28f, 0.04f, 2.2f);
  stroke(canvas, {0.04f, 0.07f, 0.13f}, {{-0.27f, 0.3f}, {-0.27f, 0.f}}, 0.016f);
  for (const float level : {0.f, 0.08f, 0.16f}) {
    const float reach = 0.06f + 0.45f * level;
    fill(canvas, {0.04f, 0.07f, 0.13f},
         {{-0.27f, level - 0.15f},
          {-0.27f + reach, level + 0.04f},
          {-0.27f - reach, level + 0.04f}});
  }
}

void flag(Canvas& canvas) {
  sky(canvas, {0.62f, 0.85f, 0.96f}, {0.97f, 0.97f, 0.92f});
  hills(canvas, {0.65f, 0.8f, 0.5f}, 0.28f, 0.02f, 0.7f);
  stroke(canvas, {0.35f, 0.35f, 0.4f}, {{-0.24f, -0.38f}, {-0.24f, 0.35f}}, 0.015f);
  const auto waving = [](Point p) { return Point{p.x, p.y + 0.025f * std::sin(11.f * p.x)}; };
  canvas.shape({0.16f, 0.42f, 0.67f}, [=](Point p) {
    return box(waving(p), {0.08f, -0.2f}, {0.31f, 0.16f}, 0.f);
  });
  canvas.shape(kWhite, [=](Point p) {
    return box(waving(p), {0.08f, -0.2f}, {0.31f, 0.035f}, 0.f);
  });
  canvas.shape(kSun, [=](Point p) { return circle(waving(p), {-0.12f, -0.2f}, 0.075f); });
  canvas.shape(kRed, [=](Point p) { return box(waving(p), {0.33f, -0.2f}, {0.06f, 0.16f}, 0.f); });
  dot(canvas, kSun, {-0.24f, -0.39f}, 0.026f);
}

void clock_face(Canvas& canvas) {
  canvas.paint([](Point p) {
    return mix({0.86f, 0.8f, 0.95f}, {0.5f, 0.44f, 0.74f}, circle(p, {-0.15f, -0.2f}, 0));
  });
  dot(canvas, kInk, {0, -0.05f}, 0.335f);
  dot(canvas, {0.99f, 0.98f, 0.94f}, {0, -0.05f}, 0.305f);
  for (int hour = 0; hour < 12; ++hour) {
    const float angle = 0.5235988f * static_cast<float>(hour);
    const Point out{std::sin(angle), -std::cos(angle)};
    const float inner = hour % 3 == 0 ? 0.235f : 0.265f;
    stroke(canvas, hour == 0 ? kRed : kInk,
           {{inner * out.x, inner * out.y - 0.05f}, {0.28f * out.x, 0.28f * out.y - 0.05f}},
           hour % 3 == 0 ? 0.013f : 0.007f);
  }
  stroke(canvas, kInk, {{0, -0.05f}, {0.12f, -0.12f}}, 0.016f);
  stroke(canvas, kInk, {{0, -0.05f}, {-0.04f, -0.27f}}, 0.011f);
  stroke(canvas, kRed, {{0.02f, -0.1f}, {-0.08f, 0.14f}}, 0.005f);
  dot(canvas, kRed, {0, -0.05f}, 0.022f);
}

void snail(Canvas& canvas) {
  sky(canvas, {0.83f, 0.93f, 0.85f}, {0.97f, 0.95f, 0.8f});
  hills(canvas, {0.5f, 0.7f, 0.36f}, 0.21f, 0.015f, 0.f);
  stroke(canvas, {0.9f, 0.75f, 0.53f}, {{-0.32f, 0.19f}, {0.2f, 0.18f}, {0.28f, 0.f}}, 0.05f);
  stroke(canvas, {0.9f, 0.75f, 0.53f}, {{0.28f, 0.f}, {0.25f, -0.13f}}, 0.012f);
  stroke(canvas, {0.9f, 0.75f, 0.53f}, {{0.29f, 0.f}, {0.35f, -0.12f}}, 0.012f);
  dot(canvas, kInk, {0.25f, -0.14f}, 0.02f);
  dot(canvas, kInk, {0.35f, -0.13f}, 0.02f);
  dot(canvas, {0.72f, 0.38f, 0.3f}, {-0.07f, -0.02f}, 0.2f);
  canvas.shape({0.96f, 0.78f, 0.55f}, [](Point p) {
    const float x = p.x + 0.07f;
    const float y = p.y + 0.02f;
    const float radius = std::sqrt(x * x + y * y);
    const float turns = radius / 0.062f - std::atan2(y, x) / 6.2831853f;
    return std::max(0.062f * (std::abs(turns - std::round(turns)) - 0.17f), radius - 0.17f);
  });
}

void key(Canvas& canvas) {
  canvas.paint([](Point p) {
    return mix({0.93f, 0.94f, 0.96f}, {0.45f, 0.52f, 0.62f}, 0.9f * circle(p, {0.1f, -0.15f}, 0));
  });
  const Color gold{0.86f, 0.6f, 0.15f};
  canvas.shape(
      kInk,
      [](Point p) {
        return line(p, {-0.2f, -0.03f}, {0.36f, 0.f}, 0.04f);
      },
      0.06f, 0.25f);
  canvas.shape(gold, [](Point p) { return std::abs(circle(p, {-0.22f, -0.07f}, 0.12f)) - 0.035f; });
  stroke(canvas, gold, {{-0.1f, -0.07f}, {0.36f, -0.07f}}, 0.03f);
  plate(canvas, gold, {0.33f, 0.f}, {0.03f, 0.08f}, 0.01f);
  plate(canvas, gold, {0.22f, -0.01f}, {0.03f, 0.055f}, 0.01f);
  canvas.shape({1.f, 0.86f, 0.5f}, [](Point p) {
    return line(p, {-0.07f, -0.083f}, {0.35f, -0.083f}, 0.006f);
  });
}

struct Scene {
  const char* name;
  void (*draw)(Canvas&);
};

// The content of the demo images, in a fixed order. Each scene looks different when it is mirrored,
// turned or upside down, on a canvas of any shape.
const std::vector<Scene>& scenes() {
  static const std::vector<Scene> all = {
      {"arrow", arrow},       {"balloon", balloon},   {"boat", boat},   {"clock", clock_face},
      {"fish", fish},         {"flag", flag},         {"house", house}, {"key", key},
      {"letter_f", letter_f}, {"letter_r", letter_r}, {"moon", moon},   {"mountains", mountains},
      {"rocket", rocket},     {"snail", snail},
  };
  return all;
}

enum class Kind { full, half_across, half, gray, progressive, turned, damaged };

struct Plan {
  std::string_view scene;
  int width;
  int height;
  Kind kind;
};

constexpr std::array<Plan, 15> kPlans = {{
    {"arrow", 400, 400, Kind::full},
    {"balloon", 375, 500, Kind::half},
    {"boat", 640, 480, Kind::half},
    {"clock", 360, 360, Kind::full},
    {"fish", 500, 333, Kind::full},
    {"flag", 480, 360, Kind::half_across},
    {"house", 500, 375, Kind::full},
    {"key", 450, 300, Kind::gray},
    {"letter_f", 300, 420, Kind::full},
    {"letter_r", 320, 240, Kind::half},
    {"moon", 333, 500, Kind::gray},
    {"mountains", 800, 450, Kind::progressive},
    {"rocket", 480, 640, Kind::turned},
    {"snail", 512, 384, Kind::full},
    {"boat", 500, 400, Kind::damaged},
}};

std::string describe(Kind kind) {
  switch (kind) {
    case Kind::full:
      return "color, 4:4:4";
    case Kind::half_across:
      return "color, 4:2:2";
    case Kind::half:
      return "color, 4:2:0";
    case Kind::gray:
      return "gray";
    case Kind::progressive:
      return "color, progressive";
    case Kind::turned:
      return "stored lying on its side, EXIF orientation 6 turns it upright";
    case Kind::damaged:
      return "damaged: the second half of the file is missing";
  }
  return {};
}

Color corner_color(int corner) {
  constexpr std::array<Color, 4> kCorners = {
      {{0.9f, 0.2f, 0.22f}, {0.18f, 0.65f, 0.32f}, {0.98f, 0.8f, 0.15f}, {0.16f, 0.38f, 0.85f}}};
  return kCorners[static_cast<std::size_t>(corner)];
}

// Marks the corners: upper left red, upper right green, lower left yellow, lower right blue.
void mark_corners(Canvas& canvas) {
  for (int corner = 0; corner < 4; ++corner) {
    const Point at{corner % 2 == 0 ? -canvas.right() : canvas.right(),
                   corner < 2 ? -canvas.bottom() : canvas.bottom()};
    canvas.shape({1, 1, 1}, [=](Point p) { return circle(p, at, 0.125f); });
    canvas.shape(corner_color(corner), [=](Point p) { return circle(p, at, 0.11f); });
  }
}

void write_name(Image& image, std::string_view name) {
  const int scale = std::max(2, image.height() / 130);
  const int width = text_width(name, scale);
  const int x = (image.width() - width) / 2;
  const int y = image.height() - (kLetterHeight + 4) * scale;
  for (int row = y - 3 * scale; row < y + (kLetterHeight + 2) * scale; ++row) {
    for (int i = 0; i < (width + 10 * scale) * image.channels(); ++i) {
      image.row(row)[(x - 5 * scale) * image.channels() + i] = 250;
    }
  }
  draw_text(image, y, x, name, {32, 40, 60}, scale);
}

DemoImage draw(const Plan& plan) {
  Canvas canvas(plan.height, plan.width);
  for (const Scene& scene : scenes()) {
    if (plan.scene == scene.name) scene.draw(canvas);
  }
  mark_corners(canvas);
  Image image = plan.kind == Kind::gray ? canvas.gray_image() : canvas.image();
  const std::string name = plan.kind == Kind::damaged ? "damaged" : std::string(plan.scene);
  write_name(image, name);

  JpegEncodeOptions options{.quality = 92, .subsampling = Subsampling::s444};
  if (plan.kind == Kind::half || plan.kind == Kind::progressive)
    options.subsampling = Subsampling::s420;
  if (plan.kind == Kind::half_across) options.subsampling = Subsampling::s422;
  options.progressive = plan.kind == Kind::progressive;
  if (plan.kind == Kind::turned) {
    // Orientation 8 turns the image, and the EXIF value 6 turns it back.
    Image lying;
    orient(image, 8, lying);
    image = std::move(lying);
    options.orientation = 6;
  }
  DemoImage drawn{name + ".jpg", describe(plan.kind), encode_jpeg(image, options),
                  plan.kind == Kind::damaged};
  if (drawn.damaged) drawn.file = Bytes::copy_of({drawn.file.data(), drawn.file.size() / 2});
  return drawn;
}

// Throws UsageError if the folder holds anything but images of the set. Accepts a folder that does
// not exist yet.
void check_holds_only(const std::vector<DemoImage>& images, const std::string& folder) {
  std::string other;  // the first of them by name
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    std::string name = entry.path().filename().string();
    const bool is_known = std::any_of(images.begin(), images.end(),
                                      [&](const DemoImage& image) { return image.name == name; });
    if (!is_known && (other.empty() || name < other)) other = std::move(name);
  }
  if (!other.empty()) {
    throw UsageError(fmt::format(
        "--out {}: the folder already holds other files, such as '{}'; give a new or empty folder",
        folder, other));
  }
}

}  // namespace

std::vector<DemoImage> demo_images() {
  std::vector<DemoImage> images;
  for (const Plan& plan : kPlans) images.push_back(draw(plan));
  return images;
}

int run_images(const std::string& folder) {
  const std::vector<DemoImage> images = demo_images();
  check_holds_only(images, folder);
  make_folder(folder);
  for (const DemoImage& image : images) {
    write_file((std::filesystem::path(folder) / image.name).string(), image.file);
    fmt::print("{:<14} {:>6.1f} KB  {}\n", image.name,
               static_cast<double>(image.file.size()) / 1000, image.kind);
  }
  fmt::print("{} in {}\n", counted(images.size(), "image"), escape_control_chars(folder));
  return 0;
}

}  // namespace sluice::app
