# Made by python/tools/make_stubs.py of the operators' declarations.
from typing import Literal, Sequence

from ._value import Value

def absolute(x: float | Value) -> Value:
    """x without its sign."""

def absolute_boxes(boxes: Value, height: int | Value, width: int | Value) -> Value:
    """Boxes in pixels, of boxes in shares of width and height."""

def add(x: float | Value, y: float | Value) -> Value:
    """x + y."""

def all(data: Value) -> Value:
    """True if no element is zero."""

def any(data: Value) -> Value:
    """True if an element is not zero."""

def aug_mix(image: Value, *, severity: int = ..., mixture_width: int = ..., chain_depth: int = ..., alpha: float = ..., interpolation: str | None = ..., fill: int | tuple[int, int, int] | None = ..., excluded: tuple[str, ...] = ...) -> Value:
    """AugMix: the picture mixed with others that chains of operators make of it."""

def aug_mix_weights(width: int, alpha: float | Value = ...) -> Value:
    """What aug_mix draws: the weights of a picture and of `width` chains."""

def auto_augment(image: Value, *, policy: str = ..., ranges: str = ..., interpolation: str | None = ..., fill: int | tuple[int, int, int] | None = ..., excluded: tuple[str, ...] = ...) -> Value:
    """AutoAugment: one of 25 pairs of operators found for 'imagenet', 'cifar10' or 'svhn'."""

def autocontrast(image: Value) -> Value:
    """Each channel stretched, so that it goes from 0 to 255."""

def beta(alpha: float | Value, other_alpha: float | Value) -> Value:
    """A number between 0 and 1 of the Beta distribution."""

def bitwise_and(x: float | Value, y: float | Value) -> Value:
    """The bits that x and y both have."""

def bitwise_or(x: float | Value, y: float | Value) -> Value:
    """The bits that x or y has."""

def bitwise_xor(x: float | Value, y: float | Value) -> Value:
    """The bits that only one of x and y has."""

def blend(a: Value, b: Value, *, weight: float | Value = ...) -> Value:
    """Two pictures laid over each other."""

def box_blur(image: Value, *, window_size: int | Value = ...) -> Value:
    """Each level becomes the mean of a square around it; borders are reflected."""

def brightness_contrast(image: Value, *, brightness: float | Value = ..., contrast: float | Value = ..., contrast_center: float | Value = ..., brightness_shift: float | Value = ...) -> Value:
    """Lighter or darker, stronger or weaker."""

def canvas_size(image: Value) -> tuple[Value, Value]:
    """How large a picture is."""

def cast(x: float | Value, to: Literal['bool', 'i8', 'u8', 'i16', 'u16', 'i32', 'u32', 'i64', 'u64', 'f16', 'f32', 'f64']) -> Value:
    """The number as another type; fractions are cut off, and what the type does not hold is an error."""

def cat(*tensors: Value | Sequence[Value], axis: int = ...) -> Value:
    """Tensors, one after the other along a dimension."""

def center_crop(image: Value, height: int | Value, width: int | Value) -> Value:
    """The middle of the picture."""

def center_region(height: int | Value, width: int | Value, crop_height: int | Value, crop_width: int | Value) -> Value:
    """The rectangle that center_crop takes of a picture of this size."""

def choice(numbers: Sequence[float], weights: Sequence[float] | None = ...) -> Value:
    """One of several numbers, drawn for each sample."""

def choice_index(weights: Sequence[float]) -> Value:
    """The place of one of several weights, drawn for each sample as probably as they say."""

def clahe(image: Value, *, clip_limit: float | Value = ..., tiles_y: int | Value = ..., tiles_x: int | Value = ...) -> Value:
    """Contrast evened out from place to place."""

def clamp(x: Value, low: Value | float, high: Value | float) -> Value:
    """The number, or each element of a tensor or picture, but at least `low` and at most `high`."""

def clip_boxes(boxes: Value, height: int | Value, width: int | Value) -> Value:
    """Boxes cut to the picture."""

def coin_flip(probability: float | Value = ...) -> Value:
    """True with the given probability."""

