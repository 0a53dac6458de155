#include "operators.h"

#include "images.h"
#include "json_report.h"
#include "output_paths.h"
#include "sheet.h"
#include "usage.h"
#include <sluice/graph/builder/declare_operator.h>
#include <sluice/graph/exec/sample.h>
#include <sluice/graph/pipeline.h>
#include <sluice/io/jpeg/decode.h>
#include <sluice/io/jpeg/encode.h>
#include <sluice/ops/color.h>
#include <sluice/ops/composition.h>
#include <sluice/ops/filter.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/kernels/color.h>
#include <sluice/ops/kernels/moves.h>
#include <sluice/ops/kernels/option_types.h>
#include <sluice/ops/kernels/resize.h>
#include <sluice/ops/noise.h>
#include <sluice/ops/occlusion.h>
#include <sluice/ops/operators.h>
#include <sluice/ops/random.h>
#include <sluice/ops/warp_fields.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace sluice::app {
namespace {

// The macro turns the code into its text too, so both are the same.
#define SLUICE_EFFECT(name, ...)                                                                  \
  Effect {                                                                                        \
    name, #__VA_ARGS__,                                                                           \
        []([[maybe_unused]] Graph& g, Value<Image> image) -> Value<Image> { return __VA_ARGS__; } \
  }

}  // namespace

