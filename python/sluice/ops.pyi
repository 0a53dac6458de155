# Made by python/tools/make_stubs.py of the operators' declarations.
from typing import Literal, Sequence

from ._value import Value

def absolute(x: float | Value) -> Value:
    """Returns the absolute value of x."""

def absolute_boxes(boxes: Value, height: int | Value, width: int | Value) -> Value:
    """Converts boxes from fractions of width and height to pixels."""

def add(x: float | Value, y: float | Value) -> Value:
    """Adds x and y."""

def all(data: Value) -> Value:
    """Returns true if no element is zero."""

def any(data: Value) -> Value:
    """Returns true if an element is not zero."""

def aug_mix(image: Value, *, severity: int = ..., mixture_width: int = ..., chain_depth: int = ..., alpha: float = ..., interpolation: str | None = ..., fill: int | tuple[int, int, int] | None = ..., excluded: tuple[str, ...] = ...) -> Value:
    """Mixes the image with versions made by chains of operators (AugMix)."""

def aug_mix_weights(width: int, alpha: float | Value = ...) -> Value:
    """Draws the weights of aug_mix: of an image and of `width` chains."""

def auto_augment(image: Value, *, policy: str = ..., ranges: str = ..., interpolation: str | None = ..., fill: int | tuple[int, int, int] | None = ..., excluded: tuple[str, ...] = ...) -> Value:
    """Applies one of 25 pairs of operators found for 'imagenet', 'cifar10' or 'svhn' (AutoAugment)."""

def autocontrast(image: Value) -> Value:
    """Stretches each channel to the range 0 to 255."""

def beta(alpha: float | Value, other_alpha: float | Value) -> Value:
    """Draws a number between 0 and 1 from a Beta distribution."""

def bitwise_and(x: float | Value, y: float | Value) -> Value:
    """Returns the bitwise AND of x and y."""

def bitwise_or(x: float | Value, y: float | Value) -> Value:
    """Returns the bitwise OR of x and y."""

def bitwise_xor(x: float | Value, y: float | Value) -> Value:
    """Returns the bitwise XOR of x and y."""

def blend(a: Value, b: Value, *, weight: float | Value = ...) -> Value:
    """Blends two images."""

def box_blur(image: Value, *, window_size: int | Value = ...) -> Value:
    """Replaces each pixel value with the mean of a square window; reflects borders."""

def brightness_contrast(image: Value, *, brightness: float | Value = ..., contrast: float | Value = ..., contrast_center: float | Value = ..., brightness_shift: float | Value = ...) -> Value:
    """Adjusts brightness and contrast."""

def canvas_size(image: Value) -> tuple[Value, Value]:
    """Returns the height and width of an image."""

def cast(x: float | Value, to: Literal['bool', 'i8', 'u8', 'i16', 'u16', 'i32', 'u32', 'i64', 'u64', 'f16', 'f32', 'f64']) -> Value:
    """Converts a number to another type; truncates fractions and fails if the value does not fit."""

def cat(*tensors: Value | Sequence[Value], axis: int = ...) -> Value:
    """Concatenates tensors along an axis."""

def center_crop(image: Value, height: int | Value, width: int | Value) -> Value:
    """Crops the center of the image."""

def center_region(height: int | Value, width: int | Value, crop_height: int | Value, crop_width: int | Value) -> Value:
    """Returns the rectangle that center_crop cuts from an image of this size."""

def choice(numbers: Sequence[float], weights: Sequence[float] | None = ...) -> Value:
    """Draws one of several numbers for each sample."""

def choice_index(weights: Sequence[float]) -> Value:
    """Draws an index, from 0 on, for each sample with probabilities given by weights."""

def clahe(image: Value, *, clip_limit: float | Value = ..., tiles_y: int | Value = ..., tiles_x: int | Value = ...) -> Value:
    """Equalizes local contrast in tiles (CLAHE)."""

def clamp(x: Value, low: Value | float, high: Value | float) -> Value:
    """Limits a number, or each element of a tensor or image, to `low` to `high`."""

def clip_boxes(boxes: Value, height: int | Value, width: int | Value) -> Value:
    """Clips boxes to the image."""