def color_space_conversion(image: Value, *, from_: Literal['rgb', 'bgr', 'ycbcr'] = ..., to: Literal['rgb', 'bgr', 'ycbcr'] = ...) -> Value:
    """Pixels of one format become those of another: RGB, BGR, JPEG's YCbCr."""

def color_twist(image: Value, *, brightness: float | Value = ..., contrast: float | Value = ..., saturation: float | Value = ..., hue: float | Value = ...) -> Value:
    """Brightness, contrast, saturation and hue by one matrix, as in DALI."""

def contrast(image: Value, factor: float | Value) -> Value:
    """Levels drawn away from the picture's mean luma, or towards it."""

def convert(x: float | Value, to: Literal['bool', 'i8', 'u8', 'i16', 'u16', 'i32', 'u32', 'i64', 'u64', 'f16', 'f32', 'f64']) -> Value:
    """The number as the type that a parameter wants; an error where something is lost."""

def convert_boxes(boxes: Value, *, from_: Literal['xyxy', 'xywh', 'cxcywh'] = ..., to: Literal['xyxy', 'xywh', 'cxcywh'] = ...) -> Value:
    """Boxes in another format: edges, corner and size, or middle and size."""

def crop(image: Value, region: tuple[int, int, int, int] | Value, *, out_of_bounds: Literal['error', 'trim'] = ...) -> Value:
    """A rectangle of the picture."""

def crop_boxes(boxes: Value, region: tuple[int, int, int, int] | Value) -> Value:
    """Boxes that move as crop moves their picture."""

def crop_mirror_normalize(image: Value, *, height: int | Value = ..., width: int | Value = ..., mirror: bool | Value = ..., mean: float | Sequence[float] | Value = ..., std: float | Sequence[float] | Value = ..., dtype: Literal['f32', 'f16', 'u8', 'i8'] = ..., layout: Literal['CHW', 'HWC'] = ..., scale: float | Value = ..., shift: float | Value = ..., pad_output: bool = ...) -> Value:
    """The middle of the picture as a normalised tensor."""

def crop_padded(image: Value, region: tuple[int, int, int, int] | Value, *, fill: float | Sequence[float] | Value = ...) -> Value:
    """A rectangle of the picture; what lies outside of the picture is filled."""

def crop_points(points: Value, region: tuple[int, int, int, int] | Value) -> Value:
    """Points that move as crop moves their picture."""

def decode_and_resize(jpeg: Value, region: tuple[int, int, int, int] | Value, *, color: Literal['rgb', 'gray'] = ..., apply_orientation: bool = ..., damage: Literal['strict', 'tolerant'] = ..., verify: bool = ..., entropy: Literal['fast', 'library'] = ..., max_scans: int = ..., max_output_bytes: int = ..., height: int | Value = ..., width: int | Value = ..., interpolation: Literal['nearest', 'box', 'bilinear', 'hamming', 'bicubic', 'lanczos'] = ..., antialias: bool = ...) -> Value:
    """A rectangle of the picture in a JPEG file, resized; the decoder may shrink it."""

def decode_image(file: Value, *, color: Literal['rgb', 'gray'] = ..., apply_orientation: bool = ..., max_output_bytes: int = ..., ids: bool = ...) -> Value:
    """The picture in a JPEG, PNG, WebP or GIF file."""

def decode_image_region(file: Value, region: tuple[int, int, int, int] | Value, *, color: Literal['rgb', 'gray'] = ..., apply_orientation: bool = ..., max_output_bytes: int = ..., ids: bool = ...) -> Value:
    """A rectangle of the picture in a file; of a JPEG file no more is computed."""

def decode_image_size(file: Value, *, color: Literal['rgb', 'gray'] = ..., apply_orientation: bool = ..., max_output_bytes: int = ..., ids: bool = ...) -> Value:
    """The size of the picture, as an image without pixels; passes use it."""

def decode_jpeg(jpeg: Value, *, color: Literal['rgb', 'gray'] = ..., apply_orientation: bool = ..., damage: Literal['strict', 'tolerant'] = ..., verify: bool = ..., entropy: Literal['fast', 'library'] = ..., max_scans: int = ..., max_output_bytes: int = ...) -> Value:
    """The picture in a JPEG file."""

