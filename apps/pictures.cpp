#include "pictures.h"

#include "font.h"
#include "outputs.h"
#include "scenes.h"
#include <sluice/io/jpeg/encode.h>
#include <sluice/io/jpeg/orientation.h>
#include <sluice/runtime/printable.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>

namespace sluice::app {
namespace {

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
      return "colour, 4:4:4";
    case Kind::half_across:
      return "colour, 4:2:2";
    case Kind::half:
      return "colour, 4:2:0";
    case Kind::gray:
      return "gray";
    case Kind::progressive:
      return "colour, progressive";
    case Kind::turned:
      return "stored lying on its side, EXIF orientation 6 turns it upright";
    case Kind::damaged:
      return "damaged: the second half of the file is missing";
  }
  return {};
}

Colour corner_colour(int corner) {
  constexpr std::array<Colour, 4> kCorners = {
      {{0.9f, 0.2f, 0.22f}, {0.18f, 0.65f, 0.32f}, {0.98f, 0.8f, 0.15f}, {0.16f, 0.38f, 0.85f}}};
  return kCorners[static_cast<std::size_t>(corner)];
}

// Marks the corners: upper left red, upper right green, lower left yellow, lower right blue.
void mark_corners(Canvas& canvas) {
  for (int corner = 0; corner < 4; ++corner) {
    const Point at{corner % 2 == 0 ? -canvas.right() : canvas.right(),
                   corner < 2 ? -canvas.bottom() : canvas.bottom()};
    canvas.shape({1, 1, 1}, [=](Point p) { return circle(p, at, 0.125f); });
    canvas.shape(corner_colour(corner), [=](Point p) { return circle(p, at, 0.11f); });
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

Picture draw(const Plan& plan) {
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
  Picture picture{name + ".jpg", describe(plan.kind), encode_jpeg(image, options),
                  plan.kind == Kind::damaged};
  if (picture.damaged)
    picture.file = Bytes::copy_of({picture.file.data(), picture.file.size() / 2});
  return picture;
}

}  // namespace

std::vector<Picture> demo_pictures() {
  std::vector<Picture> pictures;
  for (const Plan& plan : kPlans) pictures.push_back(draw(plan));
  return pictures;
}

int run_pictures(const std::string& folder) {
  make_folder(folder);
  for (const Picture& picture : demo_pictures()) {
    write_file((std::filesystem::path(folder) / picture.name).string(), picture.file);
    fmt::print("{:<14} {:>6.1f} KB  {}\n", picture.name,
               static_cast<double>(picture.file.size()) / 1000, picture.kind);
  }
  fmt::print("{} pictures in {}\n", kPlans.size(), printable(folder));
  return 0;
}

}  // namespace sluice::app