def coin_flip(probability: float | Value = ...) -> Value:
    """Draws true with the given probability."""

def color_space_conversion(image: Value, *, from_: Literal['rgb', 'bgr', 'ycbcr'] = ..., to: Literal['rgb', 'bgr', 'ycbcr'] = ...) -> Value:
    """Converts pixels between RGB, BGR and JPEG's YCbCr."""

def color_twist(image: Value, *, brightness: float | Value = ..., contrast: float | Value = ..., saturation: float | Value = ..., hue: float | Value = ...) -> Value:
    """Adjusts brightness, contrast, saturation and hue with one matrix, as in DALI."""

def contrast(image: Value, factor: float | Value) -> Value:
    """Adjusts contrast about the image's mean luma."""

def convert(x: float | Value, to: Literal['bool', 'i8', 'u8', 'i16', 'u16', 'i32', 'u32', 'i64', 'u64', 'f16', 'f32', 'f64']) -> Value:
    """Converts a number to a parameter's type; fails if the value does not fit."""

def convert_boxes(boxes: Value, *, from_: Literal['xyxy', 'xywh', 'cxcywh'] = ..., to: Literal['xyxy', 'xywh', 'cxcywh'] = ...) -> Value:
    """Converts boxes between the formats xyxy, xywh and cxcywh."""

def crop(image: Value, region: tuple[int, int, int, int] | Value, *, out_of_bounds: Literal['error', 'trim'] = ...) -> Value:
    """Crops a rectangle from the image."""

def crop_boxes(boxes: Value, region: tuple[int, int, int, int] | Value) -> Value:
    """Moves boxes as crop moves their image."""

def crop_mirror_normalize(image: Value, *, height: int | Value = ..., width: int | Value = ..., mirror: bool | Value = ..., mean: float | Sequence[float] | Value = ..., std: float | Sequence[float] | Value = ..., dtype: Literal['f32', 'f16', 'bf16', 'u8', 'i8'] = ..., layout: Literal['CHW', 'HWC'] = ..., scale: float | Value = ..., shift: float | Value = ..., pad_output: bool = ...) -> Value:
    """Crops the center, optionally mirrors it, and normalizes it to a tensor."""

def crop_padded(image: Value, region: tuple[int, int, int, int] | Value, *, fill: float | Sequence[float] | Value = ...) -> Value:
    """Crops a rectangle and fills the part outside the image."""

def crop_points(points: Value, region: tuple[int, int, int, int] | Value) -> Value:
    """Moves points as crop moves their image."""

def decode_and_resize(jpeg: Value, region: tuple[int, int, int, int] | Value, *, color: Literal['rgb', 'gray'] = ..., apply_orientation: bool = ..., damage: Literal['strict', 'tolerant'] = ..., verify: bool = ..., entropy: Literal['fast', 'library'] = ..., max_scans: int = ..., max_output_bytes: int = ..., height: int | Value = ..., width: int | Value = ..., interpolation: Literal['nearest', 'box', 'bilinear', 'hamming', 'bicubic', 'lanczos'] = ..., antialias: bool = ...) -> Value:
    """Decodes a region of a JPEG file and resizes it; the decoder may downscale it."""

def decode_image(file: Value, *, color: Literal['rgb', 'gray'] = ..., apply_orientation: bool = ..., max_output_bytes: int = ..., ids: bool = ...) -> Value:
    """Decodes a JPEG, PNG, WebP or GIF file."""

def decode_image_region(file: Value, region: tuple[int, int, int, int] | Value, *, color: Literal['rgb', 'gray'] = ..., apply_orientation: bool = ..., max_output_bytes: int = ..., ids: bool = ...) -> Value:
    """Decodes a region of an image file; computes only that region of a JPEG file."""

def decode_image_size(file: Value, *, color: Literal['rgb', 'gray'] = ..., apply_orientation: bool = ..., max_output_bytes: int = ..., ids: bool = ...) -> Value:
    """Returns the size of the image as an image without pixels; used by passes."""

def decode_jpeg(jpeg: Value, *, color: Literal['rgb', 'gray'] = ..., apply_orientation: bool = ..., damage: Literal['strict', 'tolerant'] = ..., verify: bool = ..., entropy: Literal['fast', 'library'] = ..., max_scans: int = ..., max_output_bytes: int = ...) -> Value:
    """Decodes a JPEG file."""