def decode_jpeg_region(jpeg: Value, region: tuple[int, int, int, int] | Value, *, color: Literal['rgb', 'gray'] = ..., apply_orientation: bool = ..., damage: Literal['strict', 'tolerant'] = ..., verify: bool = ..., entropy: Literal['fast', 'library'] = ..., max_scans: int = ..., max_output_bytes: int = ...) -> Value:
    """A rectangle of the picture in a JPEG file; no more of it is computed."""

def decode_jpeg_size(jpeg: Value, *, color: Literal['rgb', 'gray'] = ..., apply_orientation: bool = ..., damage: Literal['strict', 'tolerant'] = ..., verify: bool = ..., entropy: Literal['fast', 'library'] = ..., max_scans: int = ..., max_output_bytes: int = ...) -> Value:
    """The size of the picture, as an image without pixels; passes use it."""

def detection_augment(jpeg: Value, boxes: Value, labels: Value, *, width: int = ..., height: int = ..., zoom_probability: float = ..., max_zoom: float = ..., fill: int | tuple[int, int, int] = ..., mirror_probability: float = ..., colour_probability: float = ...) -> tuple[Value, Value, Value]:
    """SSD's training: a picture with its boxes and labels, as a random region of it shows them."""

def dilate(image: Value, *, window_height: int | Value = ..., window_width: int | Value = ...) -> Value:
    """The largest level in a window; what is light grows."""

def dino(jpeg: Value, *, global_size: int = ..., local_size: int = ..., locals: int = ..., min_global_area: float = ..., max_local_area: float = ..., min_local_area: float = ...) -> tuple[list[Value], list[Value]]:
    """DINO's 2 global views and its local ones, all of one decode of a JPEG file."""

def divide(x: float | Value, y: float | Value) -> Value:
    """x / y; of whole numbers the fraction is cut off."""

def draw(count: int) -> tuple[Value, Value]:
    """One of several, uniformly, and a sign: what apply_random draws."""

def elastic(image: Value, *, alpha: float | Value = ..., sigma: float | Value = ..., interpolation: Literal['nearest', 'bilinear', 'bicubic'] = ..., border: Literal['constant', 'edge'] = ..., fill: float | Sequence[float] | Value = ...) -> Value:
    """Pulled at random, neighbours alike."""

def encode_anchors(boxes: Value, labels: Value, anchors: Value, *, iou: float = ..., mean: float | Sequence[float] = ..., std: float | Sequence[float] = ...) -> tuple[Value, Value]:
    """Boxes as offsets and labels of a detector's anchors."""

def equal(x: float | Value, y: float | Value) -> Value:
    """x == y"""

def equalize(image: Value) -> Value:
    """Each channel's levels spread so that about as many pixels have each."""

def erase(image: Value, height: float | Value, width: float | Value, *, y: float | Value = ..., x: float | Value = ..., normalized: bool = ..., centered: bool = ..., fill: float | Sequence[float] | Value = ...) -> Value:
    """A rectangle, given by numbers, gets a colour."""

def erase_region(image: Value, region: tuple[int, int, int, int] | Value, *, fill: float | Sequence[float] | Value = ...) -> Value:
    """A rectangle gets a colour."""

def erode(image: Value, *, window_height: int | Value = ..., window_width: int | Value = ...) -> Value:
    """The smallest level in a window; what is dark grows."""

def expand(image: Value, *, ratio: float | Value = ..., y: float | Value = ..., x: float | Value = ..., fill: float | Sequence[float] | Value = ...) -> Value:
    """On a larger canvas of one colour."""

def expanded_region(height: int | Value, width: int | Value, ratio: float | Value = ..., y: float | Value = ..., x: float | Value = ...) -> Value:
    """The canvas of expand, counted from the corner of the picture."""

def filter(predicate: float | Value) -> None:
    """Goes on with samples for which the predicate holds; the others are filtered."""

def filter_2d(image: Value, weights: Sequence[Sequence[float]]) -> Value:
    """Each level becomes a weighted sum of those around it; borders are reflected."""