const std::vector<Effect>& effects() {
  static const std::vector<Effect> all = {
      SLUICE_EFFECT("autocontrast", autocontrast(image)),
      SLUICE_EFFECT("brightness_contrast", brightness_contrast(image, {.brightness = 1.3f})),
      SLUICE_EFFECT("channel_dropout", channel_dropout(image, 1)),
      SLUICE_EFFECT("clahe", clahe(image, {.clip_limit = 4.f, .tiles_y = 2, .tiles_x = 2})),
      SLUICE_EFFECT("color_space_conversion",
                    color_space_conversion(image, {.to = PixelFormat::bgr})),
      SLUICE_EFFECT("color_twist", color_twist(image, {.saturation = 1.5f, .hue = 60.f})),
      SLUICE_EFFECT("contrast", contrast(image, 1.6f)),
      SLUICE_EFFECT("equalize", equalize(image)),
      SLUICE_EFFECT("gamma_correction", gamma_correction(image, 0.5f)),
      SLUICE_EFFECT("grayscale", grayscale(image)),
      SLUICE_EFFECT("hue", hue(image, 120.f)),
      SLUICE_EFFECT("invert", invert(image)),
      SLUICE_EFFECT("jpeg_distortion", jpeg_distortion(image, 8)),
      SLUICE_EFFECT("lookup_table", lookup_table(image, [](int value) { return value / 64 * 85; })),
      SLUICE_EFFECT("permute_channels",
                    permute_channels(image, {.first = 1, .second = 2, .third = 0})),
      SLUICE_EFFECT("posterize", posterize(image, 2)),
      SLUICE_EFFECT("rgb_shift", rgb_shift(image, {.red = 60.f, .blue = -60.f})),
      SLUICE_EFFECT("saturation", saturation(image, 0.3f)),
      SLUICE_EFFECT("solarize", solarize(image, 128.f)),
      SLUICE_EFFECT("box_blur", box_blur(image, {.window_size = 7})),
      SLUICE_EFFECT("defocus", defocus(image, {.radius = 5})),
      SLUICE_EFFECT("dilate", dilate(image, {.window_height = 5, .window_width = 5})),
      SLUICE_EFFECT("downscale", downscale(image, 0.2f)),
      SLUICE_EFFECT("erode", erode(image)),
      SLUICE_EFFECT("filter_2d", filter_2d(image, {{-2, -1, 0}, {-1, 1, 1}, {0, 1, 2}})),
      SLUICE_EFFECT("gaussian_blur", gaussian_blur(image, {.sigma = 2.f})),
      SLUICE_EFFECT("laplacian", laplacian(image)),
      SLUICE_EFFECT("median_blur", median_blur(image, {.window_size = 5})),
      SLUICE_EFFECT("motion_blur", motion_blur(image, {.length = 15, .degrees = 30.f})),
      SLUICE_EFFECT("sharpness", sharpness(image, 4.f)),
      SLUICE_EFFECT("zoom_blur", zoom_blur(image, {.max_factor = 1.3f, .step_factor = 0.02f})),
      SLUICE_EFFECT("affine", affine(image, {.degrees = 20.f, .scale = 0.8f, .shear_x = 10.f})),
      SLUICE_EFFECT("center_crop", center_crop(image, {.height = 80, .width = 80})),
      SLUICE_EFFECT("crop", crop(image, g.constant(Rectangle{20, 40, 60, 90}))),
      SLUICE_EFFECT("crop_padded", crop(image, g.constant(Rectangle{-20, 40, 90, 120}),
                                        {.out_of_bounds = OutOfBounds::pad, .fill = 128})),
      SLUICE_EFFECT("d4", d4(image, 7)),
      SLUICE_EFFECT("elastic", elastic(image, {.alpha = 150.f, .sigma = 5.f})),
      SLUICE_EFFECT("expand", expand(image, {.ratio = 1.5f, .x = 0.2f, .fill = 128})),
      SLUICE_EFFECT("flip", flip(image, {.horizontal = true})),
      SLUICE_EFFECT("grid_distortion", grid_distortion(image, {.limit = 0.5f})),
      SLUICE_EFFECT("lens_distortion", lens_distortion(image, {.k1 = 0.4f})),
      SLUICE_EFFECT("pad_image", pad_image(image, {.left = 20, .top = 10, .fill = 128})),
      SLUICE_EFFECT("perspective", perspective(image, {0, 0, 99, 0, 99, 99, 0, 99},
                                               {20, 0, 80, 9, 99, 99, 0, 80})),
      SLUICE_EFFECT("random_crop", random_crop(image, {.height = 90, .width = 90})),
      SLUICE_EFFECT("random_perspective", random_perspective(image, {.probability = 1.f})),
      SLUICE_EFFECT("random_resized_crop",
                    random_resized_crop(image, {.height = 110, .width = 110, .max_area = 0.4f})),
      SLUICE_EFFECT("remap",
                    remap(image, grid_field(g, canvas_size(image), {.steps = 4, .limit = 0.5f}))),
      SLUICE_EFFECT("resize", resize(image, {.height = 120, .width = 60})),
      SLUICE_EFFECT("rot90", rot90(image, 1)),
      SLUICE_EFFECT("rotate", rotate(image, 20.f)),
      SLUICE_EFFECT("shear", shear(image, {.x = 0.3f})),
      SLUICE_EFFECT("translate", translate(image, {.y = 10.f, .x = 20.f})),
      SLUICE_EFFECT("transpose", transpose(image)),
      SLUICE_EFFECT("warp_affine", warp_affine(image, {1, 0.2f, 0, -0.2f, 1, 20})),
      SLUICE_EFFECT("warp_perspective", warp_perspective(image, {.yy = 0.9f, .wx = 0.004f})),
      SLUICE_EFFECT("blend", blend(image, flip(image))),
      SLUICE_EFFECT("paste", paste(image, invert(image), {.y = 40, .x = -30})),
      SLUICE_EFFECT("paste_masked", paste(image, invert(image), grayscale(image))),
      SLUICE_EFFECT("gaussian_noise", gaussian_noise(image, {.stddev = 30.f})),
      SLUICE_EFFECT("iso_noise", iso_noise(image, {.intensity = 1.f})),
      SLUICE_EFFECT("jitter", jitter(image, 5)),
      SLUICE_EFFECT("salt_and_pepper_noise", salt_and_pepper_noise(image)),
      SLUICE_EFFECT("shot_noise", shot_noise(image, 20.f)),
      SLUICE_EFFECT("coarse_dropout", coarse_dropout(image, {.height = 16.f, .width = 16.f})),
      SLUICE_EFFECT("erase", erase(image, {.y = 20.f, .x = 30.f, .height = 40.f, .width = 40.f})),
      SLUICE_EFFECT("erase_region", erase(image, g.constant(Rectangle{10, 10, 30, 50}))),
      SLUICE_EFFECT("erase_with_noise", erase(image, g.constant(Rectangle{10, 10, 30, 50}),
                                              {.fill = 128, .noise = 64.f})),
      SLUICE_EFFECT("grid_mask", grid_mask(image, {.tile = 24, .degrees = 20.f})),
      SLUICE_EFFECT("random_erasing", random_erasing(image, {.probability = 1.f, .fill = 128})),
  };
  return all;
}