def decode_jpeg_region(jpeg: Value, region: tuple[int, int, int, int] | Value, *, color: Literal['rgb', 'gray'] = ..., apply_orientation: bool = ..., damage: Literal['strict', 'tolerant'] = ..., verify: bool = ..., entropy: Literal['fast', 'library'] = ..., max_scans: int = ..., max_output_bytes: int = ...) -> Value:
    """Decodes a region of a JPEG file and computes only that region."""

def decode_jpeg_size(jpeg: Value, *, color: Literal['rgb', 'gray'] = ..., apply_orientation: bool = ..., damage: Literal['strict', 'tolerant'] = ..., verify: bool = ..., entropy: Literal['fast', 'library'] = ..., max_scans: int = ..., max_output_bytes: int = ...) -> Value:
    """Returns the size of the image as an image without pixels; used by passes."""

def detection_augment(jpeg: Value, boxes: Value, labels: Value, *, height: int = ..., width: int = ..., zoom_probability: float = ..., max_zoom: float = ..., fill: int | tuple[int, int, int] = ..., mirror_probability: float = ..., color_probability: float = ...) -> tuple[Value, Value, Value]:
    """Crops a random region of an image with its boxes and labels, as SSD's training does."""

def dilate(image: Value, *, window_height: int | Value = ..., window_width: int | Value = ...) -> Value:
    """Takes the largest pixel value in a window, so that bright areas grow."""

def dino(jpeg: Value, *, global_size: int = ..., local_size: int = ..., locals: int = ..., min_global_area: float = ..., min_local_area: float = ..., max_local_area: float = ...) -> tuple[list[Value], list[Value]]:
    """Makes DINO's 2 global views and its local views from one decode of a JPEG file."""

def divide(x: float | Value, y: float | Value) -> Value:
    """Divides x by y; integers round toward zero."""

def draw(count: int) -> tuple[Value, Value]:
    """Draws one of several uniformly, and a sign, for apply_random."""

def elastic(image: Value, *, alpha: float | Value = ..., sigma: float | Value = ..., interpolation: Literal['nearest', 'bilinear', 'bicubic'] = ..., border: Literal['constant', 'edge'] = ..., fill: float | Sequence[float] | Value = ...) -> Value:
    """Deforms the image by a smoothed random displacement field."""

def encode_anchors(boxes: Value, labels: Value, anchors: Value, *, iou: float = ..., mean: float | Sequence[float] = ..., std: float | Sequence[float] = ...) -> tuple[Value, Value]:
    """Encodes boxes and labels as offsets and labels of a detector's anchors."""

def equal(x: float | Value, y: float | Value) -> Value:
    """Returns true if x == y."""

def equalize(image: Value) -> Value:
    """Equalizes the histogram of each channel."""

def erase(image: Value, height: float | Value, width: float | Value, *, y: float | Value = ..., x: float | Value = ..., normalized: bool = ..., centered: bool = ..., fill: float | Sequence[float] | Value = ...) -> Value:
    """Fills a rectangle, given by numbers, with a color."""

def erase_region(image: Value, region: tuple[int, int, int, int] | Value, *, fill: float | Sequence[float] | Value = ...) -> Value:
    """Fills a rectangle with a color."""

def erode(image: Value, *, window_height: int | Value = ..., window_width: int | Value = ...) -> Value:
    """Takes the smallest pixel value in a window, so that dark areas grow."""

def expand(image: Value, *, ratio: float | Value = ..., y: float | Value = ..., x: float | Value = ..., fill: float | Sequence[float] | Value = ...) -> Value:
    """Places the image on a larger canvas of one color."""

def expanded_region(height: int | Value, width: int | Value, ratio: float | Value = ..., y: float | Value = ..., x: float | Value = ...) -> Value:
    """Returns the canvas of expand as a region in the image's coordinates."""

def filter(predicate: float | Value) -> None:
    """Keeps samples for which the predicate holds and filters out the others."""