def filter_boxes(boxes: Value, height: int | Value, width: int | Value, *, min_area: float = ..., min_visibility: float = ..., min_width: float = ..., min_height: float = ...) -> tuple[Value, Value]:
    """Boxes cut to the picture, without those of which too little is left."""

def flip(image: Value, *, horizontal: bool | Value = ..., vertical: bool | Value = ...) -> Value:
    """Left and right, or top and bottom, exchanged."""

def flip_boxes(boxes: Value, height: int | Value, width: int | Value, *, horizontal: bool | Value = ..., vertical: bool | Value = ...) -> Value:
    """Boxes that move as flip moves their picture."""

def flip_points(points: Value, height: int | Value, width: int | Value, *, horizontal: bool | Value = ..., vertical: bool | Value = ...) -> Value:
    """Points that move as flip moves their picture."""

def floor_divide(x: float | Value, y: float | Value) -> Value:
    """x / y, rounded down: Python's x // y."""

def gamma_correction(image: Value, gamma: float | Value, *, gain: float | Value = ...) -> Value:
    """Each level, as a part of 255, to the power of gamma, times a gain."""

def gaussian_blur(image: Value, *, sigma: float | Value = ..., sigma_y: float | Value = ..., window_size: int | Value = ...) -> Value:
    """Blurred by a Gaussian; borders are reflected."""

def gaussian_noise(image: Value, *, mean: float | Value = ..., stddev: float | Value = ...) -> Value:
    """A normal random number is added to each level."""

def grayscale(image: Value, *, channels: int | Value = ...) -> Value:
    """Colours become their luma."""

def greater(x: float | Value, y: float | Value) -> Value:
    """x > y"""

def greater_equal(x: float | Value, y: float | Value) -> Value:
    """x >= y"""

def grid_mask(image: Value, *, tile: int | Value = ..., ratio: float | Value = ..., degrees: float | Value = ..., shift_x: float | Value = ..., shift_y: float | Value = ..., fill: float | Sequence[float] | Value = ...) -> Value:
    """Squares of a regular grid get a colour."""

def hue(image: Value, degrees: float | Value) -> Value:
    """Colours turned round the circle of hues, by HSV."""

def invert(image: Value) -> Value:
    """Each level x becomes 255 - x."""

def jitter(image: Value, *, window_size: int | Value = ...) -> Value:
    """Each pixel is a random one nearby."""

def join_regions(first: Value, second: Value) -> tuple[Value, Value, Value]:
    """The smallest rectangle around two, and where each lies in it."""

def jpeg_distortion(image: Value, *, quality: int | Value = ...) -> Value:
    """As after having been a JPEG file."""

def labels_of(numbers: Value) -> Value:
    """A list of whole numbers as a tensor."""

def laplacian(image: Value, *, window_size: int | Value = ..., scale: float | Value = ...) -> Value:
    """Edges: the sum of second derivatives, cut to 0 .. 255; borders are reflected."""

def lens_distortion(image: Value, *, k1: float | Value = ..., k2: float | Value = ..., interpolation: Literal['nearest', 'bilinear', 'bicubic'] = ..., border: Literal['constant', 'edge'] = ..., fill: float | Sequence[float] | Value = ...) -> Value:
    """Lines bent, as by a simple lens."""

def less(x: float | Value, y: float | Value) -> Value:
    """x < y"""

def less_equal(x: float | Value, y: float | Value) -> Value:
    """x <= y"""

def lookup_table(image: Value, levels: float | Sequence[float]) -> Value:
    """Each level by a table."""

def magnitude(negative: Value, magnitude: int | Value, low: float, high: float, randomly_negate: bool = ..., bins: int = ...) -> Value:
    """The parameter of an operator that apply_random has drawn."""

def max(data: Value) -> Value:
    """The highest of all elements."""

def maximum(x: Value | float, y: Value | float) -> Value:
    """The larger of two numbers, or of each two elements of tensors or pictures."""

def mean(data: Value) -> Value:
    """The mean of all elements."""

