#include <sluice/graph/apply_random.h>
#include <sluice/graph/builder/plan_builder.h>
#include <sluice/graph/builder/plan_json.h>
#include <sluice/io/readers/files.h>
#include <sluice/io/whole_file.h>
#include <sluice/ops/automatic.h>
#include <sluice/ops/boxes.h>
#include <sluice/ops/color.h>
#include <sluice/ops/composition.h>
#include <sluice/ops/decode.h>
#include <sluice/ops/filter.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/noise.h>
#include <sluice/ops/normalize.h>
#include <sluice/ops/occlusion.h>
#include <sluice/ops/operators.h>
#include <sluice/ops/random.h>
#include <sluice/ops/reductions.h>
#include <sluice/ops/tensors.h>
#include <sluice/ops/warp_fields.h>

#include <cstdint>
#include <span>

namespace sluice {

namespace detail {
namespace {

void fill(OperatorRegistry& registry) {
  for (const OperatorPtr& op : built_in_operators()) registry.add(op);
  for (const OperatorPtr& op : {absolute_elements_operator(),
                                sqrt_elements_operator(),
                                exp_elements_operator(),
                                log_elements_operator(),
                                affine_operator(),
                                all_operator(),
                                any_operator(),
                                aug_mix_weights_operator(),
                                autocontrast_operator(),
                                beta_operator(),
                                blend_operator(),
                                box_blur_operator(),
                                brightness_contrast_operator(),
                                cast_elements_operator(),
                                cat_operator(),
                                center_crop_operator(),
                                channel_dropout_operator(),
                                choice_index_operator(),
                                choice_operator(),
                                clahe_operator(),
                                coarse_dropout_operator(),
                                color_space_conversion_operator(),
                                color_twist_operator(),
                                contrast_operator(),
                                crop_mirror_normalize_operator(),
                                crop_operator(),
                                crop_padded_operator(),
                                crop_padded_tensor_operator(),
                                crop_tensor_operator(),
                                d4_operator(),
                                decode_and_resize_operator(),
                                decode_image_operator(),
                                decode_image_region_operator(),
                                decode_image_size_operator(),
                                decode_jpeg_operator(),
                                decode_jpeg_region_operator(),
                                decode_jpeg_size_operator(),
                                decode_tensor_operator(),
                                defocus_operator(),
                                dilate_operator(),
                                downscale_operator(),
                                elastic_field_operator(),
                                elastic_operator(),
                                elementwise_number_operator(),
                                elementwise_operator(),
                                equalize_operator(),
                                erase_operator(),
                                erase_region_operator(),
                                erase_with_noise_operator(),
                                erode_operator(),
                                expand_operator(),
                                filter_2d_operator(),
                                flip_operator(),
                                flip_tensor_operator(),
                                gamma_correction_operator(),
                                gaussian_blur_operator(),
                                gaussian_noise_operator(),
                                grayscale_operator(),
                                grid_distortion_operator(),
                                grid_field_operator(),
                                grid_mask_operator(),
                                hue_operator(),
                                invert_operator(),
                                iso_noise_operator(),
                                jitter_operator(),
                                join_regions_operator(),
                                jpeg_distortion_operator(),
                                laplacian_operator(),
                                lens_distortion_operator(),
                                lookup_table_operator(),
                                median_blur_operator(),
                                motion_blur_operator(),
                                normalize_tensor_operator(),
                                one_hot_operator(),
                                pad_image_operator(),
                                pad_tensor_operator(),
                                paste_masked_operator(),
                                paste_operator(),
                                peek_jpeg_operator(),
                                permute_channels_operator(),
                                perspective_operator(),
                                posterize_operator(),
                                random_erasing_region_operator(),
                                random_perspective_operator(),
                                randint_operator(),
                                random_crop_region_operator(),
                                random_region_of_file_operator(),
                                random_region_operator(),
                                reduce_operator(),
                                reduce_axes_operator(),
                                remap_operator(),
                                permute_operator(),
                                reshape_operator(),
                                resize_mirror_normalize_operator(),
                                resize_operator(),
                                resize_tensor_operator(),
                                rgb_shift_operator(),
                                rot90_operator(),
                                rotate_operator(),
                                rotate_tensor_operator(),
                                salt_and_pepper_noise_operator(),
                                saturation_operator(),
                                sharpness_operator(),
                                shear_operator(),
                                shot_noise_operator(),
                                slice_tensor_operator(),
                                solarize_operator(),
                                sum_operator(),
                                to_image_operator(),
                                translate_operator(),
                                transpose_operator(),
                                warp_affine_operator(),
                                warp_perspective_operator(),
                                weighted_sum_operator(),
                                zoom_blur_operator()})
    registry.add(op);
  for (const OperatorPtr& op :
       {absolute_boxes_operator(), center_region_operator(), clip_boxes_operator(),
        convert_boxes_operator(), encode_anchors_operator(), filter_boxes_operator(),
        canvas_size_operator(), random_bbox_crop_operator(), region_size_operator(),
        relative_boxes_operator(), remap_boxes_operator(), remap_points_operator(),
        rows_of_operator(), labels_of_operator(), scaled_region_operator(),
        expanded_region_operator(), nested_region_operator(), take_rows_operator()})
    registry.add(op);
  for (const OperatorPtr& op : move_operators()) registry.add(op);
  for (const kernels::Reduction what :
       {kernels::Reduction::mean, kernels::Reduction::min, kernels::Reduction::max,
        kernels::Reduction::standard_deviation})
    registry.add(reduction_operator(what));
  registry.add_function(apply_random_schema());
  registry.add_function(random_crop_schema());
  registry.add_function(random_erasing_schema());
  registry.add_function(random_resized_crop_schema());
  registry.add_value_type<JpegHeader>("jpeg_header");
}

struct FilledRegistry : OperatorRegistry {
  FilledRegistry() { fill(*this); }
};

}  // namespace

OperatorRegistry& registry() {
  static FilledRegistry all;
  return all;
}

void save_plan(const Plan& plan, const std::string& file) {
  const std::string text = to_json(plan, registry());
  const std::span<const std::uint8_t> bytes(reinterpret_cast<const std::uint8_t*>(text.data()),
                                            text.size());
  write_whole(file, {&bytes, 1});
}

}  // namespace detail

void register_operator(detail::OperatorPtr op) { detail::registry().add(std::move(op)); }

std::vector<detail::OperatorPtr> operators() { return detail::registry().all(); }

detail::OperatorPtr find_operator(std::string_view name) { return detail::registry().find(name); }

SavedPlan load_plan(const std::string& file) {
  const Bytes bytes = read_file(file);
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return SavedPlan::parse(text, file, detail::registry());
}

}  // namespace sluice