def filter_2d(image: Value, weights: Sequence[Sequence[float]]) -> Value:
    """Replaces each pixel value with a weighted sum of a window; reflects borders."""

def filter_boxes(boxes: Value, height: int | Value, width: int | Value, *, min_area: float = ..., min_visibility: float = ..., min_height: float = ..., min_width: float = ...) -> tuple[Value, Value]:
    """Clips boxes to the image and drops those with too little left."""

def flip(image: Value, *, horizontal: bool | Value = ..., vertical: bool | Value = ...) -> Value:
    """Flips the image horizontally, vertically or both."""

def flip_boxes(boxes: Value, height: int | Value, width: int | Value, *, horizontal: bool | Value = ..., vertical: bool | Value = ...) -> Value:
    """Moves boxes as flip moves their image."""

def flip_points(points: Value, height: int | Value, width: int | Value, *, horizontal: bool | Value = ..., vertical: bool | Value = ...) -> Value:
    """Moves points as flip moves their image."""

def floor_divide(x: float | Value, y: float | Value) -> Value:
    """Divides x by y and rounds down, as Python's x // y."""

def gamma_correction(image: Value, gamma: float | Value, *, gain: float | Value = ...) -> Value:
    """Raises pixel values, as fractions of 255, to the power gamma and multiplies them by gain."""

def gaussian_blur(image: Value, *, sigma: float | Value = ..., sigma_y: float | Value = ..., window_size: int | Value = ...) -> Value:
    """Blurs the image with a Gaussian; reflects borders."""

def gaussian_noise(image: Value, *, mean: float | Value = ..., stddev: float | Value = ...) -> Value:
    """Adds normally distributed noise to each pixel value."""

def grayscale(image: Value, *, channels: int | Value = ...) -> Value:
    """Converts colors to their luma."""

def greater(x: float | Value, y: float | Value) -> Value:
    """Returns true if x > y."""

def greater_equal(x: float | Value, y: float | Value) -> Value:
    """Returns true if x >= y."""

def grid_mask(image: Value, *, tile: int | Value = ..., ratio: float | Value = ..., degrees: float | Value = ..., shift_y: float | Value = ..., shift_x: float | Value = ..., fill: float | Sequence[float] | Value = ...) -> Value:
    """Fills the squares of a regular grid with a color."""

def hue(image: Value, degrees: float | Value) -> Value:
    """Rotates hues by an angle in degrees, in HSV."""

def invert(image: Value) -> Value:
    """Inverts pixel values: x becomes 255 - x."""

def jitter(image: Value, *, window_size: int | Value = ...) -> Value:
    """Replaces each pixel with a random one nearby."""

def join_regions(first: Value, second: Value) -> tuple[Value, Value, Value]:
    """Returns the smallest rectangle around two, and the place of each within it."""

def jpeg_distortion(image: Value, *, quality: int | Value = ...) -> Value:
    """Adds JPEG compression artifacts."""

def labels_of(numbers: Value) -> Value:
    """Converts a list of integers to a tensor."""

def laplacian(image: Value, *, window_size: int | Value = ..., scale: float | Value = ...) -> Value:
    """Finds edges by the sum of second derivatives, clipped to 0 .. 255; reflects borders."""

def lens_distortion(image: Value, *, k1: float | Value = ..., k2: float | Value = ..., interpolation: Literal['nearest', 'bilinear', 'bicubic'] = ..., border: Literal['constant', 'edge'] = ..., fill: float | Sequence[float] | Value = ...) -> Value:
    """Applies the radial distortion of a simple lens."""

def less(x: float | Value, y: float | Value) -> Value:
    """Returns true if x < y."""

def less_equal(x: float | Value, y: float | Value) -> Value:
    """Returns true if x <= y."""

def lookup_table(image: Value, levels: float | Sequence[float]) -> Value:
    """Maps each pixel value through a lookup table."""

def magnitude(negative: Value, magnitude: int | Value, low: float, high: float, randomly_negate: bool = ..., bins: int = ...) -> Value:
    """Computes the parameter of an operator that apply_random has drawn."""

def max(data: Value) -> Value:
    """Returns the largest of all elements."""

def maximum(x: Value | float, y: Value | float) -> Value:
    """Returns the larger of two numbers, or of each pair of elements of tensors or images."""