def median_blur(image: Value, *, window_size: int | Value = ...) -> Value:
    """Each level becomes the median of a square around it; borders are repeated."""

def min(data: Value) -> Value:
    """The lowest of all elements."""

def minimum(x: Value | float, y: Value | float) -> Value:
    """The smaller of two numbers, or of each two elements of tensors or pictures."""

def modulo(x: float | Value, y: float | Value) -> Value:
    """The remainder of floor_divide: Python's x % y, with the sign of y."""

def motion_blur(image: Value, *, length: int | Value = ..., degrees: float | Value = ...) -> Value:
    """Blurred along a line; borders are reflected."""

def multiply(x: float | Value, y: float | Value) -> Value:
    """x * y."""

def negate(x: float | Value) -> Value:
    """-x."""

def nested_region(outer: Value, inner: Value) -> Value:
    """A region within another one, counted in the picture."""

def normal(mean: float | Value, stddev: float | Value) -> Value:
    """A number drawn from a normal distribution."""

def not_(x: float | Value) -> Value:
    """Whether x is false or zero."""

def not_equal(x: float | Value, y: float | Value) -> Value:
    """x != y"""

def one_hot(label: Value, classes: int, *, smoothing: float = ...) -> Value:
    """The number of a class as a vector of probabilities."""

def pad_boxes(boxes: Value, *, left: int | Value = ..., top: int | Value = ...) -> Value:
    """Boxes that move as pad_image moves their picture."""

def pad_image(image: Value, *, left: int | Value = ..., top: int | Value = ..., right: int | Value = ..., bottom: int | Value = ..., height: int | Value = ..., width: int | Value = ..., border: Literal['constant', 'edge', 'reflect'] = ..., fill: float | Sequence[float] | Value = ...) -> Value:
    """With a margin: of one colour, of the edge's pixels, or mirrored."""

def pad_points(points: Value, *, left: int | Value = ..., top: int | Value = ...) -> Value:
    """Points that move as pad_image moves their picture."""

def pad_tensor(tensor: Value, *, axis: int | Sequence[int] = ..., length: int | Value | Sequence[int | Value] = ..., align: int | Value | Sequence[int | Value] = ..., fill: float | Value = ...) -> Value:
    """A tensor made longer along one dimension or several, with one number behind its elements."""

def paste(image: Value, patch: Value, *, y: int | Value = ..., x: int | Value = ..., alpha: float | Value = ...) -> Value:
    """Another picture laid on it, at a place."""

def paste_masked(image: Value, patch: Value, mask: Value, *, y: int | Value = ..., x: int | Value = ..., alpha: float | Value = ...) -> Value:
    """Another picture laid on it, where a gray one is light."""

def peek_jpeg(jpeg: Value) -> Value:
    """What the header of a JPEG file says: size, kind, orientation."""

def permute_channels(image: Value, *, first: int | Value = ..., second: int | Value = ..., third: int | Value = ...) -> Value:
    """The three colours of each pixel in another order."""

def perspective(image: Value, from_top_left_x: float | Value, from_top_left_y: float | Value, from_top_right_x: float | Value, from_top_right_y: float | Value, from_bottom_right_x: float | Value, from_bottom_right_y: float | Value, from_bottom_left_x: float | Value, from_bottom_left_y: float | Value, to_top_left_x: float | Value, to_top_left_y: float | Value, to_top_right_x: float | Value, to_top_right_y: float | Value, to_bottom_right_x: float | Value, to_bottom_right_y: float | Value, to_bottom_left_x: float | Value, to_bottom_left_y: float | Value, *, interpolation: Literal['nearest', 'bilinear', 'bicubic'] = ..., border: Literal['constant', 'edge'] = ..., fill: float | Sequence[float] | Value = ...) -> Value:
    """As from another point of view: four places come to others."""

def photometric_distort(image: Value, *, probability: float = ...) -> Value:
    """SSD's changes of brightness, contrast, saturation and hue, each with this probability."""

def posterize(image: Value, bits: int | Value) -> Value:
    """Of each level, the upper bits alone are kept."""

def power(x: float | Value, y: float | Value) -> Value:
    """x to the power y."""

