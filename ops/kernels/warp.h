// Affine warps of images: warp_affine, rotate, shear, translate and affine. ComposedWarp combines
// several of them into one. zoom_blur averages several.
//
// Ownership: a ComposedWarp refers to its source image; the functions keep nothing. Threads: any; a
// ComposedWarp is like any data. Errors: std::invalid_argument, as each operator's comment says.
#pragma once

#include <sluice/ops/kernels/moves.h>
#include <sluice/ops/kernels/option_types.h>
#include <sluice/runtime/image.h>

#include <cstdint>
#include <vector>

namespace sluice::kernels {

// Output position (x, y) shows input position (xx x + xy y + x0, yx x + yy y + y0). Pixel (c, r)
// covers [c, c + 1) x [r, r + 1).
struct AffineMap {
  double xx = 1, xy = 0, x0 = 0;
  double yx = 0, yy = 1, y0 = 0;
};

// The conversion of positions to pixel values. `nearest` takes the pixel there. `bilinear`
// interpolates the four around it, replaces those beyond the border by the nearest pixel, and
// rounds once. `bicubic` interpolates sixteen: see places.h, whose rounding of positions it
// uses. A position outside the image produces `fill`, or, with Border::edge, the value of the
// nearest pixels.
struct WarpOptions {
  Interpolation interpolation = Interpolation::bilinear;  // or nearest, or bicubic
  Border border = Border::constant;                       // or edge
  Fill fill = 0;
};

// The positions (x + i * dx, y + i * dy) for i = 0, 1, ...; absolute values are at most kFarthest.
struct WarpLine {
  double x = 0, y = 0, dx = 0, dy = 0;
};
constexpr double kFarthest = 16777216;

// Returns the source positions of the centers of row y.
WarpLine line_of_row(const AffineMap& from, int y);

// The inner loops. They check nothing. This one writes `width` pixels to `out`. `in`: at most 65535
// pixels high and wide, 1 to 4 channels. Not for bicubic.
void warp_row(const Image& in, const WarpLine& line, const WarpOptions& options, int width,
              std::uint8_t* out);

// Writes all pixels of `out`, which must have its size.
void warp_rows(const Image& in, const AffineMap& from, const WarpOptions& options, Image& out);

// warp_affine: applies an affine map from output to input positions; also code shared with shear
// and translate.
//
// Pixel (x, y) covers [x, x + 1) x [y, y + 1), as in Pillow and DALI; OpenCV's coordinates are half
// a pixel less. Each output pixel samples the input at the position to which the map takes its
// center: see WarpOptions. Positions are rounded to 2^-32 pixels, weights to 2^-11.
//
// Errors, with the name `op`: an empty image, more than 4 channels, an invalid size, an unsupported
// interpolation or border, numbers that are not finite, and a map that leads farther than kFarthest
// pixels away.
void warp_affine(const char* op, const Image& in, const AffineMap& from, int height, int width,
                 const WarpOptions& options, Image& out);

// Throws the errors of warp_affine().
void check_affine(const char* op, const Image& in, const AffineMap& from, int height, int width,
                  const WarpOptions& options);
// The same without the checks of the image's pixels.
void check_affine(const char* op, int in_height, int in_width, const AffineMap& from, int height,
                  int width, const WarpOptions& options);

// Returns the inverse map. Throws if the map collapses the image to a line or a point.
AffineMap inverse(const char* op, const AffineMap& map);

// Returns the map from output to input positions of rot90, d4 and flip for an image of this size.
AffineMap symmetry_map(const Symmetry& symmetry, int height, int width);

// rotate: rotates an image counter-clockwise.
//
// The geometry is Pillow's. The image rotates about its center (width / 2, height / 2), where pixel
// (x, y) covers [x, x + 1) x [y, y + 1). The canvas grows to hold all of it (ceil of the largest
// minus floor of the smallest coordinate of the rotated corners) or keeps its size. An output pixel
// samples the input at the position that its center comes from. Positions outside the image get the
// fill, or, with Border::edge, the value of the nearest pixels. Otherwise `nearest` takes the pixel
// there and `bilinear` interpolates the four around it; those beyond the border are replaced by the
// nearest pixel. Results are rounded to nearest; Pillow
// truncates, so its results may be lower by 1. Multiples of 90 degrees move whole pixels, except
// quarter turns that keep the size of a non-square image.
//
// Errors: an empty image, more than 4 channels, an angle that is not finite, and an unsupported
// interpolation or border.
struct RotateOptions {
  bool keep_size = false;
  Fill fill = 0;
  Interpolation interpolation = Interpolation::bilinear;  // or nearest, or bicubic
  Border border = Border::constant;                       // or edge
};

void rotate(const Image& in, float degrees, const RotateOptions& options, Image& out);

// The source map and the canvas size of a rotated image, for rotate and for boxes and points that
// rotate with it. The angle is finite.
struct RotationGeometry {
  AffineMap from_canvas;
  int height = 0;
  int width = 0;
};
RotationGeometry rotation_geometry_of(int height, int width, float degrees, bool keep_size);

// shear: slides the rows or the columns of an image along each other.
//
// The point at (dx, dy) from the center moves to (dx + x dy, dy + y dx), as in DALI's
// transforms.shear; torchvision's angle has the opposite sign. The size does not change. For pixels
// see warp_affine().
//
// Errors: those of warp_affine, and std::invalid_argument for x * y = 1, which would collapse the
// image to a line.
struct Shear {
  double x = 0, y = 0;                // tangent of the angle: pixels per pixel across
  double center_x = 0, center_y = 0;  // the fixed point, as shares of width and height
};

// Returns the map from the pixels of a sheared image of this size to their source.
AffineMap shear_map(int height, int width, const Shear& how);

void shear(const Image& in, const Shear& how, const WarpOptions& options, Image& out);

// translate: moves an image to the right by x and down by y; its size does not change. Fractions of
// a pixel are blended, or rounded with `nearest`. For pixels and errors see warp_affine().

// Returns the map from the pixels of a moved image of this size to their source. `relative`: x and
// y are shares of the width and the height, else pixels. `whole_pixels`: distances are rounded
// toward zero. Rounding errors can put a distance just below a whole number, so it first grows by a
// millionth.
AffineMap translate_map(int height, int width, double x, double y, bool relative,
                        bool whole_pixels = false);

void translate(const Image& in, double x, double y, bool relative, const WarpOptions& options,
               Image& out, bool whole_pixels = false);

// affine: shears, scales, rotates and moves an image in one warp; its size does not change.
//
// The steps are those of torchvision's affine: a shear along x, then along y, a scale and a
// rotation, all about the center, then a move. Positive angles rotate counter-clockwise, as in
// rotate(), and shear as in shear(); those of torchvision do the opposite. For pixels see
// warp_affine().
//
// Errors, also of affine_map(): those of warp_affine, and std::invalid_argument for a scale of 0 or
// below, and for a shear that is not between -90 and 90 degrees.
struct Affine {
  double degrees = 0;  // counter-clockwise
  double x = 0, y = 0;
  bool relative = false;  // x and y are shares of the width and the height, not pixels
  double scale = 1;
  double shear_x = 0, shear_y = 0;        // degrees; Shear takes their tangents
  double center_x = 0.5, center_y = 0.5;  // the fixed point, as shares of width and height
};

// Returns the map from the pixels of a warped image of this size to their source.
AffineMap affine_map(int height, int width, const Affine& how);

void affine(const Image& in, const Affine& how, const WarpOptions& options, Image& out);

// zoom_blur: blurs an image like a camera that zooms in while the shutter is open.
//
// The result is the mean of the image, which counts twice, and of copies that are enlarged about
// the center by 1 + step_factor, 1 + 2 step_factor, and so on, below max_factor. Copies have the
// size of the image. They are interpolated bilinearly, as in warp_affine(), and rounded to nearest,
// like the mean. Hendrycks and Dietterich, "Benchmarking neural network robustness to common
// corruptions", 2019, and albumentations' ZoomBlur use the same factors; they cut the copies at
// whole pixels.
//
// Errors: an empty image, more than 4 channels, a max_factor outside of 1 .. kLargestZoom, a
// step_factor that is not above 0 and at most kLargestZoom, and more than kMostZooms copies.

inline constexpr float kLargestZoom = 10;
inline constexpr int kMostZooms = 256;

// Pixel (i, k) of an enlarged copy shows position (x + i dx, y + k dy) of the image, in units of
// 2^-32 pixels.
struct ZoomedCopy {
  std::int64_t x = 0, dx = 0, y = 0, dy = 0;
};
// Returns the copies that are larger than the image. Throws the errors of zoom_blur() for its
// numbers.
std::vector<ZoomedCopy> zoomed_copies(int height, int width, float max_factor, float step_factor);

void zoom_blur(const Image& in, float max_factor, float step_factor, Image& out);

// ComposedWarp: a deferred image, described by its source image and one affine map of positions
// that combines several operators.
//
// Pixels are interpolated and rounded once, when the image is computed. Its size is that of the
// last operator. Pixels from outside the source get the fill. Pixels that one operator would move
// off its canvas are restored if a later one moves them back.
//
// Ownership: refers to the source image, which must stay alive. Errors: std::invalid_argument with
// the message of the kernel that does the same at once; `op` is the operator's name in it.
class ComposedWarp {
 public:
  ComposedWarp() = default;
  // The unchanged image. Nothing is checked: it may be empty.
  explicit ComposedWarp(const Image& from);

  int height() const { return height_; }
  int width() const { return width_; }
  // Makes the checks of check_pixels().
  void check(const char* op) const;

  // Do the same as warp_affine(), rotate(), flip(), and rot90() or d4().
  void warp(const char* op, const AffineMap& map, int height, int width,
            const WarpOptions& options);
  void rotate(float degrees, const RotateOptions& options);
  void flip(bool horizontal, bool vertical);
  void move(const char* op, const Symmetry& symmetry);

  // The recipe of the image. check_made() throws if the map leads too far away to compute it.
  const Image& from() const { return *from_; }
  const AffineMap& map() const { return map_; }
  const WarpOptions& options() const { return options_; }
  void check_made() const;
  void write_to(Image& out) const;

 private:
  void add(const AffineMap& map, int height, int width);

  const Image* from_ = nullptr;
  AffineMap map_;
  int height_ = 0, width_ = 0;
  WarpOptions options_;
};

}  // namespace sluice::kernels