def mean(data: Value) -> Value:
    """Returns the mean of all elements."""

def median_blur(image: Value, *, window_size: int | Value = ...) -> Value:
    """Replaces each pixel value with the median of a square window; repeats borders."""

def min(data: Value) -> Value:
    """Returns the smallest of all elements."""

def minimum(x: Value | float, y: Value | float) -> Value:
    """Returns the smaller of two numbers, or of each pair of elements of tensors or images."""

def modulo(x: float | Value, y: float | Value) -> Value:
    """Returns x modulo y with the sign of y, as Python's x % y."""

def motion_blur(image: Value, *, length: int | Value = ..., degrees: float | Value = ...) -> Value:
    """Blurs the image along a line; reflects borders."""

def multiply(x: float | Value, y: float | Value) -> Value:
    """Multiplies x by y."""

def negate(x: float | Value) -> Value:
    """Negates x."""

def nested_region(outer: Value, inner: Value) -> Value:
    """Converts a region within another region to the image's coordinates."""

def normal(mean: float | Value, stddev: float | Value) -> Value:
    """Draws a number from a normal distribution."""

def not_(x: float | Value) -> Value:
    """Returns true if x is false or zero."""

def not_equal(x: float | Value, y: float | Value) -> Value:
    """Returns true if x != y."""

def one_hot(label: Value, classes: int, *, smoothing: float = ...) -> Value:
    """Encodes a class label as a vector of probabilities."""

def pad_boxes(boxes: Value, *, left: int | Value = ..., top: int | Value = ...) -> Value:
    """Moves boxes as pad_image moves their image."""

def pad_image(image: Value, *, left: int | Value = ..., top: int | Value = ..., right: int | Value = ..., bottom: int | Value = ..., height: int | Value = ..., width: int | Value = ..., border: Literal['constant', 'edge', 'reflect'] = ..., fill: float | Sequence[float] | Value = ...) -> Value:
    """Pads the image with a color, its edge pixels or its reflection."""

def pad_points(points: Value, *, left: int | Value = ..., top: int | Value = ...) -> Value:
    """Moves points as pad_image moves their image."""

def pad_tensor(tensor: Value, *, axis: int | Sequence[int] = ..., length: int | Value | Sequence[int | Value] = ..., align: int | Value | Sequence[int | Value] = ..., fill: float | Value = ...) -> Value:
    """Pads a tensor at the end of one or more axes with a number."""

def paste(image: Value, patch: Value, *, y: int | Value = ..., x: int | Value = ..., alpha: float | Value = ...) -> Value:
    """Pastes `patch` onto the image at (y, x)."""

def paste_masked(image: Value, patch: Value, mask: Value, *, y: int | Value = ..., x: int | Value = ..., alpha: float | Value = ...) -> Value:
    """Pastes `patch` onto the image through a grayscale mask."""

def peek_jpeg(jpeg: Value) -> Value:
    """Reads the header of a JPEG file: size, kind, orientation."""

def permute_channels(image: Value, *, first: int | Value = ..., second: int | Value = ..., third: int | Value = ...) -> Value:
    """Reorders the three color channels."""

def perspective(image: Value, from_top_left_x: float | Value, from_top_left_y: float | Value, from_top_right_x: float | Value, from_top_right_y: float | Value, from_bottom_right_x: float | Value, from_bottom_right_y: float | Value, from_bottom_left_x: float | Value, from_bottom_left_y: float | Value, to_top_left_x: float | Value, to_top_left_y: float | Value, to_top_right_x: float | Value, to_top_right_y: float | Value, to_bottom_right_x: float | Value, to_bottom_right_y: float | Value, to_bottom_left_x: float | Value, to_bottom_left_y: float | Value, *, interpolation: Literal['nearest', 'bilinear', 'bicubic'] = ..., border: Literal['constant', 'edge'] = ..., fill: float | Sequence[float] | Value = ...) -> Value:
    """Applies the perspective transform that moves four points to four others."""

def photometric_distort(image: Value, *, probability: float = ...) -> Value:
    """Changes brightness, contrast, saturation and hue as SSD does, each with this probability."""