def rand_augment(image: Value, *, n: int = ..., magnitude: int | Value = ..., bins: int = ..., ranges: str = ..., interpolation: str | None = ..., fill: int | tuple[int, int, int] | None = ..., excluded: tuple[str, ...] = ...) -> Value:
    """RandAugment: n of 14 operators, drawn for each sample, of this magnitude."""

def random_bbox_crop(boxes: Value, labels: Value, height: int | Value, width: int | Value, *, thresholds: float | Sequence[float] = ..., min_scale: float = ..., max_scale: float = ..., min_ratio: float = ..., max_ratio: float = ..., attempts: int = ..., rounds: int = ...) -> tuple[Value, Value, Value]:
    """A random region that shows enough of a box, and the boxes within it."""

def random_erasing(image: Value, *, probability: float = ..., min_area: float = ..., max_area: float = ..., min_ratio: float = ..., max_ratio: float = ..., fill: int | tuple[int, int, int] | Value = ...) -> Value:
    """A random rectangle of the picture is filled, with this probability."""

def random_erasing_region(image: Value, *, probability: float | Value = ..., min_area: float = ..., max_area: float = ..., min_ratio: float = ..., max_ratio: float = ...) -> Value:
    """A random rectangle to be erased, or an empty one."""

def random_region(image: Value, *, min_area: float = ..., max_area: float = ..., min_ratio: float = ..., max_ratio: float = ...) -> Value:
    """A random rectangle inside the picture."""

def random_region_of_file(jpeg: Value, *, min_area: float = ..., max_area: float = ..., min_ratio: float = ..., max_ratio: float = ..., apply_orientation: bool = ...) -> Value:
    """A random rectangle inside the picture in a JPEG file."""

def random_resized_crop(picture: Value, *, width: int = ..., height: int = ..., min_area: float = ..., max_area: float = ..., min_ratio: float = ..., max_ratio: float = ..., interpolation: str = ..., antialias: bool = ..., shrink: bool = ...) -> Value:
    """A random rectangle of a picture, resized; of a JPEG file no more is decoded."""

def reduce(data: Value, operation: Literal['mean', 'min', 'max', 'standard_deviation'], *, to: Literal['i64', 'f32', 'f64'] = ...) -> Value:
    """Reduces all elements to one number of the type `to`."""

def region_size(region: Value) -> tuple[Value, Value]:
    """How large the picture is that crop makes of a region."""

def relative_boxes(boxes: Value, height: int | Value, width: int | Value) -> Value:
    """Boxes in shares of width and height, of boxes in pixels."""

def remainder(x: float | Value, y: float | Value) -> Value:
    """The remainder of x / y, with the sign of x."""

def reshape(tensor: Value, sizes: int | Sequence[int], *, layout: str = ...) -> Value:
    """The same elements in another shape."""

def resize(image: Value, *, height: int | Value = ..., width: int | Value = ..., shorter: int | Value = ..., mode: Literal['as_given', 'stretch', 'not_larger', 'not_smaller'] = ..., max_size: int | Value = ..., roi_start_y: float | Value = ..., roi_start_x: float | Value = ..., roi_end_y: float | Value = ..., roi_end_x: float | Value = ..., roi_relative: bool = ..., interpolation: Literal['nearest', 'box', 'bilinear', 'hamming', 'bicubic', 'lanczos'] = ..., antialias: bool = ...) -> Value:
    """In another size, antialiased."""

def resize_boxes(boxes: Value, height: int | Value, width: int | Value, to_height: int | Value, to_width: int | Value) -> Value:
    """Boxes that move as resize moves their picture."""

def resize_mirror_normalize(image: Value, *, height: int | Value = ..., width: int | Value = ..., mirror: bool | Value = ..., mean: float | Sequence[float] | Value = ..., std: float | Sequence[float] | Value = ..., dtype: Literal['f32', 'f16', 'u8', 'i8'] = ..., layout: Literal['CHW', 'HWC'] = ..., scale: float | Value = ..., shift: float | Value = ..., pad_output: bool = ..., interpolation: Literal['nearest', 'box', 'bilinear', 'hamming', 'bicubic', 'lanczos'] = ..., antialias: bool = ...) -> Value:
    """The picture in another size as a normalised tensor."""

