#include <sluice/cuda/operator_families.h>
#include <sluice/cuda/step_pictures.h>
#include <sluice/graph/builder/device_version.h>
#include <sluice/ops/colour.h>
#include <sluice/ops/composing.h>
#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/brightness_contrast.h>
#include <sluice/ops/kernels/clahe.h>
#include <sluice/ops/kernels/color_space_matrix.h>
#include <sluice/ops/kernels/color_twist.h>
#include <sluice/ops/kernels/gamma_correction.h>
#include <sluice/ops/kernels/grayscale.h>
#include <sluice/ops/kernels/jpeg_distortion.h>
#include <sluice/ops/kernels/permute_channels.h>
#include <sluice/ops/kernels/posterize.h>
#include <sluice/ops/kernels/saturation.h>
#include <sluice/ops/kernels/solarize.h>

#include <cstddef>
#include <cstdint>

namespace sluice::device {
namespace {

using detail::add_device_version;
using detail::Gather;
using kernels::LevelTable;

const std::uint8_t* upload_table(Gather& gather, const LevelTable& table) {
  return upload_all(gather, table.data(), table.size());
}

// Maps all channels by one lookup table.
void map_levels(Gather& gather, const char* op, const Image& in, const LevelTable& table,
                Image& out) {
  kernels::check_pixels(op, in);
  move_pixels(gather, in, pixels_of(in), in.height(), in.width(),
              level_table(upload_table(gather, table)), out);
}

bool add_tables() {
  add_device_version(
      detail::brightness_contrast_operator(),
      [](Gather& gather, const Image& in, float brightness, float contrast, float center,
         float shift, Image& out) {
        if (shift != 0) {
          return map_levels(gather, "brightness_contrast", in,
                            kernels::brightness_contrast_table(brightness, contrast, center, shift),
                            out);
        }
        kernels::check_pixels("brightness_contrast", in);
        move_pixels(gather, in, pixels_of(in), in.height(), in.width(),
                    brightness_contrast_levels(brightness, contrast, center), out);
      });
  add_device_version(detail::gamma_correction_operator(), [](Gather& gather, const Image& in,
                                                             float gamma, float gain, Image& out) {
    map_levels(gather, "gamma_correction", in, kernels::gamma_correction_table(gamma, gain), out);
  });
  add_device_version(detail::invert_operator(), [](Gather& gather, const Image& in, Image& out) {
    map_levels(gather, "invert", in, kernels::level_table_of([](double x) { return 255 - x; }),
               out);
  });
  add_device_version(
      detail::lookup_table_operator(),
      [](Gather& gather, const Image& in, const std::array<float, 256>& levels, Image& out) {
        LevelTable table{};
        for (std::size_t x = 0; x < table.size(); ++x)
          table[x] = kernels::to_level(static_cast<double>(levels[x]));
        map_levels(gather, "lookup_table", in, table, out);
      });
  add_device_version(detail::posterize_operator(),
                     [](Gather& gather, const Image& in, std::int32_t bits, Image& out) {
                       map_levels(gather, "posterize", in, kernels::posterize_table(bits), out);
                     });
  add_device_version(detail::solarize_operator(),
                     [](Gather& gather, const Image& in, float threshold, Image& out) {
                       map_levels(gather, "solarize", in, kernels::solarize_table(threshold), out);
                     });
  return true;
}

// Adds the finished job to the step's launch.
void add_colours_of(Gather& gather, const ColourJob& job) {
  gather.launch_of_step<ColoursLaunch>().add(job);
}
void apply_matrix(Gather& gather, const Image& in, const kernels::ColourMatrix& matrix,
                  Image& out) {
  ColourJob job = colour_job(picture_in(in), create_like(in, out));
  change_by_matrix(job, kernels::float_matrix(matrix));
  add_colours_of(gather, job);
}
// For images whose colors do not change.
void copy_picture(Gather& gather, const Image& in, Image& out) {
  add_colours_of(gather, colour_job(picture_in(in), create_like(in, out)));
}

void color_twist(Gather& gather, const Image& in, const kernels::ColorTwist& twist, Image& out) {
  kernels::check_colours("color_twist", in);
  const kernels::ColourMatrix matrix = kernels::color_twist_matrix(twist);
  if (in.channels() != 1) return apply_matrix(gather, in, matrix, out);
  const LevelTable table =
      kernels::brightness_contrast_table(twist.brightness, twist.contrast, 128);
  ColourJob job = colour_job(picture_in(in), create_like(in, out));
  change_by_tables(job, upload_table(gather, table));
  add_colours_of(gather, job);
}

bool add_matrices() {
  add_device_version(
      detail::color_space_conversion_operator(),
      [](Gather& gather, const Image& in, PixelFormat from, PixelFormat to, Image& out) {
        kernels::check_three_colours("color_space_conversion", in);
        if (from == to) return copy_picture(gather, in, out);
        apply_matrix(gather, in, kernels::color_space_matrix(from, to), out);
      });
  add_device_version(detail::color_twist_operator(),
                     [](Gather& gather, const Image& in, float brightness, float contrast,
                        float saturation, float hue, Image& out) {
                       color_twist(gather, in, {brightness, contrast, saturation, hue}, out);
                     });
  add_device_version(
      detail::permute_channels_operator(), [](Gather& gather, const Image& in, std::int32_t first,
                                              std::int32_t second, std::int32_t third, Image& out) {
        kernels::check_three_colours("permute_channels", in);
        apply_matrix(gather, in, kernels::channel_order_matrix({first, second, third}), out);
      });
  add_device_version(detail::saturation_operator(),
                     [](Gather& gather, const Image& in, float factor, Image& out) {
                       kernels::check_colours("saturation", in);
                       const kernels::ColourMatrix matrix = kernels::saturation_matrix(factor);
                       if (in.channels() == 1) return copy_picture(gather, in, out);
                       apply_matrix(gather, in, matrix, out);
                     });
  return true;
}

bool add_composed() {
  add_device_version(detail::composed_colours_operator(),
                     [](Gather& gather, const kernels::ComposedColours& map, Image& out) {
                       const Image& in = map.from();
                       const auto fourth = map.fourth();
                       out.create(in.height(), in.width(), map.channels());
                       ColourJob job = colour_job(picture_in(in), picture_out(out));
                       change_by_matrix(job, kernels::float_matrix(map.matrix()),
                                        fourth ? upload_table(gather, *fourth) : nullptr);
                       add_colours_of(gather, job);
                     });
  return true;
}

bool add_hue_and_gray() {
  add_device_version(detail::hue_operator(),
                     [](Gather& gather, const Image& in, float degrees, Image& out) {
                       kernels::check_colours("hue", in);
                       kernels::check_finite("hue", "degrees", degrees);
                       if (in.channels() == 1) return copy_picture(gather, in, out);
                       ColourJob job = colour_job(picture_in(in), create_like(in, out));
                       change_by_hue(job, degrees);
                       add_colours_of(gather, job);
                     });
  add_device_version(detail::grayscale_operator(),
                     [](Gather& gather, const Image& in, std::int32_t channels, Image& out) {
                       kernels::check_colours("grayscale", in);
                       kernels::check_gray_channels(channels);
                       out.create(in.height(), in.width(), channels);
                       ColourJob job = colour_job(picture_in(in), picture_out(out));
                       change_to_gray(job);
                       add_colours_of(gather, job);
                     });
  return true;
}

void add_levels(Gather& gather, const char* op, const Image& in, LevelsFor what, float factor,
                Image& out) {
  kernels::check_colours(op, in);
  if (what == LevelsFor::contrast) kernels::check_not_negative(op, "factor", factor);
  gather.launch_of_step<LevelsLaunch>().add(picture_in(in), create_like(in, out), what, factor);
}

void clahe(Gather& gather, const Image& in, const kernels::ClaheParams& params, Image& out) {
  ClaheTablesJob tables = clahe_tables_job(picture_in(in), kernels::clahe_grid(in, params));
  tables.tables = reinterpret_cast<std::uint8_t*>(gather.scratch(table_bytes(tables.cells)));
  auto& launch = gather.launch_of_step<ClaheLaunch>();
  launch.add_first(tables);
  launch.add_second(clahe_job(tables, create_like(in, out)));
}

bool add_own_levels() {
  add_device_version(detail::clahe_operator(),
                     [](Gather& gather, const Image& in, float clip_limit, std::int32_t tiles_y,
                        std::int32_t tiles_x, Image& out) {
                       clahe(gather, in, {clip_limit, tiles_y, tiles_x}, out);
                     });
  add_device_version(detail::autocontrast_operator(),
                     [](Gather& gather, const Image& in, Image& out) {
                       add_levels(gather, "autocontrast", in, LevelsFor::autocontrast, 1, out);
                     });
  add_device_version(detail::contrast_operator(),
                     [](Gather& gather, const Image& in, float factor, Image& out) {
                       add_levels(gather, "contrast", in, LevelsFor::contrast, factor, out);
                     });
  add_device_version(detail::equalize_operator(), [](Gather& gather, const Image& in, Image& out) {
    add_levels(gather, "equalize", in, LevelsFor::equalize, 1, out);
  });
  return true;
}

bool add_jpeg_distortion() {
  add_device_version(detail::jpeg_distortion_operator(), [](Gather& gather, const Image& in,
                                                            std::int32_t quality, Image& out) {
    kernels::check_jpeg_distortion(in, quality);
    JpegBlocksJob blocks = jpeg_blocks_job(picture_in(in), quality);
    blocks.planes.data = reinterpret_cast<std::uint8_t*>(gather.scratch(blocks.planes.bytes()));
    auto& launch = gather.launch_of_step<JpegDistortionLaunch>();
    launch.add_first(blocks);
    launch.add_second(jpeg_pixels_job(blocks, create_like(in, out)));
  });
  return true;
}

}  // namespace

bool add_colours() {
  return add_tables() && add_matrices() && add_composed() && add_hue_and_gray() &&
         add_own_levels() && add_jpeg_distortion();
}

}  // namespace sluice::device