Image effect_image() {
  const auto images = demo_images();
  const auto boat = std::find_if(images.begin(), images.end(),
                                 [](const DemoImage& one) { return one.name == "boat.jpg"; });
  Image large, image;
  decode_jpeg_image(boat->file, {}, large);
  // In its final size: shrinking would hide the effect of a filter.
  const int width = ContactSheet::kThumb;
  kernels::resize(large, width * large.height() / large.width(), width, Interpolation::bilinear,
                  image);
  return image;
}

Image effect_on(const Effect& effect, const Image& image) {
  auto pipeline = make_pipeline({.batch_size = 1, .threads = 1}, [&](Graph& g) {
    return effect.apply(g, g.source(1, [&](const SampleInfo&) { return image.clone(); }));
  });
  auto epoch = pipeline.epoch();
  return epoch.next()->get<0>()[0].clone();
}

void write_effects(const std::string& file) {
  const Image image = effect_image();
  ContactSheet sheet("what operators do", "each with the line of C++ that does it");
  for (const Effect& effect : effects())
    sheet.add(effect.name, effect.code, TileStatus::changed, image, effect_on(effect, image));
  write_file(file, encode_jpeg(sheet.draw(), {.quality = 80, .progressive = true}));
  fmt::print("{}: {}\n", counted(sheet.size(), "operator"), file);
}

void write_effect_images(const std::string& folder) {
  const std::filesystem::path to(folder);
  make_folder(folder);
  const auto write = [&](const std::string& name, const Image& image) {
    write_file((to / (name + ".jpg")).string(), encode_jpeg(image, {.quality = 90}));
  };
  const Image image = effect_image();
  write("before", image);
  for (const Effect& effect : effects()) write(effect.name, effect_on(effect, image));
  fmt::print("{}: {}\n", counted(effects().size(), "operator"), folder);
}