def resize_points(points: Value, height: int | Value, width: int | Value, to_height: int | Value, to_width: int | Value) -> Value:
    """Points that move as resize moves their picture."""

def rotate(image: Value, degrees: float | Value, *, keep_size: bool = ..., fill: float | Sequence[float] | Value = ..., interpolation: Literal['nearest', 'bilinear', 'bicubic'] = ...) -> Value:
    """Turned counter-clockwise about the centre."""

def rotate_boxes(boxes: Value, height: int | Value, width: int | Value, degrees: float | Value, *, keep_size: bool = ...) -> Value:
    """Boxes that move as rotate moves their picture."""

def rotate_points(points: Value, height: int | Value, width: int | Value, degrees: float | Value, *, keep_size: bool = ...) -> Value:
    """Points that move as rotate moves their picture."""

def rows_of(numbers: Value, columns: int) -> Value:
    """A list of numbers as a tensor with rows: boxes, points."""

def salt_and_pepper_noise(image: Value, *, probability: float | Value = ..., salt_share: float | Value = ..., per_channel: bool | Value = ...) -> Value:
    """Random pixels become white or black."""

def saturation(image: Value, factor: float | Value) -> Value:
    """Stronger or paler colours."""

def scaled_region(height: int | Value, width: int | Value, window_height: int | Value, window_width: int | Value, scale: float | Value = ..., y: float | Value = ..., x: float | Value = ...) -> tuple[Value, Value, Value]:
    """What a window shows of a scaled picture: the region, and its size then."""

def segmentation_augment(jpeg: Value, mask: Value, *, width: int = ..., height: int = ..., min_scale: float = ..., max_scale: float = ..., fill: int | tuple[int, int, int] = ..., ignored: int = ..., mirror_probability: float = ..., colour_probability: float = ...) -> tuple[Value, Value]:
    """A random window of a picture and of its mask, scaled."""

def sharpness(image: Value, factor: float | Value) -> Value:
    """Sharpened or smoothed; pixels on the border stay what they are."""

def shear(image: Value, *, x: float | Value = ..., y: float | Value = ..., center_x: float | Value = ..., center_y: float | Value = ..., interpolation: Literal['nearest', 'bilinear', 'bicubic'] = ..., border: Literal['constant', 'edge'] = ..., fill: float | Sequence[float] | Value = ...) -> Value:
    """Rows slide along each other, or columns."""

def shear_boxes(boxes: Value, height: int | Value, width: int | Value, *, x: float | Value = ..., y: float | Value = ..., center_x: float | Value = ..., center_y: float | Value = ...) -> Value:
    """Boxes that move as shear moves their picture."""

def shear_points(points: Value, height: int | Value, width: int | Value, *, x: float | Value = ..., y: float | Value = ..., center_x: float | Value = ..., center_y: float | Value = ...) -> Value:
    """Points that move as shear moves their picture."""

def shot_noise(image: Value, factor: float | Value) -> Value:
    """Each level becomes factor times a Poisson number whose mean is level / factor."""

def sim_clr(jpeg: Value, *, width: int = ..., height: int = ..., min_area: float = ..., colour_strength: float = ..., colour_probability: float = ..., gray_probability: float = ..., blur_probability: float = ...) -> tuple[Value, Value]:
    """SimCLR's two views of one decode of a JPEG file."""

def slice_tensor(tensor: Value, *, axis: int | Sequence[int] = ..., start: int | Value | Sequence[int | Value] = ..., length: int | Value | Sequence[int | Value] = ...) -> Value:
    """A part of a tensor, cut out along one dimension or several."""

def solarize(image: Value, *, threshold: float | Value = ...) -> Value:
    """Levels from a threshold on are inverted."""

def stack(list: Value | Sequence[Value], length: int | Value | None = ..., *, reverse: bool = ..., name: str = ..., axis: int = ...) -> Value:
    """Tensors or pictures of one shape as one tensor, side by side along a dimension that is new."""