def posterize(image: Value, bits: int | Value) -> Value:
    """Keeps only the upper bits of each pixel value."""

def power(x: float | Value, y: float | Value) -> Value:
    """Raises x to the power y."""

def rand_augment(image: Value, *, n: int = ..., magnitude: int | Value = ..., bins: int = ..., ranges: str = ..., interpolation: str | None = ..., fill: int | tuple[int, int, int] | None = ..., excluded: tuple[str, ...] = ...) -> Value:
    """Applies n of 14 operators, drawn for each sample, with this magnitude (RandAugment)."""

def random_bbox_crop(boxes: Value, labels: Value, height: int | Value, width: int | Value, *, thresholds: float | Sequence[float] = ..., min_scale: float = ..., max_scale: float = ..., min_ratio: float = ..., max_ratio: float = ..., attempts: int = ..., rounds: int = ...) -> tuple[Value, Value, Value]:
    """Draws a random region that overlaps a box enough, and returns the boxes within it."""

def random_erasing(image: Value, *, probability: float = ..., min_area: float = ..., max_area: float = ..., min_ratio: float = ..., max_ratio: float = ..., fill: int | tuple[int, int, int] | Value = ...) -> Value:
    """Fills a random rectangle with a color, with the given probability."""

def random_erasing_region(image: Value, *, probability: float | Value = ..., min_area: float = ..., max_area: float = ..., min_ratio: float = ..., max_ratio: float = ...) -> Value:
    """Draws a random rectangle to erase, which may be empty."""

def random_region(image: Value, *, min_area: float = ..., max_area: float = ..., min_ratio: float = ..., max_ratio: float = ...) -> Value:
    """Draws a random rectangle inside the image."""

def random_region_of_file(jpeg: Value, *, min_area: float = ..., max_area: float = ..., min_ratio: float = ..., max_ratio: float = ..., apply_orientation: bool = ...) -> Value:
    """Draws a random rectangle inside the image of a JPEG file."""

def random_resized_crop(image: Value, *, height: int = ..., width: int = ..., min_area: float = ..., max_area: float = ..., min_ratio: float = ..., max_ratio: float = ..., interpolation: str = ..., antialias: bool = ..., shrink: bool = ...) -> Value:
    """Crops a random rectangle and resizes it; decodes only that region of a JPEG file."""

def reduce(data: Value, operation: Literal['mean', 'min', 'max', 'standard_deviation'], *, to: Literal['i64', 'f32', 'f64'] = ...) -> Value:
    """Reduces all elements to one number of the type `to`."""

def region_size(region: Value) -> tuple[Value, Value]:
    """Returns the size of the image that crop makes of a region."""

def relative_boxes(boxes: Value, height: int | Value, width: int | Value) -> Value:
    """Converts boxes from pixels to fractions of width and height."""

def remainder(x: float | Value, y: float | Value) -> Value:
    """Returns the remainder of x / y, with the sign of x."""

def reshape(tensor: Value, sizes: int | Sequence[int], *, layout: str = ...) -> Value:
    """Returns the same elements in another shape."""

def resize(image: Value, *, height: int | Value = ..., width: int | Value = ..., shorter: int | Value = ..., mode: Literal['as_given', 'stretch', 'not_larger', 'not_smaller'] = ..., max_size: int | Value = ..., roi_start_y: float | Value = ..., roi_start_x: float | Value = ..., roi_end_y: float | Value = ..., roi_end_x: float | Value = ..., roi_relative: bool = ..., interpolation: Literal['nearest', 'box', 'bilinear', 'hamming', 'bicubic', 'lanczos'] = ..., antialias: bool = ...) -> Value:
    """Resizes the image, with antialiasing by default."""

def resize_boxes(boxes: Value, height: int | Value, width: int | Value, to_height: int | Value, to_width: int | Value) -> Value:
    """Moves boxes as resize moves their image."""