namespace {

using detail::OperatorSchema;
using detail::Parameter;
using detail::ParameterType;
using detail::SlotType;

std::string type_name(const SlotType* type) {
  if (type == nullptr) return "depends on the arguments";
  const std::string_view name = detail::registry().name_of_type(type);
  return std::string(name.empty() ? type->name : name);
}

std::string joined(const std::vector<std::string>& words, const char* between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

std::string types_of(const detail::Input& input) {
  if (input.types.empty()) return input.any;
  std::vector<std::string> names;
  for (const SlotType* type : input.types) names.push_back(type_name(type));
  return names.empty() ? "anything" : joined(names, " or ");
}

// The parameters in the order of C++. Fields named in an expression keep the order of the struct,
// which designated initializers require.
std::vector<Parameter> parameters_of(const OperatorSchema& schema) {
  std::vector<Parameter> all = schema.parameters;
  for (const std::string& expression : schema.cpp) {
    const auto place_of = [&](const Parameter& p) { return expression.find("." + p.name + " ="); };
    std::vector<std::size_t> rows;
    std::vector<Parameter> named;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (place_of(all[i]) == std::string::npos) continue;
      rows.push_back(i);
      named.push_back(all[i]);
    }
    std::stable_sort(named.begin(), named.end(), [&](const Parameter& a, const Parameter& b) {
      return place_of(a) < place_of(b);
    });
    for (std::size_t i = 0; i < rows.size(); ++i) all[rows[i]] = named[i];
  }
  return all;
}

std::string type_of(const Parameter& parameter) {
  if (parameter.type != ParameterType::numbers) return name_of(parameter.type);
  // One for each channel: a single number is for all of them, and a fourth one may be left out.
  const bool of_channels =
      parameter.count == 4 && parameter.per_sample && parameter.default_value.has_value();
  return fmt::format("{}{} numbers", of_channels ? "1, 3 or " : "", parameter.count);
}

std::string legal(const Parameter& parameter) {
  std::vector<std::string> names;
  for (const detail::NamedValue& choice : parameter.choices) names.push_back(choice.name);
  return names.empty() ? range_text(parameter) : joined(names, ", ");
}

std::string default_of(const Parameter& parameter) {
  return parameter.default_value ? to_string(*parameter.default_value) : "";
}
// The default as text; empty if the parameter is required.
std::string otherwise(const Parameter& parameter) {
  return parameter.optional ? "not given" : default_of(parameter);
}

// Appends an underscore to Python keywords.
std::string python_name(const std::string& name) {
  static const std::set<std::string_view> keywords = {
      "and",    "as",   "assert", "async",  "await",  "break",   "class",    "continue",
      "def",    "del",  "elif",   "else",   "except", "finally", "for",      "from",
      "global", "if",   "in",     "import", "is",     "lambda",  "nonlocal", "not",
      "or",     "pass", "raise",  "try",    "return", "while",   "with",     "yield"};
  return keywords.contains(name) ? name + "_" : name;
}

// The default as an expression of Python.
std::string python_default(const Parameter& parameter) {
  if (parameter.optional) return "None";  // "not given"
  const auto* const truth = detail::constant_of<bool>(*parameter.default_value);
  if (truth != nullptr) return *truth ? "True" : "False";
  return default_of(parameter);
}

// Returns the name of the Python function; those of the forms for tensors take images, too.
std::string python_function(const std::string& name) {
  for (const std::string_view both : {"crop", "crop_padded", "flip", "resize", "rotate"}) {
    if (name == std::string(both) + "_tensor") return std::string(both);
  }
  return python_name(name);
}

// Returns the Python calls of an operator; empty if Python has no function for it.
std::vector<std::string> python_calls(const OperatorSchema& schema) {
  // Python has its own methods, operators and statements for these, or a function with lists.
  static const std::map<std::string, std::vector<std::string>> hand_written = {
      {"absolute_elements", {}},
      {"append", {}},
      {"appended", {}},
      {"apply_random", {}},
      {"aug_mix_weights", {}},
      {"cast_elements", {}},
      {"cat", {"ops.cat(*tensors, axis=0)"}},
      {"choice", {"ops.choice(numbers, weights=None)"}},
      {"choice_index", {"ops.choice_index(weights)"}},
      {"constant", {"sluice.constant(value)"}},
      {"convert", {}},
      {"count", {}},
      {"cpu", {"data.cpu()"}},
      {"decode_image_size", {}},
      {"decode_jpeg_size", {}},
      {"draw", {}},
      {"element", {}},
      {"elementwise", {}},
      {"elementwise_number", {}},
      {"exp_elements", {}},
      {"filter", {"sluice.drop_unless(predicate)"}},
      {"filter_2d", {"ops.filter_2d(image, weights)"}},
      {"gpu", {"data.gpu()"}},
      {"list", {}},
      {"log_elements", {}},
      {"magnitude", {}},
      {"normalize_tensor", {"ops.normalize(image, mean, std, dtype='f32', layout='CHW')"}},
      {"pad", {}},
      {"permute", {"ops.permute(data, axes)"}},
      {"reduce_axes", {"ops.mean(data, axis=axes, keepdims=False)"}},
      {"reshape", {"ops.reshape(tensor, sizes, layout='none')"}},
      {"reverse", {}},
      {"slice", {}},
      {"sqrt_elements", {}},
      {"transpose", {"ops.transpose_image(image)"}}};
  if (const auto found = hand_written.find(schema.name); found != hand_written.end())
    return found->second;
  std::vector<std::string> required, named;
  for (const detail::Input& input : schema.inputs) required.push_back(python_name(input.name));
  for (const Parameter& p : schema.parameters) {
    if (p.name.find('.') != std::string::npos) continue;  // options of the decoder
    if (p.default_value) {
      named.push_back(python_name(p.name) + "=" + python_default(p));
    } else {
      required.push_back(python_name(p.name));
    }
  }
  required.insert(required.end(), named.begin(), named.end());
  return {fmt::format("ops.{}({})", python_function(schema.name), joined(required, ", "))};
}

// The schemas of the operators and of the functions composed of them, by name.
std::map<std::string, OperatorSchema> schemas() {
  std::map<std::string, OperatorSchema> all;
  for (const OperatorPtr& op : operators()) all.emplace(op->name(), op->schema());
  for (const OperatorSchema& schema : detail::registry().functions())
    all.emplace(schema.name, schema);
  return all;
}

std::map<std::string, std::vector<OperatorSchema>> families() {
  std::map<std::string, std::vector<OperatorSchema>> all;
  for (const auto& [name, schema] : schemas()) all[schema.family].push_back(schema);
  return all;
}

// True if it runs on a device when its image is there. A composed function does if its operators
// do.
bool runs_on_device(const OperatorSchema& schema) {
  const OperatorPtr op = schema.made_of.empty() ? detail::registry().find(schema.name) : nullptr;
  return op != nullptr && !schema.moves_to && op->device_version() != nullptr;
}

OperatorSchema one(const std::string& name) {
  const std::map<std::string, OperatorSchema> all = schemas();
  const auto at = all.find(name);
  if (at == all.end()) {
    std::vector<std::string> names;
    for (const auto& [known, schema] : all) names.push_back(known);
    throw UsageError(fmt::format("there is no operator '{}'{} (`sluice operators` lists all)", name,
                                 suggestion(name, names)));
  }
  return at->second;
}

Figures figures_of(const detail::Input& input) {
  std::vector<std::string> types;
  for (const SlotType* type : input.types) types.push_back(type_name(type));
  if (types.empty()) types.push_back(input.any);
  Figures all;
  all.add("name", input.name);
  all.add("types", types);
  return all;
}

Figures figures_of(const Parameter& p) {
  Figures all;
  all.add("name", p.name);
  all.add("type", name_of(p.type));
  all.add("accepts", type_of(p));
  if (p.default_value) all.add("default", default_of(p));
  if (p.optional) all.add("optional", true);
  if (!range_text(p).empty()) all.add("range", range_text(p));
  if (p.count > 0) all.add("count", static_cast<std::int64_t>(p.count));
  std::vector<std::string> choices;
  for (const detail::NamedValue& choice : p.choices) choices.push_back(choice.name);
  if (!choices.empty()) all.add("choices", choices);
  all.add("per_sample", p.per_sample);
  all.add("help", p.help);
  return all;
}

Figures figures_of(const detail::Output& output) {
  Figures all;
  all.add("name", output.name);
  if (output.type == nullptr) {
    all.add("type", nullptr);
  } else {
    all.add("type", type_name(output.type));
  }
  return all;
}

template <class All>
std::vector<Figures> figures_of_each(const All& all) {
  std::vector<Figures> figures;
  for (const auto& one : all) figures.push_back(figures_of(one));
  return figures;
}

// Returns the effect of the operator on the sheet; nullptr if it has none.
const Effect* effect_of(const std::string& name) {
  const auto found = std::find_if(effects().begin(), effects().end(),
                                  [&](const Effect& effect) { return name == effect.name; });
  return found == effects().end() ? nullptr : &*found;
}

Figures figures_of(const OperatorSchema& schema) {
  Figures all;
  all.add("name", schema.name);
  all.add("version", schema.version);
  all.add("family", schema.family);
  all.add("summary", schema.summary);
  all.add("inputs", figures_of_each(schema.inputs));
  all.add("parameters", figures_of_each(schema.parameters));
  all.add("outputs", figures_of_each(schema.outputs));
  all.add("draws", schema.draws);
  all.add("effect", schema.effect);
  all.add("cpp", schema.cpp);
  all.add("python", python_calls(schema));
  if (const Effect* const effect = effect_of(schema.name)) all.add("shown", effect->code);
  all.add("made_of", schema.made_of);
  all.add("runs_on_device", runs_on_device(schema));
  all.add("events", schema.events);
  return all;
}

void print_json(const OperatorsOptions& options) {
  if (!options.name.empty()) {
    fmt::print("{}\n", figures_of(one(options.name)).text());
    return;
  }
  std::vector<Figures> all;
  for (const auto& [name, schema] : schemas()) all.push_back(figures_of(schema));
  fmt::print("{}\n", Figures::text_of(std::move(all)));
}

void print_all() {
  std::size_t width = 0;
  for (const auto& [name, schema] : schemas()) width = std::max(width, name.size());
  const char* between = "";
  for (const auto& [family, all] : families()) {
    fmt::print("{}{}\n", between, family);
    for (const OperatorSchema& schema : all) {
      fmt::print("  {:<{}}  {}{}{}\n", schema.name, width, schema.summary,
                 schema.made_of.empty() ? "" : " Made of several.",
                 runs_on_device(schema) ? " Also on a GPU." : "");
    }
    between = "\n";
  }
}

// Describes a parameter, without its name.
std::string facts(const Parameter& p) {
  std::vector<std::string> all{type_of(p)};
  if (!legal(p).empty()) all.push_back(legal(p));
  all.push_back(p.optional        ? "may be left out"
                : p.default_value ? "default " + default_of(p)
                                  : "must be given");
  all.push_back(!p.per_sample                      ? "the same for all samples"
                : p.type == ParameterType::numbers ? "constant, or a tensor per sample"
                                                   : "constant, or a value per sample");
  return joined(all, "; ");
}

// Further remarks; empty if there are none.
std::string remarks(const OperatorSchema& schema) {
  std::vector<std::string> all;
  if (!schema.made_of.empty()) all.push_back("Made of: " + joined(schema.made_of, ", ") + ".");
  if (schema.draws) all.emplace_back("Draws random numbers from its own generator.");
  if (runs_on_device(schema)) all.emplace_back("Runs on a GPU, too.");
  if (schema.effect) all.emplace_back("Runs even if its output is unused.");
  if (!schema.events.empty()) all.push_back("Counts: " + joined(schema.events, ", ") + ".");
  return joined(all, " ");
}

void print_one(const OperatorSchema& schema) {
  fmt::print("{}: {}\nfamily {}", schema.name, schema.summary, schema.family);
  if (schema.made_of.empty()) fmt::print(", version {}", schema.version);
  fmt::print("\n");
  for (const std::string& expression : schema.cpp) fmt::print("  in C++     {}\n", expression);
  const std::vector<std::string> calls = python_calls(schema);
  for (const std::string& call : calls) fmt::print("  in Python  {}\n", call);
  if (calls.empty()) fmt::print("  in Python  none\n");
  for (const detail::Input& input : schema.inputs)
    fmt::print("  input      {}: {}\n", input.name, types_of(input));
  for (const Parameter& p : parameters_of(schema))
    fmt::print("  parameter  {}: {}\n             {}\n", p.name, facts(p), p.help);
  for (const detail::Output& output : schema.outputs)
    fmt::print("  output     {}: {}\n", output.name, type_name(output.type));
  if (const std::string more = remarks(schema); !more.empty()) fmt::print("{}\n", more);
}

// Escapes the text for a cell of a Markdown table.
std::string cell(const std::string& text) {
  std::string escaped;
  for (const char c : text) escaped += c == '|' ? std::string("\\|") : std::string(1, c);
  return escaped;
}

const char* per_sample(const Parameter& p) {
  if (!p.per_sample) return "no";
  return p.type == ParameterType::numbers ? "yes, a tensor" : "yes";
}

void print_markdown(const OperatorSchema& schema) {
  fmt::print("\n### {}\n\n{}\n", schema.name, schema.summary);
  if (const std::string more = remarks(schema); !more.empty()) fmt::print("{}\n", more);
  if (!schema.cpp.empty()) fmt::print("\nIn C++: `{}`\n", joined(schema.cpp, "`, `"));
  fmt::print(
      "\n| | name | type | range | default | per sample | |\n|---|---|---|---|---|---|---|\n");
  for (const detail::Input& input : schema.inputs)
    fmt::print("| input | `{}` | {} | | | yes | |\n", input.name, types_of(input));
  for (const Parameter& p : parameters_of(schema)) {
    fmt::print("| parameter | `{}` | {} | {} | {} | {} | {} |\n", p.name, type_of(p),
               cell(legal(p)), cell(otherwise(p)), per_sample(p), cell(p.help));
  }
  for (const detail::Output& output : schema.outputs)
    fmt::print("| output | `{}` | {} | | | | |\n", output.name, type_name(output.type));
}

void print_markdown() {
  fmt::print(
      "# Operators\n\n"
      "All operators of Sluice, as `sluice operators` lists them and [saved plans](saved-plans.md) "
      "name them. This file is made\nfrom their declarations: `sluice operators --markdown > "
      "docs/operators.md`. [Your own](your-own-operator.md) are declared the same way.\n\n"
      "Each is shown in C++. There `g` is the `Graph`; `image`, `jpeg`, `region`, `images`, "
      "`weights`, `label`, `x` and\n`y` are Values: an image, the bytes of a JPEG file, a "
      "rectangle, lists of images and of floats, and three whole numbers; `suite` is a list of "
      "[augmentations](control-flow.md#random-choices-of-operators).\nAn operator that is *made "
      "of* others is a function of C++ that writes those into the plan; saved plans name them. "
      "Choices,\nloops and steps of your own are no operators: see [control "
      "flow](control-flow.md), [the first hour](first-hour.md) and the headers\nthat are [worth "
      "reading](first-hour.md#headers-worth-reading).\n\n"
      "A parameter without a default must be given. One that is *per sample* is a constant, or a "
      "value that each sample has of\nits own. A choice is an enumerator in C++: `'bilinear'` is "
      "`Interpolation::bilinear`. If a name is not an identifier of C++, or is a keyword, "
      "the\n"
      "enumerator has another name: `'CHW'` is `Layout::chw`, and `'bool'` is `DType::boolean`. "
      "Parameters are listed in the order of the fields of C++'s\noptions, because designated "
      "initializers need it; Python takes them by name. Height comes before width, and y before x, "
      "except in points and matrices.\nOperators that *run on a GPU, too* do so "
      "if their image is there: [GPUs](gpu.md).\nColor operators in a row that are maps of RGB, "
      "and warps, [become one](tuning.md#what-is-composed) where the pipeline wants it.\n\n"
      "The effect of each operator on an image, as `sluice operators --sheet docs/operators.jpg` "
      "draws it:\n\n![An image before and after each operator](operators.jpg)\n");
  for (const auto& [family, all] : families()) {
    fmt::print("\n## {}\n", family);
    for (const OperatorSchema& schema : all) print_markdown(schema);
  }
}

}  // namespace

bool is_operator(const std::string& name) { return schemas().contains(name); }

int run_operators(const OperatorsOptions& options) {
  if (!options.sheet.empty()) {
    write_effects(options.sheet);
  } else if (!options.images.empty()) {
    write_effect_images(options.images);
  } else if (options.json) {
    print_json(options);
  } else if (options.markdown) {
    print_markdown();
  } else if (options.name.empty()) {
    print_all();
  } else {
    print_one(one(options.name));
  }
  return 0;
}

}  // namespace sluice::app