def standard_deviation(data: Value) -> Value:
    """How far all elements lie from their mean: the root of the mean square."""

def subtract(x: float | Value, y: float | Value) -> Value:
    """x - y."""

def sum(data: Value, *, to: Literal['i64', 'f32', 'f64'] = ...) -> Value:
    """The sum of all levels, or of all elements."""

def take_rows(tensor: Value, boxes: Value, rows: Value) -> Value:
    """Some rows of a tensor that has one for each box: labels, say."""

def to_image(tensor: Value, *, white: float | Value = ...) -> Value:
    """A tensor's numbers, rounded and cut off at 0 and 255, as the pixels of a picture."""

def translate(image: Value, *, x: float | Value = ..., y: float | Value = ..., relative: bool = ..., interpolation: Literal['nearest', 'bilinear', 'bicubic'] = ..., border: Literal['constant', 'edge'] = ..., fill: float | Sequence[float] | Value = ...) -> Value:
    """Moved to the right and down, in the same size."""

def translate_boxes(boxes: Value, height: int | Value, width: int | Value, *, x: float | Value = ..., y: float | Value = ..., relative: bool = ...) -> Value:
    """Boxes that move as translate moves their picture."""

def translate_points(points: Value, height: int | Value, width: int | Value, *, x: float | Value = ..., y: float | Value = ..., relative: bool = ...) -> Value:
    """Points that move as translate moves their picture."""

def transpose(image: Value) -> Value:
    """Rows become columns: mirrored at the diagonal."""

def transpose_boxes(boxes: Value) -> Value:
    """Boxes that move as transpose moves their picture."""

def transpose_points(points: Value) -> Value:
    """Points that move as transpose moves their picture."""

def trivial_augment_wide(image: Value, *, bins: int = ..., ranges: str = ..., interpolation: str | None = ..., fill: int | tuple[int, int, int] | None = ..., excluded: tuple[str, ...] = ...) -> Value:
    """TrivialAugmentWide: one of 14 operators, of any magnitude, both drawn for each sample."""

def uniform(lo: float | Value, hi: float | Value) -> Value:
    """A number drawn uniformly from [lo, hi); lo when they are equal."""

def warp_affine(image: Value, *, xx: float | Value = ..., xy: float | Value = ..., x0: float | Value = ..., yx: float | Value = ..., yy: float | Value = ..., y0: float | Value = ..., height: int | Value = ..., width: int | Value = ..., inverse_map: bool = ..., interpolation: Literal['nearest', 'bilinear', 'bicubic'] = ..., border: Literal['constant', 'edge'] = ..., fill: float | Sequence[float] | Value = ...) -> Value:
    """Pixels from where a matrix leads: turned, sheared, scaled, moved."""

def warp_affine_boxes(boxes: Value, *, xx: float | Value = ..., xy: float | Value = ..., x0: float | Value = ..., yx: float | Value = ..., yy: float | Value = ..., y0: float | Value = ..., inverse_map: bool = ...) -> Value:
    """Boxes that move as warp_affine moves their picture."""

def warp_affine_points(points: Value, *, xx: float | Value = ..., xy: float | Value = ..., x0: float | Value = ..., yx: float | Value = ..., yy: float | Value = ..., y0: float | Value = ..., inverse_map: bool = ...) -> Value:
    """Points that move as warp_affine moves their picture."""

def warp_perspective(image: Value, *, xx: float | Value = ..., xy: float | Value = ..., x0: float | Value = ..., yx: float | Value = ..., yy: float | Value = ..., y0: float | Value = ..., wx: float | Value = ..., wy: float | Value = ..., w0: float | Value = ..., height: int | Value = ..., width: int | Value = ..., interpolation: Literal['nearest', 'bilinear', 'bicubic'] = ..., border: Literal['constant', 'edge'] = ..., fill: float | Sequence[float] | Value = ...) -> Value:
    """Pixels from where a 3 x 3 matrix leads."""

def weighted_sum(images: Value, weights: Value) -> Value:
    """Each level is the sum of those of several pictures, each times its weight."""