def resize_mirror_normalize(image: Value, *, height: int | Value = ..., width: int | Value = ..., mirror: bool | Value = ..., mean: float | Sequence[float] | Value = ..., std: float | Sequence[float] | Value = ..., dtype: Literal['f32', 'f16', 'bf16', 'u8', 'i8'] = ..., layout: Literal['CHW', 'HWC'] = ..., scale: float | Value = ..., shift: float | Value = ..., pad_output: bool = ..., interpolation: Literal['nearest', 'box', 'bilinear', 'hamming', 'bicubic', 'lanczos'] = ..., antialias: bool = ...) -> Value:
    """Resizes the image, optionally mirrors it, and normalizes it to a tensor."""

def resize_points(points: Value, height: int | Value, width: int | Value, to_height: int | Value, to_width: int | Value) -> Value:
    """Moves points as resize moves their image."""

def rotate(image: Value, degrees: float | Value, *, keep_size: bool = ..., fill: float | Sequence[float] | Value = ..., interpolation: Literal['nearest', 'bilinear', 'bicubic'] = ...) -> Value:
    """Rotates the image counter-clockwise about its center."""

def rotate_boxes(boxes: Value, height: int | Value, width: int | Value, degrees: float | Value, *, keep_size: bool = ...) -> Value:
    """Moves boxes as rotate moves their image."""

def rotate_points(points: Value, height: int | Value, width: int | Value, degrees: float | Value, *, keep_size: bool = ...) -> Value:
    """Moves points as rotate moves their image."""

def rows_of(numbers: Value, columns: int) -> Value:
    """Converts a list of numbers to a tensor with rows, such as boxes or points."""

def salt_and_pepper_noise(image: Value, *, probability: float | Value = ..., salt_share: float | Value = ..., per_channel: bool | Value = ...) -> Value:
    """Turns random pixels white or black."""

def saturation(image: Value, factor: float | Value) -> Value:
    """Adjusts color saturation."""

def scaled_region(height: int | Value, width: int | Value, window_height: int | Value, window_width: int | Value, scale: float | Value = ..., y: float | Value = ..., x: float | Value = ...) -> tuple[Value, Value, Value]:
    """Returns the source region and the resized size for a crop of a resized image."""

def segmentation_augment(jpeg: Value, mask: Value, *, height: int = ..., width: int = ..., min_scale: float = ..., max_scale: float = ..., fill: int | tuple[int, int, int] = ..., ignored: int = ..., mirror_probability: float = ..., color_probability: float = ...) -> tuple[Value, Value]:
    """Scales an image and its mask, and cuts out a random window."""

def sharpness(image: Value, factor: float | Value) -> Value:
    """Sharpens or smooths the image; border pixels stay unchanged."""

def shear(image: Value, *, y: float | Value = ..., x: float | Value = ..., center_y: float | Value = ..., center_x: float | Value = ..., interpolation: Literal['nearest', 'bilinear', 'bicubic'] = ..., border: Literal['constant', 'edge'] = ..., fill: float | Sequence[float] | Value = ...) -> Value:
    """Shears the image along x, y or both."""

def shear_boxes(boxes: Value, height: int | Value, width: int | Value, *, y: float | Value = ..., x: float | Value = ..., center_y: float | Value = ..., center_x: float | Value = ...) -> Value:
    """Moves boxes as shear moves their image."""

def shear_points(points: Value, height: int | Value, width: int | Value, *, y: float | Value = ..., x: float | Value = ..., center_y: float | Value = ..., center_x: float | Value = ...) -> Value:
    """Moves points as shear moves their image."""

def shot_noise(image: Value, factor: float | Value) -> Value:
    """Replaces each pixel value v with factor times a Poisson number of mean v / factor."""

def sim_clr(jpeg: Value, *, height: int = ..., width: int = ..., min_area: float = ..., color_strength: float = ..., color_probability: float = ..., gray_probability: float = ..., blur_probability: float = ...) -> tuple[Value, Value]:
    """Makes SimCLR's two views from one decode of a JPEG file."""

def slice_tensor(tensor: Value, *, axis: int | Sequence[int] = ..., start: int | Value | Sequence[int | Value] = ..., length: int | Value | Sequence[int | Value] = ...) -> Value:
    """Cuts a part out of a tensor along one or more axes."""

def solarize(image: Value, *, threshold: float | Value = ...) -> Value:
    """Inverts pixel values from a threshold on."""

def stack(list: Value | Sequence[Value], length: int | Value | None = ..., *, reverse: bool = ..., name: str = ..., axis: int = ...) -> Value:
    """Stacks tensors or images of one shape along a new axis."""

def standard_deviation(data: Value) -> Value:
    """Returns the population standard deviation of all elements."""

def subtract(x: float | Value, y: float | Value) -> Value:
    """Subtracts y from x."""

def sum(data: Value, *, to: Literal['i64', 'f32', 'f64'] = ...) -> Value:
    """Returns the sum of all pixel values or elements."""

def take_rows(tensor: Value, boxes: Value, rows: Value) -> Value:
    """Selects rows of a tensor with one row per box, such as labels."""

def to_image(tensor: Value, *, white: float | Value = ...) -> Value:
    """Converts a tensor to an image: rounds numbers and clips them to 0 .. 255."""

def translate(image: Value, *, y: float | Value = ..., x: float | Value = ..., relative: bool = ..., interpolation: Literal['nearest', 'bilinear', 'bicubic'] = ..., border: Literal['constant', 'edge'] = ..., fill: float | Sequence[float] | Value = ...) -> Value:
    """Shifts the image by (x, y); the size stays the same."""

def translate_boxes(boxes: Value, height: int | Value, width: int | Value, *, y: float | Value = ..., x: float | Value = ..., relative: bool = ...) -> Value:
    """Moves boxes as translate moves their image."""

def translate_points(points: Value, height: int | Value, width: int | Value, *, y: float | Value = ..., x: float | Value = ..., relative: bool = ...) -> Value:
    """Moves points as translate moves their image."""

def transpose(image: Value) -> Value:
    """Swaps rows and columns."""

def transpose_boxes(boxes: Value) -> Value:
    """Moves boxes as transpose moves their image."""

def transpose_points(points: Value) -> Value:
    """Moves points as transpose moves their image."""

def trivial_augment_wide(image: Value, *, bins: int = ..., ranges: str = ..., interpolation: str | None = ..., fill: int | tuple[int, int, int] | None = ..., excluded: tuple[str, ...] = ...) -> Value:
    """Applies one of 14 operators with any magnitude, both drawn per sample (TrivialAugmentWide)."""

def uniform(lo: float | Value, hi: float | Value) -> Value:
    """Draws a number uniformly from [lo, hi), or lo if they are equal."""

def warp_affine(image: Value, *, xx: float | Value = ..., xy: float | Value = ..., x0: float | Value = ..., yx: float | Value = ..., yy: float | Value = ..., y0: float | Value = ..., height: int | Value = ..., width: int | Value = ..., inverse_map: bool = ..., interpolation: Literal['nearest', 'bilinear', 'bicubic'] = ..., border: Literal['constant', 'edge'] = ..., fill: float | Sequence[float] | Value = ...) -> Value:
    """Warps the image by a 2 x 3 affine matrix."""

def warp_affine_boxes(boxes: Value, *, xx: float | Value = ..., xy: float | Value = ..., x0: float | Value = ..., yx: float | Value = ..., yy: float | Value = ..., y0: float | Value = ..., inverse_map: bool = ...) -> Value:
    """Moves boxes as warp_affine moves their image."""

def warp_affine_points(points: Value, *, xx: float | Value = ..., xy: float | Value = ..., x0: float | Value = ..., yx: float | Value = ..., yy: float | Value = ..., y0: float | Value = ..., inverse_map: bool = ...) -> Value:
    """Moves points as warp_affine moves their image."""

def warp_perspective(image: Value, *, xx: float | Value = ..., xy: float | Value = ..., x0: float | Value = ..., yx: float | Value = ..., yy: float | Value = ..., y0: float | Value = ..., wx: float | Value = ..., wy: float | Value = ..., w0: float | Value = ..., height: int | Value = ..., width: int | Value = ..., interpolation: Literal['nearest', 'bilinear', 'bicubic'] = ..., border: Literal['constant', 'edge'] = ..., fill: float | Sequence[float] | Value = ...) -> Value:
    """Warps the image by a 3 x 3 perspective matrix."""

def weighted_sum(images: Value, weights: Value) -> Value:
    """Adds several images, each multiplied by its weight."""
