# Made by python/tools/make_stubs.py of the operators' declarations.
from typing import Any, Literal, Sequence, overload

from ._eager import AnyArray
from ._value import Value

__all__ = ['absolute', 'absolute_boxes', 'add', 'affine', 'affine_boxes', 'affine_points', 'all', 'any', 'aug_mix', 'auto_augment', 'autocontrast', 'beta', 'bitwise_and', 'bitwise_or', 'bitwise_xor', 'blend', 'box_blur', 'brightness_contrast', 'canvas_size', 'cast', 'cat', 'center_crop', 'center_region', 'channel_dropout', 'choice', 'choice_index', 'clahe', 'clamp', 'clip_boxes', 'coarse_dropout', 'coin_flip', 'color_jitter', 'color_space_conversion', 'color_twist', 'contrast', 'convert_boxes', 'crop', 'crop_boxes', 'crop_mirror_normalize', 'crop_padded', 'crop_points', 'd4', 'd4_boxes', 'd4_points', 'decode_and_resize', 'decode_image', 'decode_image_region', 'decode_jpeg', 'decode_jpeg_region', 'decode_tensor', 'defocus', 'detection_augment', 'dilate', 'dino', 'divide', 'downscale', 'elastic', 'elastic_field', 'encode_anchors', 'equal', 'equalize', 'erase', 'erase_region', 'erase_with_noise', 'erode', 'exp', 'expand', 'expanded_region', 'filter_2d', 'filter_boxes', 'flip', 'flip_boxes', 'flip_points', 'floor_divide', 'gamma_correction', 'gaussian_blur', 'gaussian_noise', 'grayscale', 'greater', 'greater_equal', 'grid_distortion', 'grid_field', 'grid_mask', 'hue', 'invert', 'iso_noise', 'jitter', 'join_regions', 'jpeg_distortion', 'labels_of', 'laplacian', 'lens_distortion', 'lens_distortion_boxes', 'lens_distortion_points', 'less', 'less_equal', 'log', 'lookup_table', 'max', 'maximum', 'mean', 'median_blur', 'min', 'minimum', 'modulo', 'motion_blur', 'multiply', 'negate', 'nested_region', 'normal', 'normalize', 'not_', 'not_equal', 'one_hot', 'pad_boxes', 'pad_image', 'pad_points', 'pad_tensor', 'paste', 'paste_masked', 'peek_jpeg', 'permute', 'permute_channels', 'perspective', 'perspective_boxes', 'perspective_points', 'photometric_distort', 'posterize', 'power', 'rand_augment', 'randint', 'random_bbox_crop', 'random_crop', 'random_crop_region', 'random_erasing', 'random_erasing_region', 'random_perspective', 'random_region', 'random_region_of_file', 'random_resized_crop', 'reduce', 'region_size', 'relative_boxes', 'remainder', 'remap', 'remap_boxes', 'remap_points', 'reshape', 'resize', 'resize_boxes', 'resize_mirror_normalize', 'resize_points', 'rgb_shift', 'rot90', 'rot90_boxes', 'rot90_points', 'rotate', 'rotate_boxes', 'rotate_points', 'rows_of', 'salt_and_pepper_noise', 'saturation', 'scaled_region', 'segmentation_augment', 'sharpness', 'shear', 'shear_boxes', 'shear_points', 'shot_noise', 'sim_clr', 'slice_tensor', 'solarize', 'sqrt', 'stack', 'standard_deviation', 'subtract', 'sum', 'take_rows', 'to_image', 'to_tensor', 'translate', 'translate_boxes', 'translate_points', 'transpose_boxes', 'transpose_image', 'transpose_points', 'trivial_augment_wide', 'uniform', 'warp_affine', 'warp_affine_boxes', 'warp_affine_points', 'warp_perspective', 'warp_perspective_boxes', 'warp_perspective_points', 'weighted_sum', 'zoom_blur']

def absolute(x: float | Value) -> Value:
    """Returns the absolute value of x.

    Parameters
    ----------
    x : any number or Value
        The number.

    Returns
    -------
    result : Value of a type that follows from the arguments

    Raises
    ------
    BuildError
        If a Value has another type.
    """

@overload
def absolute_boxes(boxes: AnyArray, height: int | AnyArray | None = None, width: int | AnyArray | None = None, *, size: int | AnyArray | Sequence[int | AnyArray] | None = None, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def absolute_boxes(boxes: Value, height: int | Value | None = None, width: int | Value | None = None, *, size: int | Value | Sequence[int | Value] | None = None) -> Value:
    """Converts boxes from fractions of width and height to pixels.

    Parameters
    ----------
    boxes : Value of tensor
    height : i32 or Value
        Height of the image, in pixels; 1 <= x <= 65535.
    width : i32 or Value
        Width of the image, in pixels; 1 <= x <= 65535.
    size : (height, width), or one number for both, optional
        In place of height and width.

    Returns
    -------
    boxes : Value of tensor

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

def add(x: float | Value, y: float | Value) -> Value:
    """Adds x and y.

    Parameters
    ----------
    x : any number or Value
        The left side.
    y : any number or Value
        The right side.

    Returns
    -------
    result : Value of a type that follows from the arguments

    Raises
    ------
    BuildError
        If a Value has another type.
    """

@overload
def affine(image: AnyArray, *, degrees: float | AnyArray = 0.0, y: float | AnyArray = 0.0, x: float | AnyArray = 0.0, relative: bool = False, scale: float | AnyArray = 1.0, shear_y: float | AnyArray = 0.0, shear_x: float | AnyArray = 0.0, center_y: float | AnyArray = 0.5, center_x: float | AnyArray = 0.5, interpolation: Literal['nearest', 'bilinear', 'bicubic'] = 'bilinear', border: Literal['constant', 'edge'] = 'constant', fill: float | Sequence[float] | AnyArray = [0.0, 0.0, 0.0, 0.0], seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def affine(image: Value, *, degrees: float | Value = 0.0, y: float | Value = 0.0, x: float | Value = 0.0, relative: bool = False, scale: float | Value = 1.0, shear_y: float | Value = 0.0, shear_x: float | Value = 0.0, center_y: float | Value = 0.5, center_x: float | Value = 0.5, interpolation: Literal['nearest', 'bilinear', 'bicubic'] = 'bilinear', border: Literal['constant', 'edge'] = 'constant', fill: float | Sequence[float] | Value = [0.0, 0.0, 0.0, 0.0]) -> Value:
    """Shears, scales, rotates and moves the image in one warp.

    Parameters
    ----------
    image : Value of image
    degrees : f32 or Value, default 0.0
        Counter-clockwise; any finite number.
    y : f32 or Value, default 0.0
        Down, in pixels; -65535 <= x <= 65535.
    x : f32 or Value, default 0.0
        To the right, in pixels; -65535 <= x <= 65535.
    relative : bool, default False
        Y and x are fractions of height and width, not pixels.
    scale : f32 or Value, default 1.0
        Size of the result / size of the source; 0.001 <= x <= 1000.
    shear_y : f32 or Value, default 0.0
        Degrees by which rows slope down to the right; -89 <= x <= 89.
    shear_x : f32 or Value, default 0.0
        Degrees by which columns lean to the right, going down; -89 <= x <= 89.
    center_y : f32 or Value, default 0.5
        Fixed point, as a fraction of the height; -10 <= x <= 10.
    center_x : f32 or Value, default 0.5
        Fixed point, as a fraction of the width; -10 <= x <= 10.
    interpolation : {'nearest', 'bilinear', 'bicubic'}, default 'bilinear'
        How values between pixels are computed.
    border : {'constant', 'edge'}, default 'constant'
        Pixels without a source get the fill or the nearest pixel.
    fill : 1, 3 or 4 numbers or Value of a tensor, default [0.0, 0.0, 0.0, 0.0]
        Color for border = constant, for each channel; 0 <= x <= 255.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def affine_boxes(boxes: AnyArray, height: int | AnyArray | None = None, width: int | AnyArray | None = None, *, degrees: float | AnyArray = 0.0, y: float | AnyArray = 0.0, x: float | AnyArray = 0.0, relative: bool = False, scale: float | AnyArray = 1.0, shear_y: float | AnyArray = 0.0, shear_x: float | AnyArray = 0.0, center_y: float | AnyArray = 0.5, center_x: float | AnyArray = 0.5, size: int | AnyArray | Sequence[int | AnyArray] | None = None, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def affine_boxes(boxes: Value, height: int | Value | None = None, width: int | Value | None = None, *, degrees: float | Value = 0.0, y: float | Value = 0.0, x: float | Value = 0.0, relative: bool = False, scale: float | Value = 1.0, shear_y: float | Value = 0.0, shear_x: float | Value = 0.0, center_y: float | Value = 0.5, center_x: float | Value = 0.5, size: int | Value | Sequence[int | Value] | None = None) -> Value:
    """Moves boxes as affine moves their image.

    Parameters
    ----------
    boxes : Value of tensor
    height : i32 or Value
        Height of the image, in pixels; 1 <= x <= 65535.
    width : i32 or Value
        Width of the image, in pixels; 1 <= x <= 65535.
    degrees : f32 or Value, default 0.0
        Counter-clockwise; any finite number.
    y : f32 or Value, default 0.0
        Down, in pixels; -65535 <= x <= 65535.
    x : f32 or Value, default 0.0
        To the right, in pixels; -65535 <= x <= 65535.
    relative : bool, default False
        Y and x are fractions of the size, not pixels.
    scale : f32 or Value, default 1.0
        Size of the result / size of the source; 0.001 <= x <= 1000.
    shear_y : f32 or Value, default 0.0
        Degrees by which rows slope down to the right; -89 <= x <= 89.
    shear_x : f32 or Value, default 0.0
        Degrees by which columns lean to the right, going down; -89 <= x <= 89.
    center_y : f32 or Value, default 0.5
        Fixed point, as a fraction of the height; -10 <= x <= 10.
    center_x : f32 or Value, default 0.5
        Fixed point, as a fraction of the width; -10 <= x <= 10.
    size : (height, width), or one number for both, optional
        In place of height and width.

    Returns
    -------
    moved : Value of tensor

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def affine_points(points: AnyArray, height: int | AnyArray | None = None, width: int | AnyArray | None = None, *, degrees: float | AnyArray = 0.0, y: float | AnyArray = 0.0, x: float | AnyArray = 0.0, relative: bool = False, scale: float | AnyArray = 1.0, shear_y: float | AnyArray = 0.0, shear_x: float | AnyArray = 0.0, center_y: float | AnyArray = 0.5, center_x: float | AnyArray = 0.5, size: int | AnyArray | Sequence[int | AnyArray] | None = None, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def affine_points(points: Value, height: int | Value | None = None, width: int | Value | None = None, *, degrees: float | Value = 0.0, y: float | Value = 0.0, x: float | Value = 0.0, relative: bool = False, scale: float | Value = 1.0, shear_y: float | Value = 0.0, shear_x: float | Value = 0.0, center_y: float | Value = 0.5, center_x: float | Value = 0.5, size: int | Value | Sequence[int | Value] | None = None) -> Value:
    """Moves points as affine moves their image.

    Parameters
    ----------
    points : Value of tensor
    height : i32 or Value
        Height of the image, in pixels; 1 <= x <= 65535.
    width : i32 or Value
        Width of the image, in pixels; 1 <= x <= 65535.
    degrees : f32 or Value, default 0.0
        Counter-clockwise; any finite number.
    y : f32 or Value, default 0.0
        Down, in pixels; -65535 <= x <= 65535.
    x : f32 or Value, default 0.0
        To the right, in pixels; -65535 <= x <= 65535.
    relative : bool, default False
        Y and x are fractions of the size, not pixels.
    scale : f32 or Value, default 1.0
        Size of the result / size of the source; 0.001 <= x <= 1000.
    shear_y : f32 or Value, default 0.0
        Degrees by which rows slope down to the right; -89 <= x <= 89.
    shear_x : f32 or Value, default 0.0
        Degrees by which columns lean to the right, going down; -89 <= x <= 89.
    center_y : f32 or Value, default 0.5
        Fixed point, as a fraction of the height; -10 <= x <= 10.
    center_x : f32 or Value, default 0.5
        Fixed point, as a fraction of the width; -10 <= x <= 10.
    size : (height, width), or one number for both, optional
        In place of height and width.

    Returns
    -------
    moved : Value of tensor

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def all(data: AnyArray, *, axis: int | Sequence[int] | None = None, keepdims: bool = False, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def all(data: Value, *, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Value:
    """Returns true if no element is zero.

    Parameters
    ----------
    data : Value of image or tensor
    axis : int or list of int, optional
        The axes along which to reduce; -1 is the last one. With `axis`, the result is a tensor;
        its elements are bool.
    keepdims : bool, default False
        The reduced axes stay, with size 1. Needs `axis`.

    Returns
    -------
    is_so : Value of bool

    Raises
    ------
    BuildError
        If a Value has another type.
    """

@overload
def any(data: AnyArray, *, axis: int | Sequence[int] | None = None, keepdims: bool = False, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def any(data: Value, *, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Value:
    """Returns true if an element is not zero.

    Parameters
    ----------
    data : Value of image or tensor
    axis : int or list of int, optional
        The axes along which to reduce; -1 is the last one. With `axis`, the result is a tensor;
        its elements are bool.
    keepdims : bool, default False
        The reduced axes stay, with size 1. Needs `axis`.

    Returns
    -------
    is_so : Value of bool

    Raises
    ------
    BuildError
        If a Value has another type.
    """

@overload
def aug_mix(image: AnyArray, *, severity: int = 3, mixture_width: int = 3, chain_depth: int = 0, alpha: float = 1.0, interpolation: str | None = None, fill: int | tuple[int, int, int] | None = None, excluded: tuple[str, ...] = (), seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def aug_mix(image: Value, *, severity: int = 3, mixture_width: int = 3, chain_depth: int = 0, alpha: float = 1.0, interpolation: str | None = None, fill: int | tuple[int, int, int] | None = None, excluded: tuple[str, ...] = ()) -> Value:
    """Mixes the image with versions made by chains of operators (AugMix).

    Parameters
    ----------
    image : Value of image
    severity : int, default 3
        The strongest magnitude, 1 to 10.
    mixture_width : int, default 3
        The number of chains, at least 1.
    chain_depth : int, default 0
        The number of operators of a chain. 0 draws 1 to 3.
    alpha : float, default 1
        The parameter of the Beta and Dirichlet distributions of the weights. 0.000001 to 1000.
    interpolation, fill, excluded
        As in :func:`rand_augment`. By default 'bilinear' and 0.

    Returns
    -------
    image : Value of image
    """

@overload
def auto_augment(image: AnyArray, *, policy: str = 'imagenet', ranges: str = 'torchvision', interpolation: str | None = None, fill: int | tuple[int, int, int] | None = None, excluded: tuple[str, ...] = (), seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def auto_augment(image: Value, *, policy: str = 'imagenet', ranges: str = 'torchvision', interpolation: str | None = None, fill: int | tuple[int, int, int] | None = None, excluded: tuple[str, ...] = ()) -> Value:
    """Applies one of 25 pairs of operators found for 'imagenet', 'cifar10' or 'svhn' (AutoAugment).

    Parameters
    ----------
    image : Value of image
    policy : {'imagenet', 'cifar10', 'svhn'}, default 'imagenet'
        The dataset that the pairs were found for.
    ranges, interpolation, fill, excluded
        As in :func:`rand_augment`.

    Returns
    -------
    image : Value of image
    """

@overload
def autocontrast(image: AnyArray, *, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def autocontrast(image: Value) -> Value:
    """Stretches each channel to the range 0 to 255.

    Parameters
    ----------
    image : Value of image

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a Value has another type.
    """

@overload
def beta(alpha: float | Value, other_alpha: float | Value) -> Value:
    """Draws a number between 0 and 1 from a Beta distribution.

    Draws random numbers, which depend only on the seed, the epoch and the sample.

    Parameters
    ----------
    alpha : f32 or Value
        Larger values draw nearer to 1; 1e-06 <= x <= 1000.
    other_alpha : f32 or Value
        Larger values draw nearer to 0; 1e-06 <= x <= 1000.

    Returns
    -------
    number : Value of f32

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """
@overload
def beta(alpha: float | AnyArray, other_alpha: float | AnyArray, *, seed: int | None = None, generator: Any = None) -> Any: ...

def bitwise_and(x: float | Value, y: float | Value) -> Value:
    """Returns the bitwise AND of x and y.

    Parameters
    ----------
    x : any number or Value
        The left side.
    y : any number or Value
        The right side.

    Returns
    -------
    result : Value of a type that follows from the arguments

    Raises
    ------
    BuildError
        If a Value has another type.
    """

def bitwise_or(x: float | Value, y: float | Value) -> Value:
    """Returns the bitwise OR of x and y.

    Parameters
    ----------
    x : any number or Value
        The left side.
    y : any number or Value
        The right side.

    Returns
    -------
    result : Value of a type that follows from the arguments

    Raises
    ------
    BuildError
        If a Value has another type.
    """

def bitwise_xor(x: float | Value, y: float | Value) -> Value:
    """Returns the bitwise XOR of x and y.

    Parameters
    ----------
    x : any number or Value
        The left side.
    y : any number or Value
        The right side.

    Returns
    -------
    result : Value of a type that follows from the arguments

    Raises
    ------
    BuildError
        If a Value has another type.
    """

@overload
def blend(a: AnyArray, b: AnyArray, *, weight: float | AnyArray = 0.5, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def blend(a: Value, b: Value, *, weight: float | Value = 0.5) -> Value:
    """Blends two images.

    Parameters
    ----------
    a : Value of image
    b : Value of image
    weight : f32 or Value, default 0.5
        Weight of b; that of a is 1 - weight; 0 <= x <= 1.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def box_blur(image: AnyArray, *, window_size: int | AnyArray = 3, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def box_blur(image: Value, *, window_size: int | Value = 3) -> Value:
    """Replaces each pixel value with the mean of a square window; reflects borders.

    Parameters
    ----------
    image : Value of image
    window_size : i32 or Value, default 3
        Side of the window, in pixels; odd; 1 <= x <= 255.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def brightness_contrast(image: AnyArray, *, brightness: float | AnyArray = 1.0, contrast: float | AnyArray = 1.0, contrast_center: float | AnyArray = 128.0, brightness_shift: float | AnyArray = 0.0, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def brightness_contrast(image: Value, *, brightness: float | Value = 1.0, contrast: float | Value = 1.0, contrast_center: float | Value = 128.0, brightness_shift: float | Value = 0.0) -> Value:
    """Adjusts brightness and contrast.

    Parameters
    ----------
    image : Value of image
    brightness : f32 or Value, default 1.0
        1 changes nothing; 0 <= x.
    contrast : f32 or Value, default 1.0
        1 changes nothing; 0 <= x.
    contrast_center : f32 or Value, default 128.0
        The pixel value that contrast leaves unchanged; any finite number.
    brightness_shift : f32 or Value, default 0.0
        Added last; 1 turns black into white; any finite number.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def canvas_size(image: AnyArray, *, seed: int | None = None, generator: Any = None) -> tuple[Any, Any]: ...
@overload
def canvas_size(image: Value) -> tuple[Value, Value]:
    """Returns the height and width of an image.

    Parameters
    ----------
    image : Value of image

    Returns
    -------
    height : Value of i32
    width : Value of i32

    Raises
    ------
    BuildError
        If a Value has another type.
    """

def cast(x: float | Value, to: Literal['bool', 'i8', 'u8', 'i16', 'u16', 'i32', 'u32', 'i64', 'u64', 'f16', 'f32', 'f64']) -> Value:
    """Converts a number to another type; truncates fractions and fails if the value does not fit.

    Parameters
    ----------
    x : any number or Value
        The number.
    to : {'bool', 'i8', 'u8', 'i16', 'u16', 'i32', 'u32', 'i64', 'u64', 'f16', 'f32', 'f64'}
        Type of the result.

    Returns
    -------
    result : Value of a type that follows from the arguments

    Raises
    ------
    BuildError
        If a Value has another type.
    """

@overload
def cat(*tensors: AnyArray | Sequence[AnyArray], axis: int = 0, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def cat(*tensors: Value | Sequence[Value], axis: int = 0) -> Value:
    """Concatenates tensors along an axis.

    Parameters
    ----------
    tensors : Values of tensor, or a list of them
        Their sizes agree in all other dimensions.
    axis : int, default 0
        From 0, or from -1, the last one, backward.

    Returns
    -------
    tensor : Value of tensor
    """

@overload
def center_crop(image: AnyArray, height: int | AnyArray | None = None, width: int | AnyArray | None = None, *, size: int | AnyArray | Sequence[int | AnyArray] | None = None, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def center_crop(image: Value, height: int | Value | None = None, width: int | Value | None = None, *, size: int | Value | Sequence[int | Value] | None = None) -> Value:
    """Crops the center of the image.

    Parameters
    ----------
    image : Value of image
    height : i32 or Value
        Height of the crop, in pixels; 1 <= x.
    width : i32 or Value
        Width of the crop, in pixels; 1 <= x.
    size : (height, width), or one number for both, optional
        In place of height and width.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

def center_region(height: int | Value, width: int | Value, crop_height: int | Value, crop_width: int | Value) -> Value:
    """Returns the rectangle that center_crop cuts from an image of this size.

    Parameters
    ----------
    height : i32 or Value
        Height of the image, in pixels; 1 <= x <= 65535.
    width : i32 or Value
        Width of the image, in pixels; 1 <= x <= 65535.
    crop_height : i32 or Value
        Height of the crop, in pixels; 1 <= x.
    crop_width : i32 or Value
        Width of the crop, in pixels; 1 <= x.

    Returns
    -------
    region : Value of rectangle

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def channel_dropout(image: AnyArray, channel: int | AnyArray, *, fill: int | AnyArray = 0, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def channel_dropout(image: Value, channel: int | Value, *, fill: int | Value = 0) -> Value:
    """Sets one channel to a constant value.

    Parameters
    ----------
    image : Value of image
    channel : i32 or Value
        The first channel is 0; 0 <= x <= 3.
    fill : i32 or Value, default 0
        The new value of the channel; 0 <= x <= 255.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def choice(numbers: Sequence[float], weights: Sequence[float] | None = None) -> Value:
    """Draws one of several numbers for each sample.

    Parameters
    ----------
    numbers : list of 1 to 64 numbers
    weights : list of as many numbers, optional
        The probability of each number, up to a common factor. By default all are equal.

    Returns
    -------
    number : Value of f32
    """
@overload
def choice(numbers: Sequence[float], weights: Sequence[float] | None = None, *, seed: int | None = None, generator: Any = None) -> Any: ...

@overload
def choice_index(weights: Sequence[float]) -> Value:
    """Draws an index, from 0 on, for each sample with probabilities given by weights.

    Parameters
    ----------
    weights : list of 1 to 64 numbers
        The probability of each index, up to a common factor.

    Returns
    -------
    index : Value of i32
        From 0 to the number of weights minus 1.
    """
@overload
def choice_index(weights: Sequence[float], *, seed: int | None = None, generator: Any = None) -> Any: ...

@overload
def clahe(image: AnyArray, *, clip_limit: float | AnyArray = 2.0, tiles_y: int | AnyArray = 8, tiles_x: int | AnyArray = 8, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def clahe(image: Value, *, clip_limit: float | Value = 2.0, tiles_y: int | Value = 8, tiles_x: int | Value = 8) -> Value:
    """Equalizes local contrast in tiles (CLAHE).

    Parameters
    ----------
    image : Value of image
    clip_limit : f32 or Value, default 2.0
        Limit of the contrast gain; 0: no limit; 0 <= x <= 1000000.
    tiles_y : i32 or Value, default 8
        Number of tiles vertically; 1 <= x <= 256.
    tiles_x : i32 or Value, default 8
        Number of tiles horizontally; 1 <= x <= 256.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def clamp(x: AnyArray, low: AnyArray | float, high: AnyArray | float, *, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def clamp(x: Value, low: Value | float, high: Value | float) -> Value:
    """Limits a number, or each element of a tensor or image, to `low` to `high`.

    Parameters
    ----------
    x : Value of a number, tensor or image
    low, high : numbers, or Values of them

    Returns
    -------
    result : Value
    """

@overload
def clip_boxes(boxes: AnyArray, height: int | AnyArray | None = None, width: int | AnyArray | None = None, *, size: int | AnyArray | Sequence[int | AnyArray] | None = None, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def clip_boxes(boxes: Value, height: int | Value | None = None, width: int | Value | None = None, *, size: int | Value | Sequence[int | Value] | None = None) -> Value:
    """Clips boxes to the image.

    Parameters
    ----------
    boxes : Value of tensor
    height : i32 or Value
        Height of the image, in pixels; 1 <= x <= 65535.
    width : i32 or Value
        Width of the image, in pixels; 1 <= x <= 65535.
    size : (height, width), or one number for both, optional
        In place of height and width.

    Returns
    -------
    boxes : Value of tensor

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def coarse_dropout(image: AnyArray, *, holes: int | AnyArray = 8, height: float | AnyArray = 8.0, width: float | AnyArray = 8.0, normalized: bool = False, fill: float | Sequence[float] | AnyArray = [0.0, 0.0, 0.0, 0.0], noise: float | AnyArray = 0.0, size: int | AnyArray | Sequence[int | AnyArray] | None = None, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def coarse_dropout(image: Value, *, holes: int | Value = 8, height: float | Value = 8.0, width: float | Value = 8.0, normalized: bool = False, fill: float | Sequence[float] | Value = [0.0, 0.0, 0.0, 0.0], noise: float | Value = 0.0, size: int | Value | Sequence[int | Value] | None = None) -> Value:
    """Fills several rectangles at random positions with a color or with noise.

    Draws random numbers, which depend only on the seed, the epoch and the sample.

    Parameters
    ----------
    image : Value of image
    holes : i32 or Value, default 8
        Number of rectangles; they may overlap; 0 <= x <= 1000.
    height : f32 or Value, default 8.0
        Height of each rectangle; at most the image's; 0 <= x.
    width : f32 or Value, default 8.0
        Width of each rectangle; at most the image's; 0 <= x.
    normalized : bool, default False
        Height and width are fractions of the image's, not pixels.
    fill : 1, 3 or 4 numbers or Value of a tensor, default [0.0, 0.0, 0.0, 0.0]
        Color, for each channel; 0 <= x <= 255.
    noise : f32 or Value, default 0.0
        Standard deviation of the normal noise around the color, in pixel values; 0 <= x.
    size : (height, width), or one number for both, optional
        In place of height and width.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def coin_flip(probability: float | Value = 0.5) -> Value:
    """Draws true with the given probability.

    Draws random numbers, which depend only on the seed, the epoch and the sample.

    Parameters
    ----------
    probability : f32 or Value, default 0.5
        Probability of true; 0 <= x <= 1.

    Returns
    -------
    heads : Value of bool

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """
@overload
def coin_flip(probability: float | AnyArray = 0.5, *, seed: int | None = None, generator: Any = None) -> Any: ...

@overload
def color_jitter(image: AnyArray, *, brightness: float | Sequence[float] | None = None, contrast: float | Sequence[float] | None = None, saturation: float | Sequence[float] | None = None, hue: float | Sequence[float] | None = None, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def color_jitter(image: Value, *, brightness: float | Sequence[float] | None = None, contrast: float | Sequence[float] | None = None, saturation: float | Sequence[float] | None = None, hue: float | Sequence[float] | None = None) -> Value:
    """Changes brightness, contrast, saturation and hue by random amounts in random order, as in torchvision.

    Parameters
    ----------
    image : Value of image
    brightness, contrast, saturation : float, or list of 2 floats, optional
        The range of the factor. A number x stands for max(0, 1 - x) to 1 + x. By default nothing changes.
    hue : float, or list of 2 floats, optional
        The range of the rotation of hues, in degrees. A number x stands for -x to x. torchvision's ``hue=0.1`` is 36 here.

    Returns
    -------
    image : Value of image
    """

@overload
def color_space_conversion(image: AnyArray, *, from_: Literal['rgb', 'bgr', 'ycbcr'] = 'rgb', to: Literal['rgb', 'bgr', 'ycbcr'] = 'ycbcr', seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def color_space_conversion(image: Value, *, from_: Literal['rgb', 'bgr', 'ycbcr'] = 'rgb', to: Literal['rgb', 'bgr', 'ycbcr'] = 'ycbcr') -> Value:
    """Converts pixels between RGB, BGR and JPEG's YCbCr.

    Parameters
    ----------
    image : Value of image
    from_ : {'rgb', 'bgr', 'ycbcr'}, default 'rgb'
        Format of the input.
    to : {'rgb', 'bgr', 'ycbcr'}, default 'ycbcr'
        Format of the output.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a Value has another type.
    """

@overload
def color_twist(image: AnyArray, *, brightness: float | AnyArray = 1.0, contrast: float | AnyArray = 1.0, saturation: float | AnyArray = 1.0, hue: float | AnyArray = 0.0, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def color_twist(image: Value, *, brightness: float | Value = 1.0, contrast: float | Value = 1.0, saturation: float | Value = 1.0, hue: float | Value = 0.0) -> Value:
    """Adjusts brightness, contrast, saturation and hue with one matrix, as in DALI.

    Parameters
    ----------
    image : Value of image
    brightness : f32 or Value, default 1.0
        1 changes nothing; 0 <= x.
    contrast : f32 or Value, default 1.0
        About the pixel value 128; 1 changes nothing; 0 <= x.
    saturation : f32 or Value, default 1.0
        1 changes nothing; 0 <= x.
    hue : f32 or Value, default 0.0
        In degrees; 0 changes nothing; any finite number.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def contrast(image: AnyArray, factor: float | AnyArray, *, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def contrast(image: Value, factor: float | Value) -> Value:
    """Adjusts contrast about the image's mean luma.

    Parameters
    ----------
    image : Value of image
    factor : f32 or Value
        0 makes the image uniformly gray, 1 changes nothing; 0 <= x.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def convert_boxes(boxes: AnyArray, *, from_: Literal['xyxy', 'xywh', 'cxcywh'] = 'xyxy', to: Literal['xyxy', 'xywh', 'cxcywh'] = 'xyxy', seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def convert_boxes(boxes: Value, *, from_: Literal['xyxy', 'xywh', 'cxcywh'] = 'xyxy', to: Literal['xyxy', 'xywh', 'cxcywh'] = 'xyxy') -> Value:
    """Converts boxes between the formats xyxy, xywh and cxcywh.

    Parameters
    ----------
    boxes : Value of tensor
    from_ : {'xyxy', 'xywh', 'cxcywh'}, default 'xyxy'
        Format of the input.
    to : {'xyxy', 'xywh', 'cxcywh'}, default 'xyxy'
        Format of the output.

    Returns
    -------
    boxes : Value of tensor

    Raises
    ------
    BuildError
        If a Value has another type.
    """

@overload
def crop(image: AnyArray, region: tuple[int, int, int, int] | AnyArray, *, out_of_bounds: Literal['error', 'trim'] = 'error', seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def crop(image: Value, region: tuple[int, int, int, int] | Value, *, out_of_bounds: Literal['error', 'trim'] = 'error') -> Value:
    """Crops a rectangle from the image.

    Parameters
    ----------
    image : Value of image or tensor
        A tensor has the shape (height, width, channels), with any number of channels;
        the result is a tensor of the same type.
    region : rectangle or Value
        Inside the image.
    out_of_bounds : {'error', 'trim'}, default 'error'
        Region outside the image: error fails the sample, trim clips the region.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a Value has another type.
    """

@overload
def crop_boxes(boxes: AnyArray, region: tuple[int, int, int, int] | AnyArray, *, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def crop_boxes(boxes: Value, region: tuple[int, int, int, int] | Value) -> Value:
    """Moves boxes as crop moves their image.

    Parameters
    ----------
    boxes : Value of tensor
    region : rectangle or Value
        The part of the image that is kept.

    Returns
    -------
    moved : Value of tensor

    Raises
    ------
    BuildError
        If a Value has another type.
    """

@overload
def crop_mirror_normalize(image: AnyArray, *, height: int | AnyArray = 0, width: int | AnyArray = 0, mirror: bool | AnyArray = False, mean: float | Sequence[float] | AnyArray = [0.0, 0.0, 0.0, 0.0], std: float | Sequence[float] | AnyArray = [1.0, 1.0, 1.0, 1.0], dtype: Literal['f32', 'f16', 'bf16', 'u8', 'i8'] = 'f32', layout: Literal['CHW', 'HWC'] = 'CHW', scale: float | AnyArray = 1.0, shift: float | AnyArray = 0.0, pad_output: bool = False, size: int | AnyArray | Sequence[int | AnyArray] | None = None, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def crop_mirror_normalize(image: Value, *, height: int | Value = 0, width: int | Value = 0, mirror: bool | Value = False, mean: float | Sequence[float] | Value = [0.0, 0.0, 0.0, 0.0], std: float | Sequence[float] | Value = [1.0, 1.0, 1.0, 1.0], dtype: Literal['f32', 'f16', 'bf16', 'u8', 'i8'] = 'f32', layout: Literal['CHW', 'HWC'] = 'CHW', scale: float | Value = 1.0, shift: float | Value = 0.0, pad_output: bool = False, size: int | Value | Sequence[int | Value] | None = None) -> Value:
    """Crops the center, optionally mirrors it, and normalizes it to a tensor.

    Parameters
    ----------
    image : Value of image
    height : i32 or Value, default 0
        Height of the crop, in pixels; 0 keeps all; 0 <= x.
    width : i32 or Value, default 0
        Width of the crop, in pixels; 0 keeps all; 0 <= x.
    mirror : bool or Value, default False
        Swaps left and right.
    mean : 1, 3 or 4 numbers or Value of a tensor, default [0.0, 0.0, 0.0, 0.0]
        Mean of each channel, in units of 0 .. 1; -1 <= x <= 1.
    std : 1, 3 or 4 numbers or Value of a tensor, default [1.0, 1.0, 1.0, 1.0]
        Standard deviation of each channel; 0 <= x <= 1.
    dtype : {'f32', 'f16', 'bf16', 'u8', 'i8'}, default 'f32'
        Type of the tensor; integers are rounded and clipped.
    layout : {'CHW', 'HWC'}, default 'CHW'
        Layout of the tensor.
    scale : f32 or Value, default 1.0
        Multiplies the normalized values; any finite number.
    shift : f32 or Value, default 0.0
        Added last; any finite number.
    pad_output : bool, default False
        Adds a fourth channel of zeros to three.
    size : (height, width), or one number for both, optional
        In place of height and width.

    Returns
    -------
    tensor : Value of tensor

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def crop_padded(image: AnyArray, region: tuple[int, int, int, int] | AnyArray, *, fill: float | Sequence[float] | AnyArray = [0.0, 0.0, 0.0, 0.0], seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def crop_padded(image: Value, region: tuple[int, int, int, int] | Value, *, fill: float | Sequence[float] | Value = [0.0, 0.0, 0.0, 0.0]) -> Value:
    """Crops a rectangle and fills the part outside the image.

    Parameters
    ----------
    image : Value of image or tensor
        A tensor has the shape (height, width, channels), with any number of channels;
        the result is a tensor of the same type, and `fill` is one number.
    region : rectangle or Value
        May lie outside the image.
    fill : 1, 3 or 4 numbers or Value of a tensor, default [0.0, 0.0, 0.0, 0.0]
        Color outside the image, for each channel; 0 <= x <= 255.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def crop_points(points: AnyArray, region: tuple[int, int, int, int] | AnyArray, *, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def crop_points(points: Value, region: tuple[int, int, int, int] | Value) -> Value:
    """Moves points as crop moves their image.

    Parameters
    ----------
    points : Value of tensor
    region : rectangle or Value
        The part of the image that is kept.

    Returns
    -------
    moved : Value of tensor

    Raises
    ------
    BuildError
        If a Value has another type.
    """

@overload
def d4(image: AnyArray, element: int | AnyArray, *, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def d4(image: Value, element: int | Value) -> Value:
    """Applies one of the eight symmetries of a square: turns and flips.

    Parameters
    ----------
    image : Value of image
    element : i32 or Value
        0 to 3: quarter turns counter-clockwise; 4 to 7: a horizontal flip first, then 0 to 3 turns; 0 <= x <= 7.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def d4_boxes(boxes: AnyArray, height: int | AnyArray, width: int | AnyArray, element: int | AnyArray, *, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def d4_boxes(boxes: Value, height: int | Value, width: int | Value, element: int | Value) -> Value:
    """Moves boxes as d4 moves their image.

    Parameters
    ----------
    boxes : Value of tensor
    height : i32 or Value
        Height of the image, in pixels; 1 <= x <= 65535.
    width : i32 or Value
        Width of the image, in pixels; 1 <= x <= 65535.
    element : i32 or Value
        0 to 3: quarter turns counter-clockwise; 4 to 7: a horizontal flip first, then 0 to 3 turns; 0 <= x <= 7.

    Returns
    -------
    moved : Value of tensor

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def d4_points(points: AnyArray, height: int | AnyArray, width: int | AnyArray, element: int | AnyArray, *, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def d4_points(points: Value, height: int | Value, width: int | Value, element: int | Value) -> Value:
    """Moves points as d4 moves their image.

    Parameters
    ----------
    points : Value of tensor
    height : i32 or Value
        Height of the image, in pixels; 1 <= x <= 65535.
    width : i32 or Value
        Width of the image, in pixels; 1 <= x <= 65535.
    element : i32 or Value
        0 to 3: quarter turns counter-clockwise; 4 to 7: a horizontal flip first, then 0 to 3 turns; 0 <= x <= 7.

    Returns
    -------
    moved : Value of tensor

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def decode_and_resize(jpeg: AnyArray, region: tuple[int, int, int, int] | AnyArray, *, color: Literal['rgb', 'gray'] = 'rgb', apply_orientation: bool = True, damage: Literal['strict', 'tolerant'] = 'strict', verify: bool = False, entropy: Literal['fast', 'library'] = 'fast', max_scans: int = 100, max_output_bytes: int = 536870912, height: int | AnyArray = 224, width: int | AnyArray = 224, interpolation: Literal['nearest', 'box', 'bilinear', 'hamming', 'bicubic', 'lanczos'] = 'bilinear', antialias: bool = True, size: int | AnyArray | Sequence[int | AnyArray] | None = None, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def decode_and_resize(jpeg: Value, region: tuple[int, int, int, int] | Value, *, color: Literal['rgb', 'gray'] = 'rgb', apply_orientation: bool = True, damage: Literal['strict', 'tolerant'] = 'strict', verify: bool = False, entropy: Literal['fast', 'library'] = 'fast', max_scans: int = 100, max_output_bytes: int = 536870912, height: int | Value = 224, width: int | Value = 224, interpolation: Literal['nearest', 'box', 'bilinear', 'hamming', 'bicubic', 'lanczos'] = 'bilinear', antialias: bool = True, size: int | Value | Sequence[int | Value] | None = None) -> Value:
    """Decodes a region of a JPEG file and resizes it; the decoder may downscale it.

    Parameters
    ----------
    jpeg : Value of bytes or byte_span
    color : {'rgb', 'gray'}, default 'rgb'
        Rgb: 3 channels; gray: only the luma.
    apply_orientation : bool, default True
        Applies the EXIF orientation.
    damage : {'strict', 'tolerant'}, default 'strict'
        Strict: a damaged file fails; tolerant: it decodes with a warning.
    verify : bool, default False
        Always reads to the end of the file.
    entropy : {'fast', 'library'}, default 'fast'
        Huffman decoder: Sluice's (fast) or libjpeg's (library).
    max_scans : i32, default 100
        Most scans of a progressive file; any whole number.
    max_output_bytes : i64, default 536870912
        Most bytes of the whole decoded image; any whole number.
    region : rectangle or Value
        In the image after EXIF orientation.
    height : i32 or Value, default 224
        Height of the result, in pixels; 1 <= x <= 65535.
    width : i32 or Value, default 224
        Width of the result, in pixels; 1 <= x <= 65535.
    interpolation : {'nearest', 'box', 'bilinear', 'hamming', 'bicubic', 'lanczos'}, default 'bilinear'
        How values between pixels are computed.
    antialias : bool, default True
        Averages all source pixels when downscaling, not only the nearest ones.
    size : (height, width), or one number for both, optional
        In place of height and width.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def decode_image(file: AnyArray, *, color: Literal['rgb', 'gray'] = 'rgb', apply_orientation: bool = True, max_output_bytes: int = 536870912, ids: bool = False, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def decode_image(file: Value, *, color: Literal['rgb', 'gray'] = 'rgb', apply_orientation: bool = True, max_output_bytes: int = 536870912, ids: bool = False) -> Value:
    """Decodes a JPEG, PNG, TIFF, WebP or GIF file to 8-bit pixels.

    Parameters
    ----------
    file : Value of bytes or byte_span
    color : {'rgb', 'gray'}, default 'rgb'
        Rgb: 3 channels; gray: only the luma.
    apply_orientation : bool, default True
        Applies the EXIF orientation of a JPEG file.
    max_output_bytes : i64, default 536870912
        Most bytes of the whole decoded image; any whole number.
    ids : bool, default False
        Decodes a mask: one channel of ids, which are palette indices or gray values.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def decode_image_region(file: AnyArray, region: tuple[int, int, int, int] | AnyArray, *, color: Literal['rgb', 'gray'] = 'rgb', apply_orientation: bool = True, max_output_bytes: int = 536870912, ids: bool = False, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def decode_image_region(file: Value, region: tuple[int, int, int, int] | Value, *, color: Literal['rgb', 'gray'] = 'rgb', apply_orientation: bool = True, max_output_bytes: int = 536870912, ids: bool = False) -> Value:
    """Decodes a region of an image file; computes only that region of a JPEG file.

    Parameters
    ----------
    file : Value of bytes or byte_span
    color : {'rgb', 'gray'}, default 'rgb'
        Rgb: 3 channels; gray: only the luma.
    apply_orientation : bool, default True
        Applies the EXIF orientation of a JPEG file.
    max_output_bytes : i64, default 536870912
        Most bytes of the whole decoded image; any whole number.
    ids : bool, default False
        Decodes a mask: one channel of ids, which are palette indices or gray values.
    region : rectangle or Value
        In the image after EXIF orientation.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def decode_jpeg(jpeg: AnyArray, *, color: Literal['rgb', 'gray'] = 'rgb', apply_orientation: bool = True, damage: Literal['strict', 'tolerant'] = 'strict', verify: bool = False, entropy: Literal['fast', 'library'] = 'fast', max_scans: int = 100, max_output_bytes: int = 536870912, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def decode_jpeg(jpeg: Value, *, color: Literal['rgb', 'gray'] = 'rgb', apply_orientation: bool = True, damage: Literal['strict', 'tolerant'] = 'strict', verify: bool = False, entropy: Literal['fast', 'library'] = 'fast', max_scans: int = 100, max_output_bytes: int = 536870912) -> Value:
    """Decodes a JPEG file.

    Parameters
    ----------
    jpeg : Value of bytes or byte_span
    color : {'rgb', 'gray'}, default 'rgb'
        Rgb: 3 channels; gray: only the luma.
    apply_orientation : bool, default True
        Applies the EXIF orientation.
    damage : {'strict', 'tolerant'}, default 'strict'
        Strict: a damaged file fails; tolerant: it decodes with a warning.
    verify : bool, default False
        Always reads to the end of the file.
    entropy : {'fast', 'library'}, default 'fast'
        Huffman decoder: Sluice's (fast) or libjpeg's (library).
    max_scans : i32, default 100
        Most scans of a progressive file; any whole number.
    max_output_bytes : i64, default 536870912
        Most bytes of the whole decoded image; any whole number.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def decode_jpeg_region(jpeg: AnyArray, region: tuple[int, int, int, int] | AnyArray, *, color: Literal['rgb', 'gray'] = 'rgb', apply_orientation: bool = True, damage: Literal['strict', 'tolerant'] = 'strict', verify: bool = False, entropy: Literal['fast', 'library'] = 'fast', max_scans: int = 100, max_output_bytes: int = 536870912, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def decode_jpeg_region(jpeg: Value, region: tuple[int, int, int, int] | Value, *, color: Literal['rgb', 'gray'] = 'rgb', apply_orientation: bool = True, damage: Literal['strict', 'tolerant'] = 'strict', verify: bool = False, entropy: Literal['fast', 'library'] = 'fast', max_scans: int = 100, max_output_bytes: int = 536870912) -> Value:
    """Decodes a region of a JPEG file and computes only that region.

    Parameters
    ----------
    jpeg : Value of bytes or byte_span
    color : {'rgb', 'gray'}, default 'rgb'
        Rgb: 3 channels; gray: only the luma.
    apply_orientation : bool, default True
        Applies the EXIF orientation.
    damage : {'strict', 'tolerant'}, default 'strict'
        Strict: a damaged file fails; tolerant: it decodes with a warning.
    verify : bool, default False
        Always reads to the end of the file.
    entropy : {'fast', 'library'}, default 'fast'
        Huffman decoder: Sluice's (fast) or libjpeg's (library).
    max_scans : i32, default 100
        Most scans of a progressive file; any whole number.
    max_output_bytes : i64, default 536870912
        Most bytes of the whole decoded image; any whole number.
    region : rectangle or Value
        In the image after EXIF orientation.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def decode_tensor(file: AnyArray, *, max_output_bytes: int = 536870912, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def decode_tensor(file: Value, *, max_output_bytes: int = 536870912) -> Value:
    """Decodes the numbers of a PNG or TIFF file, with all bits and channels, to a tensor of height x width x channels.

    Parameters
    ----------
    file : Value of bytes or byte_span
    max_output_bytes : i64, default 536870912
        Most bytes of the tensor; any whole number.

    Returns
    -------
    tensor : Value of tensor

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def defocus(image: AnyArray, *, radius: int | AnyArray = 3, alias_blur: float | AnyArray = 0.1, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def defocus(image: Value, *, radius: int | Value = 3, alias_blur: float | Value = 0.1) -> Value:
    """Blurs the image like a lens that is out of focus; reflects borders.

    Parameters
    ----------
    image : Value of image
    radius : i32 or Value, default 3
        Radius of the disk that a point becomes, in pixels; 1 <= x <= 50.
    alias_blur : f32 or Value, default 0.1
        Sigma of the Gaussian that smooths the edge of the disk, in pixels; 0 <= x <= 10.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def detection_augment(jpeg: AnyArray, boxes: AnyArray, labels: AnyArray, *, height: int = 300, width: int = 300, zoom_probability: float = 0.5, max_zoom: float = 4.0, fill: int | tuple[int, int, int] = (124, 116, 104), mirror_probability: float = 0.5, color_probability: float = 0.5, size: int | AnyArray | Sequence[int | AnyArray] | None = None, seed: int | None = None, generator: Any = None) -> tuple[Any, Any, Any]: ...
@overload
def detection_augment(jpeg: Value, boxes: Value, labels: Value, *, height: int = 300, width: int = 300, zoom_probability: float = 0.5, max_zoom: float = 4.0, fill: int | tuple[int, int, int] = (124, 116, 104), mirror_probability: float = 0.5, color_probability: float = 0.5, size: int | Value | Sequence[int | Value] | None = None) -> tuple[Value, Value, Value]:
    """Crops a random region of an image with its boxes and labels, as SSD's training does.

    The image may first be placed on a larger canvas. The region is resized and may be flipped, and its colors change. Boxes
    are clipped to the region. A box is dropped if its center is outside, or if less than a pixel of it remains.

    Parameters
    ----------
    jpeg : Value of bytes
    boxes : Value of tensor
        Shape (n, 4), f32: left, top, right and bottom edges in pixels.
    labels : Value of tensor
        One row for each box.
    height, width : int, default 300
        The size of the result, in pixels.
    zoom_probability : float, default 0.5
        The probability of a canvas.
    max_zoom : float, default 4
        The largest width and height of the canvas, relative to the image. At least 1.
    fill : int, or list of 3 or 4 ints, default (124, 116, 104)
        The color of the canvas.
    mirror_probability : float, default 0.5
    color_probability : float, default 0.5
        The probability of each of the four changes of :func:`photometric_distort`.
    size : (height, width), or one number for both, optional
        In place of height and width.

    Returns
    -------
    image : Value of image
    boxes, labels : Value of tensor
        The boxes that remain, and their labels.
    """

@overload
def dilate(image: AnyArray, *, window_height: int | AnyArray = 3, window_width: int | AnyArray = 3, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def dilate(image: Value, *, window_height: int | Value = 3, window_width: int | Value = 3) -> Value:
    """Takes the largest pixel value in a window, so that bright areas grow.

    Parameters
    ----------
    image : Value of image
    window_height : i32 or Value, default 3
        Side of the window, in pixels; 1 <= x <= 255.
    window_width : i32 or Value, default 3
        Side of the window, in pixels; 1 <= x <= 255.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def dino(jpeg: AnyArray, *, global_size: int = 224, local_size: int = 96, locals: int = 8, min_global_area: float = 0.4, min_local_area: float = 0.05, max_local_area: float = 0.4, seed: int | None = None, generator: Any = None) -> tuple[list[Any], list[Any]]: ...
@overload
def dino(jpeg: Value, *, global_size: int = 224, local_size: int = 96, locals: int = 8, min_global_area: float = 0.4, min_local_area: float = 0.05, max_local_area: float = 0.4) -> tuple[list[Value], list[Value]]:
    """Makes DINO's 2 global views and its local views from one decode of a JPEG file.

    Parameters
    ----------
    jpeg : Value of bytes
    global_size, local_size : int, default 224 and 96
        The width and height of a view, in pixels.
    locals : int, default 8
        The number of local views, 0 to 64.
    min_global_area : float, default 0.4
        The least area of a global view, as a share of the image's area.
    min_local_area, max_local_area : float, default 0.05 and 0.4
        The range of the area of a local view.

    Returns
    -------
    global_views : list of 2 Values of image
    local_views : list of Values of image
    """

def divide(x: float | Value, y: float | Value) -> Value:
    """Divides x by y; integers round toward zero.

    Parameters
    ----------
    x : any number or Value
        The left side.
    y : any number or Value
        The right side.

    Returns
    -------
    result : Value of a type that follows from the arguments

    Raises
    ------
    BuildError
        If a Value has another type.
    """

@overload
def downscale(image: AnyArray, scale: float | AnyArray, *, interpolation: Literal['nearest', 'box'] = 'nearest', seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def downscale(image: Value, scale: float | Value, *, interpolation: Literal['nearest', 'box'] = 'nearest') -> Value:
    """Shrinks the image and enlarges it back to its size, which loses detail.

    Parameters
    ----------
    image : Value of image
    scale : f32 or Value
        Size of the small image / size of the image; 0 < x <= 1.
    interpolation : {'nearest', 'box'}, default 'nearest'
        How the image is shrunk: box averages all pixels; it is enlarged by nearest.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def elastic(image: AnyArray, *, alpha: float | AnyArray = 50.0, sigma: float | AnyArray = 5.0, interpolation: Literal['nearest', 'bilinear', 'bicubic'] = 'bilinear', border: Literal['constant', 'edge'] = 'constant', fill: float | Sequence[float] | AnyArray = [0.0, 0.0, 0.0, 0.0], seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def elastic(image: Value, *, alpha: float | Value = 50.0, sigma: float | Value = 5.0, interpolation: Literal['nearest', 'bilinear', 'bicubic'] = 'bilinear', border: Literal['constant', 'edge'] = 'constant', fill: float | Sequence[float] | Value = [0.0, 0.0, 0.0, 0.0]) -> Value:
    """Deforms the image by a smoothed random displacement field.

    Draws random numbers, which depend only on the seed, the epoch and the sample.

    Parameters
    ----------
    image : Value of image
    alpha : f32 or Value, default 50.0
        Twice the largest shift before smoothing, in pixels; 0 <= x <= 100000.
    sigma : f32 or Value, default 5.0
        Sigma of the Gaussian that smooths the shifts, in pixels; 0 <= x <= 64.
    interpolation : {'nearest', 'bilinear', 'bicubic'}, default 'bilinear'
        How values between pixels are computed.
    border : {'constant', 'edge'}, default 'constant'
        Pixels without a source get the fill or the nearest pixel.
    fill : 1, 3 or 4 numbers or Value of a tensor, default [0.0, 0.0, 0.0, 0.0]
        Color for border = constant, for each channel; 0 <= x <= 255.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def elastic_field(height: int | Value | None = None, width: int | Value | None = None, alpha: float | Value = 50.0, sigma: float | Value = 5.0, *, size: int | Value | Sequence[int | Value] | None = None) -> Value:
    """Draws the smoothed displacement field of elastic, for remap.

    Draws random numbers, which depend only on the seed, the epoch and the sample.

    Parameters
    ----------
    height : i32 or Value
        Height of the image, in pixels; 1 <= x <= 65535.
    width : i32 or Value
        Width of the image, in pixels; 1 <= x <= 65535.
    alpha : f32 or Value, default 50.0
        Twice the largest shift before smoothing, in pixels; 0 <= x <= 100000.
    sigma : f32 or Value, default 5.0
        Sigma of the Gaussian that smooths the shifts, in pixels; 0 <= x <= 64.
    size : (height, width), or one number for both, optional
        In place of height and width.

    Returns
    -------
    field : Value of tensor

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """
@overload
def elastic_field(height: int | AnyArray | None = None, width: int | AnyArray | None = None, alpha: float | AnyArray = 50.0, sigma: float | AnyArray = 5.0, *, size: int | AnyArray | Sequence[int | AnyArray] | None = None, seed: int | None = None, generator: Any = None) -> Any: ...

@overload
def encode_anchors(boxes: AnyArray, labels: AnyArray, anchors: AnyArray, *, iou: float = 0.5, mean: float | Sequence[float] = [0.0, 0.0, 0.0, 0.0], std: float | Sequence[float] = [0.10000000149011612, 0.10000000149011612, 0.20000000298023224, 0.20000000298023224], seed: int | None = None, generator: Any = None) -> tuple[Any, Any]: ...
@overload
def encode_anchors(boxes: Value, labels: Value, anchors: Value, *, iou: float = 0.5, mean: float | Sequence[float] = [0.0, 0.0, 0.0, 0.0], std: float | Sequence[float] = [0.10000000149011612, 0.10000000149011612, 0.20000000298023224, 0.20000000298023224]) -> tuple[Value, Value]:
    """Encodes boxes and labels as offsets and labels of a detector's anchors.

    Parameters
    ----------
    boxes : Value of tensor
    labels : Value of tensor
    anchors : Value of tensor
    iou : f32, default 0.5
        Least overlap of an anchor with its box; 0 < x <= 1.
    mean : 4 numbers, default [0.0, 0.0, 0.0, 0.0]
        Subtracted from the offsets; any finite number.
    std : 4 numbers, default [0.10000000149011612, 0.10000000149011612, 0.20000000298023224, 0.20000000298023224]
        Divisor of the offsets; 0 < x.

    Returns
    -------
    offsets : Value of tensor
    labels : Value of tensor

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

def equal(x: float | Value, y: float | Value) -> Value:
    """Returns true if x == y.

    Parameters
    ----------
    x : any number or Value
        The left side.
    y : any number or Value
        The right side.

    Returns
    -------
    result : Value of a type that follows from the arguments

    Raises
    ------
    BuildError
        If a Value has another type.
    """

@overload
def equalize(image: AnyArray, *, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def equalize(image: Value) -> Value:
    """Equalizes the histogram of each channel.

    Parameters
    ----------
    image : Value of image

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a Value has another type.
    """

@overload
def erase(image: AnyArray, height: float | AnyArray | None = None, width: float | AnyArray | None = None, *, y: float | AnyArray = 0.0, x: float | AnyArray = 0.0, normalized: bool = False, centered: bool = False, fill: float | Sequence[float] | AnyArray = [0.0, 0.0, 0.0, 0.0], size: int | AnyArray | Sequence[int | AnyArray] | None = None, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def erase(image: Value, height: float | Value | None = None, width: float | Value | None = None, *, y: float | Value = 0.0, x: float | Value = 0.0, normalized: bool = False, centered: bool = False, fill: float | Sequence[float] | Value = [0.0, 0.0, 0.0, 0.0], size: int | Value | Sequence[int | Value] | None = None) -> Value:
    """Fills a rectangle, given by numbers, with a color.

    Parameters
    ----------
    image : Value of image
    y : f32 or Value, default 0.0
        Row of the upper left corner; any finite number.
    x : f32 or Value, default 0.0
        Column of the upper left corner; any finite number.
    height : f32 or Value
        Height of the rectangle; clipped to the image; 0 <= x.
    width : f32 or Value
        Width of the rectangle; clipped to the image; 0 <= x.
    normalized : bool, default False
        Y, x, height and width are fractions of the image's size, not pixels.
    centered : bool, default False
        Y and x are the rectangle's center.
    fill : 1, 3 or 4 numbers or Value of a tensor, default [0.0, 0.0, 0.0, 0.0]
        Color, for each channel; 0 <= x <= 255.
    size : (height, width), or one number for both, optional
        In place of height and width.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def erase_region(image: AnyArray, region: tuple[int, int, int, int] | AnyArray, *, fill: float | Sequence[float] | AnyArray = [0.0, 0.0, 0.0, 0.0], seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def erase_region(image: Value, region: tuple[int, int, int, int] | Value, *, fill: float | Sequence[float] | Value = [0.0, 0.0, 0.0, 0.0]) -> Value:
    """Fills a rectangle with a color.

    Parameters
    ----------
    image : Value of image
    region : rectangle or Value
        Clipped to the image; an empty one erases nothing.
    fill : 1, 3 or 4 numbers or Value of a tensor, default [0.0, 0.0, 0.0, 0.0]
        Color, for each channel; 0 <= x <= 255.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def erase_with_noise(image: AnyArray, region: tuple[int, int, int, int] | AnyArray, *, fill: float | Sequence[float] | AnyArray = [0.0, 0.0, 0.0, 0.0], noise: float | AnyArray = 0.0, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def erase_with_noise(image: Value, region: tuple[int, int, int, int] | Value, *, fill: float | Sequence[float] | Value = [0.0, 0.0, 0.0, 0.0], noise: float | Value = 0.0) -> Value:
    """Fills a rectangle with noise around a color.

    Draws random numbers, which depend only on the seed, the epoch and the sample.

    Parameters
    ----------
    image : Value of image
    region : rectangle or Value
        Clipped to the image; an empty one erases nothing.
    fill : 1, 3 or 4 numbers or Value of a tensor, default [0.0, 0.0, 0.0, 0.0]
        Color, for each channel; 0 <= x <= 255.
    noise : f32 or Value, default 0.0
        Standard deviation of the normal noise around the color, in pixel values; 0 <= x.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def erode(image: AnyArray, *, window_height: int | AnyArray = 3, window_width: int | AnyArray = 3, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def erode(image: Value, *, window_height: int | Value = 3, window_width: int | Value = 3) -> Value:
    """Takes the smallest pixel value in a window, so that dark areas grow.

    Parameters
    ----------
    image : Value of image
    window_height : i32 or Value, default 3
        Side of the window, in pixels; 1 <= x <= 255.
    window_width : i32 or Value, default 3
        Side of the window, in pixels; 1 <= x <= 255.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def exp(x: AnyArray, *, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def exp(x: Value) -> Value:
    """Returns e to the power of a number, or of each element of a tensor or image.

    Parameters
    ----------
    x : Value of a number, tensor or image

    Returns
    -------
    result : Value
        The result of whole numbers is f32.
    """

@overload
def expand(image: AnyArray, *, ratio: float | AnyArray = 2.0, y: float | AnyArray = 0.5, x: float | AnyArray = 0.5, fill: float | Sequence[float] | AnyArray = [0.0, 0.0, 0.0, 0.0], seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def expand(image: Value, *, ratio: float | Value = 2.0, y: float | Value = 0.5, x: float | Value = 0.5, fill: float | Sequence[float] | Value = [0.0, 0.0, 0.0, 0.0]) -> Value:
    """Places the image on a larger canvas of one color.

    Parameters
    ----------
    image : Value of image
    ratio : f32 or Value, default 2.0
        Side of the canvas / side of the image; 1 <= x <= 65535.
    y : f32 or Value, default 0.5
        Fraction of the free rows above; 0 <= x <= 1.
    x : f32 or Value, default 0.5
        Fraction of the free columns on the left; 0 <= x <= 1.
    fill : 1, 3 or 4 numbers or Value of a tensor, default [0.0, 0.0, 0.0, 0.0]
        Color of the canvas, for each channel; 0 <= x <= 255.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

def expanded_region(height: int | Value | None = None, width: int | Value | None = None, ratio: float | Value = 2.0, y: float | Value = 0.5, x: float | Value = 0.5, *, size: int | Value | Sequence[int | Value] | None = None) -> Value:
    """Returns the canvas of expand as a region in the image's coordinates.

    Parameters
    ----------
    height : i32 or Value
        Height of the image, in pixels; 1 <= x <= 65535.
    width : i32 or Value
        Width of the image, in pixels; 1 <= x <= 65535.
    ratio : f32 or Value, default 2.0
        Side of the canvas / side of the image; 1 <= x.
    y : f32 or Value, default 0.5
        Fraction of the free rows above the image; 0 <= x <= 1.
    x : f32 or Value, default 0.5
        Fraction of the free columns left of the image; 0 <= x <= 1.
    size : (height, width), or one number for both, optional
        In place of height and width.

    Returns
    -------
    region : Value of rectangle

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def filter_2d(image: AnyArray, weights: Sequence[Sequence[float]], *, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def filter_2d(image: Value, weights: Sequence[Sequence[float]]) -> Value:
    """Replaces each pixel value with a weighted sum of a window; reflects borders.

    Parameters
    ----------
    image : Value of image
    weights : list of lists of numbers, or array
        The rows of the kernel. Height and width are odd, and at most 7.

    Returns
    -------
    image : Value of image
    """

@overload
def filter_boxes(boxes: AnyArray, height: int | AnyArray | None = None, width: int | AnyArray | None = None, *, min_area: float = 0.0, min_visibility: float = 0.0, min_height: float = 0.0, min_width: float = 0.0, size: int | AnyArray | Sequence[int | AnyArray] | None = None, seed: int | None = None, generator: Any = None) -> tuple[Any, Any]: ...
@overload
def filter_boxes(boxes: Value, height: int | Value | None = None, width: int | Value | None = None, *, min_area: float = 0.0, min_visibility: float = 0.0, min_height: float = 0.0, min_width: float = 0.0, size: int | Value | Sequence[int | Value] | None = None) -> tuple[Value, Value]:
    """Clips boxes to the image and drops those with too little left.

    Parameters
    ----------
    boxes : Value of tensor
    height : i32 or Value
        Height of the image, in pixels; 1 <= x <= 65535.
    width : i32 or Value
        Width of the image, in pixels; 1 <= x <= 65535.
    min_area : f32, default 0.0
        Least area inside the image, in pixels; 0 <= x.
    min_visibility : f32, default 0.0
        Least fraction of the box inside the image; 0 <= x <= 1.
    min_height : f32, default 0.0
        Least size inside the image, in pixels; 0 <= x.
    min_width : f32, default 0.0
        Least size inside the image, in pixels; 0 <= x.
    size : (height, width), or one number for both, optional
        In place of height and width.

    Returns
    -------
    boxes : Value of tensor
    kept : Value of tensor

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def flip(image: AnyArray, *, horizontal: bool | AnyArray = True, vertical: bool | AnyArray = False, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def flip(image: Value, *, horizontal: bool | Value = True, vertical: bool | Value = False) -> Value:
    """Flips the image horizontally, vertically or both.

    Parameters
    ----------
    image : Value of image or tensor
        A tensor has the shape (height, width, channels), with any number of channels;
        the result is a tensor of the same type.
    horizontal : bool or Value, default True
        Swaps left and right.
    vertical : bool or Value, default False
        Swaps top and bottom.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a Value has another type.
    """

@overload
def flip_boxes(boxes: AnyArray, height: int | AnyArray | None = None, width: int | AnyArray | None = None, *, horizontal: bool | AnyArray = True, vertical: bool | AnyArray = False, size: int | AnyArray | Sequence[int | AnyArray] | None = None, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def flip_boxes(boxes: Value, height: int | Value | None = None, width: int | Value | None = None, *, horizontal: bool | Value = True, vertical: bool | Value = False, size: int | Value | Sequence[int | Value] | None = None) -> Value:
    """Moves boxes as flip moves their image.

    Parameters
    ----------
    boxes : Value of tensor
    height : i32 or Value
        Height of the image, in pixels; 1 <= x <= 65535.
    width : i32 or Value
        Width of the image, in pixels; 1 <= x <= 65535.
    horizontal : bool or Value, default True
        Swaps left and right.
    vertical : bool or Value, default False
        Swaps top and bottom.
    size : (height, width), or one number for both, optional
        In place of height and width.

    Returns
    -------
    moved : Value of tensor

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def flip_points(points: AnyArray, height: int | AnyArray | None = None, width: int | AnyArray | None = None, *, horizontal: bool | AnyArray = True, vertical: bool | AnyArray = False, size: int | AnyArray | Sequence[int | AnyArray] | None = None, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def flip_points(points: Value, height: int | Value | None = None, width: int | Value | None = None, *, horizontal: bool | Value = True, vertical: bool | Value = False, size: int | Value | Sequence[int | Value] | None = None) -> Value:
    """Moves points as flip moves their image.

    Parameters
    ----------
    points : Value of tensor
    height : i32 or Value
        Height of the image, in pixels; 1 <= x <= 65535.
    width : i32 or Value
        Width of the image, in pixels; 1 <= x <= 65535.
    horizontal : bool or Value, default True
        Swaps left and right.
    vertical : bool or Value, default False
        Swaps top and bottom.
    size : (height, width), or one number for both, optional
        In place of height and width.

    Returns
    -------
    moved : Value of tensor

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

def floor_divide(x: float | Value, y: float | Value) -> Value:
    """Divides x by y and rounds down, as Python's x // y.

    Parameters
    ----------
    x : any number or Value
        The left side.
    y : any number or Value
        The right side.

    Returns
    -------
    result : Value of a type that follows from the arguments

    Raises
    ------
    BuildError
        If a Value has another type.
    """

@overload
def gamma_correction(image: AnyArray, gamma: float | AnyArray, *, gain: float | AnyArray = 1.0, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def gamma_correction(image: Value, gamma: float | Value, *, gain: float | Value = 1.0) -> Value:
    """Raises pixel values, as fractions of 255, to the power gamma and multiplies them by gain.

    Parameters
    ----------
    image : Value of image
    gamma : f32 or Value
        Below 1 makes dark parts lighter; 0 <= x.
    gain : f32 or Value, default 1.0
        1 changes nothing; 0 <= x.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def gaussian_blur(image: AnyArray, *, sigma: float | AnyArray = 0.0, sigma_y: float | AnyArray = 0.0, window_size: int | AnyArray = 0, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def gaussian_blur(image: Value, *, sigma: float | Value = 0.0, sigma_y: float | Value = 0.0, window_size: int | Value = 0) -> Value:
    """Blurs the image with a Gaussian; reflects borders.

    Parameters
    ----------
    image : Value of image
    sigma : f32 or Value, optional
        In pixels; default: 0.15 window_size + 0.35; 0 < x <= 42.
    sigma_y : f32 or Value, optional
        Along the columns, in pixels; default: sigma; 0 < x <= 42.
    window_size : i32 or Value, optional
        In pixels, odd; default: 2 ceil(3 sigma) + 1; 1 <= x <= 255.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def gaussian_noise(image: AnyArray, *, mean: float | AnyArray = 0.0, stddev: float | AnyArray = 1.0, sigma: float | AnyArray | None = None, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def gaussian_noise(image: Value, *, mean: float | Value = 0.0, stddev: float | Value = 1.0, sigma: float | Value | None = None) -> Value:
    """Adds normally distributed noise to each pixel value.

    Draws random numbers, which depend only on the seed, the epoch and the sample.

    Parameters
    ----------
    image : Value of image
    mean : f32 or Value, default 0.0
        Mean of the noise, in pixel values; -1000000 <= x <= 1000000.
    stddev : f32 or Value, default 1.0
        Standard deviation of the noise, in pixel values; 0 <= x <= 1000000.
    sigma : f32 or Value, optional
        In place of stddev, for pixel values scaled to 0 to 1. At least 0.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def grayscale(image: AnyArray, *, channels: int | AnyArray = 1, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def grayscale(image: Value, *, channels: int | Value = 1) -> Value:
    """Converts colors to their luma.

    Parameters
    ----------
    image : Value of image
    channels : i32 or Value, default 1
        Of the result: 1, or 3 equal; 1 <= x <= 3.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

def greater(x: float | Value, y: float | Value) -> Value:
    """Returns true if x > y.

    Parameters
    ----------
    x : any number or Value
        The left side.
    y : any number or Value
        The right side.

    Returns
    -------
    result : Value of a type that follows from the arguments

    Raises
    ------
    BuildError
        If a Value has another type.
    """

def greater_equal(x: float | Value, y: float | Value) -> Value:
    """Returns true if x >= y.

    Parameters
    ----------
    x : any number or Value
        The left side.
    y : any number or Value
        The right side.

    Returns
    -------
    result : Value of a type that follows from the arguments

    Raises
    ------
    BuildError
        If a Value has another type.
    """

@overload
def grid_distortion(image: AnyArray, *, steps: int | AnyArray = 5, limit: float | AnyArray = 0.3, interpolation: Literal['nearest', 'bilinear', 'bicubic'] = 'bilinear', seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def grid_distortion(image: Value, *, steps: int | Value = 5, limit: float | Value = 0.3, interpolation: Literal['nearest', 'bilinear', 'bicubic'] = 'bilinear') -> Value:
    """Deforms the image by a grid of cells with random widths and heights.

    Draws random numbers, which depend only on the seed, the epoch and the sample.

    Parameters
    ----------
    image : Value of image
    steps : i32 or Value, default 5
        Cells along each side; 1 <= x <= 1000.
    limit : f32 or Value, default 0.3
        Largest change of a cell's width and height, as a fraction of them; 0 <= x <= 0.9.
    interpolation : {'nearest', 'bilinear', 'bicubic'}, default 'bilinear'
        How values between pixels are computed.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def grid_field(height: int | Value | None = None, width: int | Value | None = None, steps: int | Value = 5, limit: float | Value = 0.3, *, size: int | Value | Sequence[int | Value] | None = None) -> Value:
    """Draws the displacement field of grid_distortion, for remap.

    Draws random numbers, which depend only on the seed, the epoch and the sample.

    Parameters
    ----------
    height : i32 or Value
        Height of the image, in pixels; 1 <= x <= 65535.
    width : i32 or Value
        Width of the image, in pixels; 1 <= x <= 65535.
    steps : i32 or Value, default 5
        Cells along each side; 1 <= x <= 1000.
    limit : f32 or Value, default 0.3
        Largest change of a cell's width and height, as a fraction of them; 0 <= x <= 0.9.
    size : (height, width), or one number for both, optional
        In place of height and width.

    Returns
    -------
    field : Value of tensor

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """
@overload
def grid_field(height: int | AnyArray | None = None, width: int | AnyArray | None = None, steps: int | AnyArray = 5, limit: float | AnyArray = 0.3, *, size: int | AnyArray | Sequence[int | AnyArray] | None = None, seed: int | None = None, generator: Any = None) -> Any: ...

@overload
def grid_mask(image: AnyArray, *, tile: int | AnyArray = 100, ratio: float | AnyArray = 0.5, degrees: float | AnyArray = 0.0, shift_y: float | AnyArray = 0.0, shift_x: float | AnyArray = 0.0, fill: float | Sequence[float] | AnyArray = [0.0, 0.0, 0.0, 0.0], seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def grid_mask(image: Value, *, tile: int | Value = 100, ratio: float | Value = 0.5, degrees: float | Value = 0.0, shift_y: float | Value = 0.0, shift_x: float | Value = 0.0, fill: float | Sequence[float] | Value = [0.0, 0.0, 0.0, 0.0]) -> Value:
    """Fills the squares of a regular grid with a color.

    Parameters
    ----------
    image : Value of image
    tile : i32 or Value, default 100
        Pixels from one square to the next; 1 <= x <= 65535.
    ratio : f32 or Value, default 0.5
        Side of a square / side of a tile; 0 <= x <= 1.
    degrees : f32 or Value, default 0.0
        Counter-clockwise about the upper left pixel; -1000000 <= x <= 1000000.
    shift_y : f32 or Value, default 0.0
        Shift of the grid along its columns, in pixels; -1000000 <= x <= 1000000.
    shift_x : f32 or Value, default 0.0
        Shift of the grid along its rows, in pixels; -1000000 <= x <= 1000000.
    fill : 1, 3 or 4 numbers or Value of a tensor, default [0.0, 0.0, 0.0, 0.0]
        Color, for each channel; 0 <= x <= 255.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def hue(image: AnyArray, degrees: float | AnyArray, *, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def hue(image: Value, degrees: float | Value) -> Value:
    """Rotates hues by an angle in degrees, in HSV.

    Parameters
    ----------
    image : Value of image
    degrees : f32 or Value
        0 changes nothing; red becomes green at 120; any finite number.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def invert(image: AnyArray, *, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def invert(image: Value) -> Value:
    """Inverts pixel values: x becomes 255 - x.

    Parameters
    ----------
    image : Value of image

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a Value has another type.
    """

@overload
def iso_noise(image: AnyArray, *, color_shift: float | AnyArray = 0.05, intensity: float | AnyArray = 0.5, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def iso_noise(image: Value, *, color_shift: float | Value = 0.05, intensity: float | Value = 0.5) -> Value:
    """Adds the noise of a camera sensor: to the lightness and to the hue.

    Draws random numbers, which depend only on the seed, the epoch and the sample.

    Parameters
    ----------
    image : Value of image
    color_shift : f32 or Value, default 0.05
        Times intensity: standard deviation of the hue's noise, in full turns; 0 <= x <= 1.
    intensity : f32 or Value, default 0.5
        Strength of both kinds of noise; 0 <= x <= 10.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def jitter(image: AnyArray, *, window_size: int | AnyArray = 3, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def jitter(image: Value, *, window_size: int | Value = 3) -> Value:
    """Replaces each pixel with a random one nearby.

    Draws random numbers, which depend only on the seed, the epoch and the sample.

    Parameters
    ----------
    image : Value of image
    window_size : i32 or Value, default 3
        Side of the window to draw from, in pixels; odd; 1 <= x <= 255.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def join_regions(first: AnyArray, second: AnyArray, *, seed: int | None = None, generator: Any = None) -> tuple[Any, Any, Any]: ...
@overload
def join_regions(first: Value, second: Value) -> tuple[Value, Value, Value]:
    """Returns the smallest rectangle around two, and the place of each within it.

    Parameters
    ----------
    first : Value of rectangle
    second : Value of rectangle

    Returns
    -------
    around : Value of rectangle
    first_inside : Value of rectangle
    second_inside : Value of rectangle

    Raises
    ------
    BuildError
        If a Value has another type.
    """

@overload
def jpeg_distortion(image: AnyArray, *, quality: int | AnyArray = 50, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def jpeg_distortion(image: Value, *, quality: int | Value = 50) -> Value:
    """Adds JPEG compression artifacts.

    Parameters
    ----------
    image : Value of image
    quality : i32 or Value, default 50
        Of the JPEG file; 100 is the best; 1 <= x <= 100.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def labels_of(numbers: AnyArray, *, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def labels_of(numbers: Value) -> Value:
    """Converts a list of integers to a tensor.

    Parameters
    ----------
    numbers : Value of list of i64

    Returns
    -------
    labels : Value of tensor

    Raises
    ------
    BuildError
        If a Value has another type.
    """

@overload
def laplacian(image: AnyArray, *, window_size: int | AnyArray = 3, scale: float | AnyArray = 1.0, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def laplacian(image: Value, *, window_size: int | Value = 3, scale: float | Value = 1.0) -> Value:
    """Finds edges by the sum of second derivatives, clipped to 0 .. 255; reflects borders.

    Parameters
    ----------
    image : Value of image
    window_size : i32 or Value, default 3
        1, 3, 5 or 7; 1 <= x <= 7.
    scale : f32 or Value, default 1.0
        Multiplies the sum; -256 <= x <= 256.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def lens_distortion(image: AnyArray, *, k1: float | AnyArray = 0.0, k2: float | AnyArray = 0.0, interpolation: Literal['nearest', 'bilinear', 'bicubic'] = 'bilinear', border: Literal['constant', 'edge'] = 'constant', fill: float | Sequence[float] | AnyArray = [0.0, 0.0, 0.0, 0.0], seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def lens_distortion(image: Value, *, k1: float | Value = 0.0, k2: float | Value = 0.0, interpolation: Literal['nearest', 'bilinear', 'bicubic'] = 'bilinear', border: Literal['constant', 'edge'] = 'constant', fill: float | Sequence[float] | Value = [0.0, 0.0, 0.0, 0.0]) -> Value:
    """Applies the radial distortion of a simple lens.

    Parameters
    ----------
    image : Value of image
    k1 : f32 or Value, default 0.0
        Factor of r^2, where r is 1 at the corners; -100 <= x <= 100.
    k2 : f32 or Value, default 0.0
        Factor of r^4; -100 <= x <= 100.
    interpolation : {'nearest', 'bilinear', 'bicubic'}, default 'bilinear'
        How values between pixels are computed.
    border : {'constant', 'edge'}, default 'constant'
        Pixels without a source get the fill or the nearest pixel.
    fill : 1, 3 or 4 numbers or Value of a tensor, default [0.0, 0.0, 0.0, 0.0]
        Color for border = constant, for each channel; 0 <= x <= 255.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def lens_distortion_boxes(boxes: AnyArray, height: int | AnyArray | None = None, width: int | AnyArray | None = None, *, k1: float | AnyArray = 0.0, k2: float | AnyArray = 0.0, size: int | AnyArray | Sequence[int | AnyArray] | None = None, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def lens_distortion_boxes(boxes: Value, height: int | Value | None = None, width: int | Value | None = None, *, k1: float | Value = 0.0, k2: float | Value = 0.0, size: int | Value | Sequence[int | Value] | None = None) -> Value:
    """Moves boxes as lens_distortion moves their image.

    Parameters
    ----------
    boxes : Value of tensor
    height : i32 or Value
        Height of the image, in pixels; 1 <= x <= 65535.
    width : i32 or Value
        Width of the image, in pixels; 1 <= x <= 65535.
    k1 : f32 or Value, default 0.0
        Factor of r^2, where r is 1 at the corners; -100 <= x <= 100.
    k2 : f32 or Value, default 0.0
        Factor of r^4; -100 <= x <= 100.
    size : (height, width), or one number for both, optional
        In place of height and width.

    Returns
    -------
    moved : Value of tensor

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def lens_distortion_points(points: AnyArray, height: int | AnyArray | None = None, width: int | AnyArray | None = None, *, k1: float | AnyArray = 0.0, k2: float | AnyArray = 0.0, size: int | AnyArray | Sequence[int | AnyArray] | None = None, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def lens_distortion_points(points: Value, height: int | Value | None = None, width: int | Value | None = None, *, k1: float | Value = 0.0, k2: float | Value = 0.0, size: int | Value | Sequence[int | Value] | None = None) -> Value:
    """Moves points as lens_distortion moves their image.

    Parameters
    ----------
    points : Value of tensor
    height : i32 or Value
        Height of the image, in pixels; 1 <= x <= 65535.
    width : i32 or Value
        Width of the image, in pixels; 1 <= x <= 65535.
    k1 : f32 or Value, default 0.0
        Factor of r^2, where r is 1 at the corners; -100 <= x <= 100.
    k2 : f32 or Value, default 0.0
        Factor of r^4; -100 <= x <= 100.
    size : (height, width), or one number for both, optional
        In place of height and width.

    Returns
    -------
    moved : Value of tensor

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

def less(x: float | Value, y: float | Value) -> Value:
    """Returns true if x < y.

    Parameters
    ----------
    x : any number or Value
        The left side.
    y : any number or Value
        The right side.

    Returns
    -------
    result : Value of a type that follows from the arguments

    Raises
    ------
    BuildError
        If a Value has another type.
    """

def less_equal(x: float | Value, y: float | Value) -> Value:
    """Returns true if x <= y.

    Parameters
    ----------
    x : any number or Value
        The left side.
    y : any number or Value
        The right side.

    Returns
    -------
    result : Value of a type that follows from the arguments

    Raises
    ------
    BuildError
        If a Value has another type.
    """

@overload
def log(x: AnyArray, *, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def log(x: Value) -> Value:
    """Returns the natural logarithm of a number, or of each element of a tensor or image.

    Parameters
    ----------
    x : Value of a number, tensor or image

    Returns
    -------
    result : Value
        NaN for a negative number, and minus infinity for 0. The result of whole numbers is f32.
    """

@overload
def lookup_table(image: AnyArray, levels: float | Sequence[float], *, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def lookup_table(image: Value, levels: float | Sequence[float]) -> Value:
    """Maps each pixel value through a lookup table.

    Parameters
    ----------
    image : Value of image
    levels : 256 numbers
        The outputs for 0, 1, ... 255, rounded; 0 <= x <= 255.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def max(data: AnyArray, *, axis: int | Sequence[int] | None = None, keepdims: bool = False, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def max(data: Value, *, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Value:
    """Returns the largest of all elements.

    Parameters
    ----------
    data : Value of image or tensor
    axis : int or list of int, optional
        The axes along which to reduce; -1 is the last one. With `axis`, the result is a tensor;
        its elements are of the same type.
    keepdims : bool, default False
        The reduced axes stay, with size 1. Needs `axis`.

    Returns
    -------
    number : Value of f32

    Raises
    ------
    BuildError
        If a Value has another type.
    """

@overload
def maximum(x: AnyArray | float, y: AnyArray | float, *, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def maximum(x: Value | float, y: Value | float) -> Value:
    """Returns the larger of two numbers, or of each pair of elements of tensors or images.

    Parameters
    ----------
    x, y : Value of a number, tensor or image, or a number
        At least one is a Value.

    Returns
    -------
    result : Value
        NaN if one of the two is NaN.
    """

@overload
def mean(data: AnyArray, *, axis: int | Sequence[int] | None = None, keepdims: bool = False, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def mean(data: Value, *, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Value:
    """Returns the mean of all elements.

    Parameters
    ----------
    data : Value of image or tensor
    axis : int or list of int, optional
        The axes along which to reduce; -1 is the last one. With `axis`, the result is a tensor;
        its elements are f64 for f64, else f32.
    keepdims : bool, default False
        The reduced axes stay, with size 1. Needs `axis`.

    Returns
    -------
    number : Value of f32

    Raises
    ------
    BuildError
        If a Value has another type.
    """

@overload
def median_blur(image: AnyArray, *, window_size: int | AnyArray = 3, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def median_blur(image: Value, *, window_size: int | Value = 3) -> Value:
    """Replaces each pixel value with the median of a square window; repeats borders.

    Parameters
    ----------
    image : Value of image
    window_size : i32 or Value, default 3
        Side of the window, in pixels: 3 or 5; 3 <= x <= 5.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def min(data: AnyArray, *, axis: int | Sequence[int] | None = None, keepdims: bool = False, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def min(data: Value, *, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Value:
    """Returns the smallest of all elements.

    Parameters
    ----------
    data : Value of image or tensor
    axis : int or list of int, optional
        The axes along which to reduce; -1 is the last one. With `axis`, the result is a tensor;
        its elements are of the same type.
    keepdims : bool, default False
        The reduced axes stay, with size 1. Needs `axis`.

    Returns
    -------
    number : Value of f32

    Raises
    ------
    BuildError
        If a Value has another type.
    """

@overload
def minimum(x: AnyArray | float, y: AnyArray | float, *, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def minimum(x: Value | float, y: Value | float) -> Value:
    """Returns the smaller of two numbers, or of each pair of elements of tensors or images.

    Parameters
    ----------
    x, y : Value of a number, tensor or image, or a number
        At least one is a Value.

    Returns
    -------
    result : Value
        NaN if one of the two is NaN.
    """

def modulo(x: float | Value, y: float | Value) -> Value:
    """Returns x modulo y with the sign of y, as Python's x % y.

    Parameters
    ----------
    x : any number or Value
        The left side.
    y : any number or Value
        The right side.

    Returns
    -------
    result : Value of a type that follows from the arguments

    Raises
    ------
    BuildError
        If a Value has another type.
    """

@overload
def motion_blur(image: AnyArray, *, length: int | AnyArray = 9, degrees: float | AnyArray = 0.0, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def motion_blur(image: Value, *, length: int | Value = 9, degrees: float | Value = 0.0) -> Value:
    """Blurs the image along a line; reflects borders.

    Parameters
    ----------
    image : Value of image
    length : i32 or Value, default 9
        Length of the motion, in pixels; 1 <= x <= 255.
    degrees : f32 or Value, default 0.0
        Counter-clockwise; 0 is along the rows; any finite number.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

def multiply(x: float | Value, y: float | Value) -> Value:
    """Multiplies x by y.

    Parameters
    ----------
    x : any number or Value
        The left side.
    y : any number or Value
        The right side.

    Returns
    -------
    result : Value of a type that follows from the arguments

    Raises
    ------
    BuildError
        If a Value has another type.
    """

def negate(x: float | Value) -> Value:
    """Negates x.

    Parameters
    ----------
    x : any number or Value
        The number.

    Returns
    -------
    result : Value of a type that follows from the arguments

    Raises
    ------
    BuildError
        If a Value has another type.
    """

@overload
def nested_region(outer: AnyArray, inner: AnyArray, *, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def nested_region(outer: Value, inner: Value) -> Value:
    """Converts a region within another region to the image's coordinates.

    Parameters
    ----------
    outer : Value of rectangle
    inner : Value of rectangle

    Returns
    -------
    region : Value of rectangle

    Raises
    ------
    BuildError
        If a Value has another type.
    """

@overload
def normal(mean: float | Value, stddev: float | Value) -> Value:
    """Draws a number from a normal distribution.

    Draws random numbers, which depend only on the seed, the epoch and the sample.

    Parameters
    ----------
    mean : f32 or Value
        Mean of the distribution; any finite number.
    stddev : f32 or Value
        Standard deviation of the distribution; 0 <= x.

    Returns
    -------
    number : Value of f32

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """
@overload
def normal(mean: float | AnyArray, stddev: float | AnyArray, *, seed: int | None = None, generator: Any = None) -> Any: ...

@overload
def normalize(image: AnyArray, mean: Sequence[float] | float, std: Sequence[float] | float, *, dtype: Any = 'f32', layout: str = 'CHW', seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def normalize(image: Value, mean: Sequence[float] | float, std: Sequence[float] | float, *, dtype: Any = 'f32', layout: str = 'CHW') -> Value:
    """Converts an image to a normalized tensor: (pixel / 255 - mean) / std for each channel.

    ``crop_mirror_normalize`` does the same, and crops and mirrors in the same pass.

    Parameters
    ----------
    image : Value of image or tensor
        A tensor has the shape (height, width, channels), with up to 16 different means or deviations. Numbers of type u8
        are divided by 255, those of u16 by 65535. Other types are not divided: mean and std are in units of the elements.
    mean, std : list of 1, 3 or 4 floats, or float
        In units of 0 to 1, as in torchvision. A mean must be from -1 to 1, a std above 0 and at most 1. For a tensor, one
        float, or one for each channel.
    dtype : {'f32', 'f16', 'bf16'}, default 'f32'
    layout : {'CHW', 'HWC'}, default 'CHW'

    Returns
    -------
    tensor : Value of tensor
    """

def not_(x: float | Value) -> Value:
    """Returns true if x is false or zero.

    Parameters
    ----------
    x : any number or Value
        The number.

    Returns
    -------
    result : Value of a type that follows from the arguments

    Raises
    ------
    BuildError
        If a Value has another type.
    """

def not_equal(x: float | Value, y: float | Value) -> Value:
    """Returns true if x != y.

    Parameters
    ----------
    x : any number or Value
        The left side.
    y : any number or Value
        The right side.

    Returns
    -------
    result : Value of a type that follows from the arguments

    Raises
    ------
    BuildError
        If a Value has another type.
    """

@overload
def one_hot(label: AnyArray, classes: int, *, smoothing: float = 0.0, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def one_hot(label: Value, classes: int, *, smoothing: float = 0.0) -> Value:
    """Encodes a class label as a vector of probabilities.

    Parameters
    ----------
    label : Value of i64
    classes : i32
        Labels are 0 to classes - 1; 1 <= x <= 16777216.
    smoothing : f32, default 0.0
        Probability spread over all classes; 0 <= x <= 1.

    Returns
    -------
    probabilities : Value of tensor

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def pad_boxes(boxes: AnyArray, *, left: int | AnyArray = 0, top: int | AnyArray = 0, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def pad_boxes(boxes: Value, *, left: int | Value = 0, top: int | Value = 0) -> Value:
    """Moves boxes as pad_image moves their image.

    Parameters
    ----------
    boxes : Value of tensor
    left : i32 or Value, default 0
        Pixels added on the left; 0 <= x <= 65535.
    top : i32 or Value, default 0
        Pixels added at the top; 0 <= x <= 65535.

    Returns
    -------
    moved : Value of tensor

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def pad_image(image: AnyArray, *, left: int | AnyArray = 0, top: int | AnyArray = 0, right: int | AnyArray = 0, bottom: int | AnyArray = 0, height: int | AnyArray = 0, width: int | AnyArray = 0, border: Literal['constant', 'edge', 'reflect'] = 'constant', fill: float | Sequence[float] | AnyArray = [0.0, 0.0, 0.0, 0.0], size: int | AnyArray | Sequence[int | AnyArray] | None = None, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def pad_image(image: Value, *, left: int | Value = 0, top: int | Value = 0, right: int | Value = 0, bottom: int | Value = 0, height: int | Value = 0, width: int | Value = 0, border: Literal['constant', 'edge', 'reflect'] = 'constant', fill: float | Sequence[float] | Value = [0.0, 0.0, 0.0, 0.0], size: int | Value | Sequence[int | Value] | None = None) -> Value:
    """Pads the image with a color, its edge pixels or its reflection.

    Parameters
    ----------
    image : Value of image
    left : i32 or Value, default 0
        Pixels added on the left; 0 <= x <= 65535.
    top : i32 or Value, default 0
        Pixels added at the top; 0 <= x <= 65535.
    right : i32 or Value, default 0
        Pixels added on the right; 0 <= x <= 65535.
    bottom : i32 or Value, default 0
        Pixels added at the bottom; 0 <= x <= 65535.
    height : i32 or Value, optional
        Least height of the result; missing rows are added at the bottom; 1 <= x <= 65535.
    width : i32 or Value, optional
        Least width of the result; missing columns are added on the right; 1 <= x <= 65535.
    border : {'constant', 'edge', 'reflect'}, default 'constant'
        Margin: the fill, the nearest pixel, or the image mirrored at the middle of its edge pixels.
    fill : 1, 3 or 4 numbers or Value of a tensor, default [0.0, 0.0, 0.0, 0.0]
        Color for border = constant, for each channel; 0 <= x <= 255.
    size : (height, width), or one number for both, optional
        In place of height and width.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def pad_points(points: AnyArray, *, left: int | AnyArray = 0, top: int | AnyArray = 0, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def pad_points(points: Value, *, left: int | Value = 0, top: int | Value = 0) -> Value:
    """Moves points as pad_image moves their image.

    Parameters
    ----------
    points : Value of tensor
    left : i32 or Value, default 0
        Pixels added on the left; 0 <= x <= 65535.
    top : i32 or Value, default 0
        Pixels added at the top; 0 <= x <= 65535.

    Returns
    -------
    moved : Value of tensor

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def pad_tensor(tensor: AnyArray, *, axis: int | Sequence[int] = 0, length: int | AnyArray | Sequence[int | AnyArray] = 0, align: int | AnyArray | Sequence[int | AnyArray] = 1, fill: float | AnyArray = 0.0, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def pad_tensor(tensor: Value, *, axis: int | Sequence[int] = 0, length: int | Value | Sequence[int | Value] = 0, align: int | Value | Sequence[int | Value] = 1, fill: float | Value = 0.0) -> Value:
    """Pads a tensor at the end of one or more axes with a number.

    Parameters
    ----------
    tensor : Value of tensor
    axis : int, or a list of them, default 0
        From 0, or from -1, the last one, backward.
    length : int or Value, or a list of them, default 0
        The least length of the result. A longer tensor is not cut. A list has one number for each axis.
    align : int or Value, or a list of them, default 1
        The length of the result is a multiple of this.
    fill : float or Value, default 0
        The value of the added elements. Whole numbers up to 2**53.

    Returns
    -------
    tensor : Value of tensor

    Raises
    ------
    BuildError
        If the lists have different lengths. If `fill` does not fit into the type of the elements, the sample fails.
    """

@overload
def paste(image: AnyArray, patch: AnyArray, *, y: int | AnyArray = 0, x: int | AnyArray = 0, alpha: float | AnyArray = 1.0, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def paste(image: Value, patch: Value, *, y: int | Value = 0, x: int | Value = 0, alpha: float | Value = 1.0) -> Value:
    """Pastes `patch` onto the image at (y, x).

    Parameters
    ----------
    image : Value of image
    patch : Value of image
    y : i32 or Value, default 0
        Row of the patch's upper left corner; -65535 <= x <= 65535.
    x : i32 or Value, default 0
        Column of the patch's upper left corner; -65535 <= x <= 65535.
    alpha : f32 or Value, default 1.0
        Opacity of the patch; 0 <= x <= 1.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def paste_masked(image: AnyArray, patch: AnyArray, mask: AnyArray, *, y: int | AnyArray = 0, x: int | AnyArray = 0, alpha: float | AnyArray = 1.0, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def paste_masked(image: Value, patch: Value, mask: Value, *, y: int | Value = 0, x: int | Value = 0, alpha: float | Value = 1.0) -> Value:
    """Pastes `patch` onto the image through a grayscale mask.

    Parameters
    ----------
    image : Value of image
    patch : Value of image
    mask : Value of image
    y : i32 or Value, default 0
        Row of the patch's upper left corner; -65535 <= x <= 65535.
    x : i32 or Value, default 0
        Column of the patch's upper left corner; -65535 <= x <= 65535.
    alpha : f32 or Value, default 1.0
        Opacity of the patch; 0 <= x <= 1.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def peek_jpeg(jpeg: AnyArray, *, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def peek_jpeg(jpeg: Value) -> Value:
    """Reads the header of a JPEG file: size, kind, orientation.

    Parameters
    ----------
    jpeg : Value of bytes or byte_span

    Returns
    -------
    header : Value of jpeg_header

    Raises
    ------
    BuildError
        If a Value has another type.
    """

@overload
def permute(data: AnyArray, axes: Sequence[int], *, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def permute(data: Value, axes: Sequence[int]) -> Value:
    """Reorders the dimensions of a tensor or image, as ``numpy.transpose`` and ``torch.permute``.

    Parameters
    ----------
    data : Value of tensor or image
        With up to 6 dimensions.
    axes : list of int
        Dimension i of the result is dimension ``axes[i]`` of `data`. ``(2, 0, 1)`` makes CHW of an image. -1 is the last one.

    Returns
    -------
    tensor : Value of tensor
    """

@overload
def permute_channels(image: AnyArray, *, first: int | AnyArray = 0, second: int | AnyArray = 1, third: int | AnyArray = 2, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def permute_channels(image: Value, *, first: int | Value = 0, second: int | Value = 1, third: int | Value = 2) -> Value:
    """Reorders the three color channels.

    Parameters
    ----------
    image : Value of image
    first : i32 or Value, default 0
        Input channel of the first output channel; 0 <= x <= 2.
    second : i32 or Value, default 1
        Input channel of the second output channel; 0 <= x <= 2.
    third : i32 or Value, default 2
        Input channel of the third output channel; 0 <= x <= 2.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def perspective(image: AnyArray, from_top_left_x: float | AnyArray | None = None, from_top_left_y: float | AnyArray | None = None, from_top_right_x: float | AnyArray | None = None, from_top_right_y: float | AnyArray | None = None, from_bottom_right_x: float | AnyArray | None = None, from_bottom_right_y: float | AnyArray | None = None, from_bottom_left_x: float | AnyArray | None = None, from_bottom_left_y: float | AnyArray | None = None, to_top_left_x: float | AnyArray | None = None, to_top_left_y: float | AnyArray | None = None, to_top_right_x: float | AnyArray | None = None, to_top_right_y: float | AnyArray | None = None, to_bottom_right_x: float | AnyArray | None = None, to_bottom_right_y: float | AnyArray | None = None, to_bottom_left_x: float | AnyArray | None = None, to_bottom_left_y: float | AnyArray | None = None, *, interpolation: Literal['nearest', 'bilinear', 'bicubic'] = 'bilinear', border: Literal['constant', 'edge'] = 'constant', fill: float | Sequence[float] | AnyArray = [0.0, 0.0, 0.0, 0.0], startpoints: Sequence[Sequence[float | AnyArray]] | None = None, endpoints: Sequence[Sequence[float | AnyArray]] | None = None, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def perspective(image: Value, from_top_left_x: float | Value | None = None, from_top_left_y: float | Value | None = None, from_top_right_x: float | Value | None = None, from_top_right_y: float | Value | None = None, from_bottom_right_x: float | Value | None = None, from_bottom_right_y: float | Value | None = None, from_bottom_left_x: float | Value | None = None, from_bottom_left_y: float | Value | None = None, to_top_left_x: float | Value | None = None, to_top_left_y: float | Value | None = None, to_top_right_x: float | Value | None = None, to_top_right_y: float | Value | None = None, to_bottom_right_x: float | Value | None = None, to_bottom_right_y: float | Value | None = None, to_bottom_left_x: float | Value | None = None, to_bottom_left_y: float | Value | None = None, *, interpolation: Literal['nearest', 'bilinear', 'bicubic'] = 'bilinear', border: Literal['constant', 'edge'] = 'constant', fill: float | Sequence[float] | Value = [0.0, 0.0, 0.0, 0.0], startpoints: Sequence[Sequence[float | Value]] | None = None, endpoints: Sequence[Sequence[float | Value]] | None = None) -> Value:
    """Applies the perspective transform that moves four points to four others.

    Parameters
    ----------
    image : Value of image
    from_top_left_x : f32 or Value
        In pixels; a point of the image; -1000000 <= x <= 1000000.
    from_top_left_y : f32 or Value
        In pixels; a point of the image; -1000000 <= x <= 1000000.
    from_top_right_x : f32 or Value
        In pixels; a point of the image; -1000000 <= x <= 1000000.
    from_top_right_y : f32 or Value
        In pixels; a point of the image; -1000000 <= x <= 1000000.
    from_bottom_right_x : f32 or Value
        In pixels; a point of the image; -1000000 <= x <= 1000000.
    from_bottom_right_y : f32 or Value
        In pixels; a point of the image; -1000000 <= x <= 1000000.
    from_bottom_left_x : f32 or Value
        In pixels; a point of the image; -1000000 <= x <= 1000000.
    from_bottom_left_y : f32 or Value
        In pixels; a point of the image; -1000000 <= x <= 1000000.
    to_top_left_x : f32 or Value
        In pixels; the same point in the result; -1000000 <= x <= 1000000.
    to_top_left_y : f32 or Value
        In pixels; the same point in the result; -1000000 <= x <= 1000000.
    to_top_right_x : f32 or Value
        In pixels; the same point in the result; -1000000 <= x <= 1000000.
    to_top_right_y : f32 or Value
        In pixels; the same point in the result; -1000000 <= x <= 1000000.
    to_bottom_right_x : f32 or Value
        In pixels; the same point in the result; -1000000 <= x <= 1000000.
    to_bottom_right_y : f32 or Value
        In pixels; the same point in the result; -1000000 <= x <= 1000000.
    to_bottom_left_x : f32 or Value
        In pixels; the same point in the result; -1000000 <= x <= 1000000.
    to_bottom_left_y : f32 or Value
        In pixels; the same point in the result; -1000000 <= x <= 1000000.
    interpolation : {'nearest', 'bilinear', 'bicubic'}, default 'bilinear'
        How values between pixels are computed.
    border : {'constant', 'edge'}, default 'constant'
        Pixels without a source get the fill or the nearest pixel.
    fill : 1, 3 or 4 numbers or Value of a tensor, default [0.0, 0.0, 0.0, 0.0]
        Color for border = constant, for each channel; 0 <= x <= 255.
    startpoints, endpoints : lists of 4 points (x, y), optional
        In place of the numbers: upper left, upper right, lower right, lower left corner.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def perspective_boxes(boxes: AnyArray, from_top_left_x: float | AnyArray, from_top_left_y: float | AnyArray, from_top_right_x: float | AnyArray, from_top_right_y: float | AnyArray, from_bottom_right_x: float | AnyArray, from_bottom_right_y: float | AnyArray, from_bottom_left_x: float | AnyArray, from_bottom_left_y: float | AnyArray, to_top_left_x: float | AnyArray, to_top_left_y: float | AnyArray, to_top_right_x: float | AnyArray, to_top_right_y: float | AnyArray, to_bottom_right_x: float | AnyArray, to_bottom_right_y: float | AnyArray, to_bottom_left_x: float | AnyArray, to_bottom_left_y: float | AnyArray, *, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def perspective_boxes(boxes: Value, from_top_left_x: float | Value, from_top_left_y: float | Value, from_top_right_x: float | Value, from_top_right_y: float | Value, from_bottom_right_x: float | Value, from_bottom_right_y: float | Value, from_bottom_left_x: float | Value, from_bottom_left_y: float | Value, to_top_left_x: float | Value, to_top_left_y: float | Value, to_top_right_x: float | Value, to_top_right_y: float | Value, to_bottom_right_x: float | Value, to_bottom_right_y: float | Value, to_bottom_left_x: float | Value, to_bottom_left_y: float | Value) -> Value:
    """Moves boxes as perspective moves their image.

    Parameters
    ----------
    boxes : Value of tensor
    from_top_left_x : f32 or Value
        In pixels; a point of the image; -1000000 <= x <= 1000000.
    from_top_left_y : f32 or Value
        In pixels; a point of the image; -1000000 <= x <= 1000000.
    from_top_right_x : f32 or Value
        In pixels; a point of the image; -1000000 <= x <= 1000000.
    from_top_right_y : f32 or Value
        In pixels; a point of the image; -1000000 <= x <= 1000000.
    from_bottom_right_x : f32 or Value
        In pixels; a point of the image; -1000000 <= x <= 1000000.
    from_bottom_right_y : f32 or Value
        In pixels; a point of the image; -1000000 <= x <= 1000000.
    from_bottom_left_x : f32 or Value
        In pixels; a point of the image; -1000000 <= x <= 1000000.
    from_bottom_left_y : f32 or Value
        In pixels; a point of the image; -1000000 <= x <= 1000000.
    to_top_left_x : f32 or Value
        In pixels; the same point in the result; -1000000 <= x <= 1000000.
    to_top_left_y : f32 or Value
        In pixels; the same point in the result; -1000000 <= x <= 1000000.
    to_top_right_x : f32 or Value
        In pixels; the same point in the result; -1000000 <= x <= 1000000.
    to_top_right_y : f32 or Value
        In pixels; the same point in the result; -1000000 <= x <= 1000000.
    to_bottom_right_x : f32 or Value
        In pixels; the same point in the result; -1000000 <= x <= 1000000.
    to_bottom_right_y : f32 or Value
        In pixels; the same point in the result; -1000000 <= x <= 1000000.
    to_bottom_left_x : f32 or Value
        In pixels; the same point in the result; -1000000 <= x <= 1000000.
    to_bottom_left_y : f32 or Value
        In pixels; the same point in the result; -1000000 <= x <= 1000000.

    Returns
    -------
    moved : Value of tensor

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def perspective_points(points: AnyArray, from_top_left_x: float | AnyArray, from_top_left_y: float | AnyArray, from_top_right_x: float | AnyArray, from_top_right_y: float | AnyArray, from_bottom_right_x: float | AnyArray, from_bottom_right_y: float | AnyArray, from_bottom_left_x: float | AnyArray, from_bottom_left_y: float | AnyArray, to_top_left_x: float | AnyArray, to_top_left_y: float | AnyArray, to_top_right_x: float | AnyArray, to_top_right_y: float | AnyArray, to_bottom_right_x: float | AnyArray, to_bottom_right_y: float | AnyArray, to_bottom_left_x: float | AnyArray, to_bottom_left_y: float | AnyArray, *, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def perspective_points(points: Value, from_top_left_x: float | Value, from_top_left_y: float | Value, from_top_right_x: float | Value, from_top_right_y: float | Value, from_bottom_right_x: float | Value, from_bottom_right_y: float | Value, from_bottom_left_x: float | Value, from_bottom_left_y: float | Value, to_top_left_x: float | Value, to_top_left_y: float | Value, to_top_right_x: float | Value, to_top_right_y: float | Value, to_bottom_right_x: float | Value, to_bottom_right_y: float | Value, to_bottom_left_x: float | Value, to_bottom_left_y: float | Value) -> Value:
    """Moves points as perspective moves their image.

    Parameters
    ----------
    points : Value of tensor
    from_top_left_x : f32 or Value
        In pixels; a point of the image; -1000000 <= x <= 1000000.
    from_top_left_y : f32 or Value
        In pixels; a point of the image; -1000000 <= x <= 1000000.
    from_top_right_x : f32 or Value
        In pixels; a point of the image; -1000000 <= x <= 1000000.
    from_top_right_y : f32 or Value
        In pixels; a point of the image; -1000000 <= x <= 1000000.
    from_bottom_right_x : f32 or Value
        In pixels; a point of the image; -1000000 <= x <= 1000000.
    from_bottom_right_y : f32 or Value
        In pixels; a point of the image; -1000000 <= x <= 1000000.
    from_bottom_left_x : f32 or Value
        In pixels; a point of the image; -1000000 <= x <= 1000000.
    from_bottom_left_y : f32 or Value
        In pixels; a point of the image; -1000000 <= x <= 1000000.
    to_top_left_x : f32 or Value
        In pixels; the same point in the result; -1000000 <= x <= 1000000.
    to_top_left_y : f32 or Value
        In pixels; the same point in the result; -1000000 <= x <= 1000000.
    to_top_right_x : f32 or Value
        In pixels; the same point in the result; -1000000 <= x <= 1000000.
    to_top_right_y : f32 or Value
        In pixels; the same point in the result; -1000000 <= x <= 1000000.
    to_bottom_right_x : f32 or Value
        In pixels; the same point in the result; -1000000 <= x <= 1000000.
    to_bottom_right_y : f32 or Value
        In pixels; the same point in the result; -1000000 <= x <= 1000000.
    to_bottom_left_x : f32 or Value
        In pixels; the same point in the result; -1000000 <= x <= 1000000.
    to_bottom_left_y : f32 or Value
        In pixels; the same point in the result; -1000000 <= x <= 1000000.

    Returns
    -------
    moved : Value of tensor

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def photometric_distort(image: AnyArray, *, probability: float = 0.5, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def photometric_distort(image: Value, *, probability: float = 0.5) -> Value:
    """Changes brightness, contrast, saturation and hue as SSD does, each with this probability.

    Brightness changes by a factor of 0.875 to 1.125, contrast and saturation by a factor of 0.5 to 1.5, and hue by up to
    18 degrees.

    Parameters
    ----------
    image : Value of image
    probability : float, default 0.5
        0 to 1.

    Returns
    -------
    image : Value of image
    """

@overload
def posterize(image: AnyArray, bits: int | AnyArray, *, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def posterize(image: Value, bits: int | Value) -> Value:
    """Keeps only the upper bits of each pixel value.

    Parameters
    ----------
    image : Value of image
    bits : i32 or Value
        Bits to keep; 8 changes nothing; 1 <= x <= 8.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

def power(x: float | Value, y: float | Value) -> Value:
    """Raises x to the power y.

    Parameters
    ----------
    x : any number or Value
        The left side.
    y : any number or Value
        The right side.

    Returns
    -------
    result : Value of a type that follows from the arguments

    Raises
    ------
    BuildError
        If a Value has another type.
    """

@overload
def rand_augment(image: AnyArray, *, n: int = 2, magnitude: int | AnyArray = 9, bins: int = 31, ranges: str = 'torchvision', interpolation: str | None = None, fill: int | tuple[int, int, int] | None = None, excluded: tuple[str, ...] = (), seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def rand_augment(image: Value, *, n: int = 2, magnitude: int | Value = 9, bins: int = 31, ranges: str = 'torchvision', interpolation: str | None = None, fill: int | tuple[int, int, int] | None = None, excluded: tuple[str, ...] = ()) -> Value:
    """Applies n of 14 operators, drawn for each sample, with this magnitude (RandAugment).

    Parameters
    ----------
    image : Value of image
    n : int, default 2
        The number of operators to apply, one after the other.
    magnitude : int or Value of i32, default 9
        From 0 to bins - 1.
    bins : int, default 31
        The number of magnitudes.
    ranges : {'torchvision', 'dali'}, default 'torchvision'
        The library whose parameter ranges to use.
    interpolation : {'nearest', 'bilinear', 'bicubic'}, optional
        The interpolation of warps. By default that of the library.
    fill : int, or list of 3 or 4 ints, optional
        The color outside the image, 0 to 255. By default that of the library.
    excluded : list of str, optional
        Names of operators to leave out.

    Returns
    -------
    image : Value of image
    """

@overload
def randint(low: int | Value, high: int | Value) -> Value:
    """Draws a whole number uniformly from low to high - 1.

    Draws random numbers, which depend only on the seed, the epoch and the sample.

    Parameters
    ----------
    low : i32 or Value
        Smallest number; any whole number.
    high : i32 or Value
        One more than the largest number; any whole number.

    Returns
    -------
    number : Value of i32

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """
@overload
def randint(low: int | AnyArray, high: int | AnyArray, *, seed: int | None = None, generator: Any = None) -> Any: ...

@overload
def random_bbox_crop(boxes: AnyArray, labels: AnyArray, height: int | AnyArray | None = None, width: int | AnyArray | None = None, *, thresholds: float | Sequence[float] = [0.0, 0.10000000149011612, 0.30000001192092896, 0.5, 0.699999988079071, 0.8999999761581421, 1.0], min_scale: float = 0.3, max_scale: float = 1.0, min_ratio: float = 0.5, max_ratio: float = 2.0, attempts: int = 40, rounds: int = 50, size: int | AnyArray | Sequence[int | AnyArray] | None = None, ratio: Sequence[float | AnyArray] | None = None, seed: int | None = None, generator: Any = None) -> tuple[Any, Any, Any]: ...
@overload
def random_bbox_crop(boxes: Value, labels: Value, height: int | Value | None = None, width: int | Value | None = None, *, thresholds: float | Sequence[float] = [0.0, 0.10000000149011612, 0.30000001192092896, 0.5, 0.699999988079071, 0.8999999761581421, 1.0], min_scale: float = 0.3, max_scale: float = 1.0, min_ratio: float = 0.5, max_ratio: float = 2.0, attempts: int = 40, rounds: int = 50, size: int | Value | Sequence[int | Value] | None = None, ratio: Sequence[float | Value] | None = None) -> tuple[Value, Value, Value]:
    """Draws a random region that overlaps a box enough, and returns the boxes within it.

    Draws random numbers, which depend only on the seed, the epoch and the sample.

    Parameters
    ----------
    boxes : Value of tensor
    labels : Value of tensor
    height : i32 or Value
        Height of the image, in pixels; 1 <= x <= 65535.
    width : i32 or Value
        Width of the image, in pixels; 1 <= x <= 65535.
    thresholds : 7 numbers, default [0.0, 0.10000000149011612, 0.30000001192092896, 0.5, 0.699999988079071, 0.8999999761581421, 1.0]
        Least overlap of the region and a box; 1 keeps the whole image; 0 <= x <= 1.
    min_scale : f32, default 0.3
        Side of the region / side of the image; 0 < x <= 1.
    max_scale : f32, default 1.0
        Side of the region / side of the image; 0 < x <= 1.
    min_ratio : f32, default 0.5
        Width / height; 0 < x.
    max_ratio : f32, default 2.0
        Width / height; 0 < x.
    attempts : i32, default 40
        Regions drawn for each threshold; 1 <= x <= 10000.
    rounds : i32, default 50
        Thresholds drawn; 1 <= x <= 10000.
    size : (height, width), or one number for both, optional
        In place of height and width.
    ratio : (min_ratio, max_ratio), optional
        In place of min_ratio and max_ratio.

    Returns
    -------
    region : Value of rectangle
    boxes : Value of tensor
    labels : Value of tensor

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def random_crop(image: AnyArray, height: int = 224, width: int = 224, *, padding: int | Sequence[int] = 0, top: int = 0, left: int = 0, bottom: int = 0, right: int = 0, pad_if_needed: bool = False, border: str = 'constant', fill: int | tuple[int, int, int] = 0, size: int | AnyArray | Sequence[int | AnyArray] | None = None, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def random_crop(image: Value, height: int = 224, width: int = 224, *, padding: int | Sequence[int] = 0, top: int = 0, left: int = 0, bottom: int = 0, right: int = 0, pad_if_needed: bool = False, border: str = 'constant', fill: int | tuple[int, int, int] = 0, size: int | Value | Sequence[int | Value] | None = None) -> Value:
    """Cuts out a window of a fixed size at a random position.

    All positions are equally likely. Without padding, the decoder before it decodes only the window.

    Parameters
    ----------
    image : Value of image
    height, width : int, default 224
        The size of the window, in pixels. 1 to 65535.
    padding : int, or list of 2 or 4 ints, default 0
        Pixels to add. One number: all sides. Two: left and right, top and bottom. Four: left, top, right, bottom.
    top, left, bottom, right : int, default 0
        Pixels to add on one side, besides ``padding``.
    pad_if_needed : bool, default False
        If a side is shorter than the window by n pixels, adds n pixels at both ends. Needs the border 'constant'.
    border : {'constant', 'edge', 'reflect'}, default 'constant'
        The content of the padding.
    fill : int, or list of 3 or 4 ints, default 0
        The color of constant padding, 0 to 255.
    size : (height, width), or one number for both, optional
        In place of height and width.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If an argument is out of range. If the window does not fit into a padded image, its sample fails.
    """

@overload
def random_crop_region(height: int | Value, width: int | Value, crop_height: int | Value, crop_width: int | Value, top: int | Value = 0, left: int | Value = 0, bottom: int | Value = 0, right: int | Value = 0, pad_if_needed: bool = False) -> Value:
    """Draws the region that random_crop cuts from an image of this size.

    Draws random numbers, which depend only on the seed, the epoch and the sample.

    Parameters
    ----------
    height : i32 or Value
        Height of the image, in pixels; 1 <= x <= 65535.
    width : i32 or Value
        Width of the image, in pixels; 1 <= x <= 65535.
    crop_height : i32 or Value
        Height of the window; 1 <= x <= 65535.
    crop_width : i32 or Value
        Width of the window; 1 <= x <= 65535.
    top : i32 or Value, default 0
        Pixels added at the top; 0 <= x <= 65535.
    left : i32 or Value, default 0
        Pixels added on the left; 0 <= x <= 65535.
    bottom : i32 or Value, default 0
        Pixels added at the bottom; 0 <= x <= 65535.
    right : i32 or Value, default 0
        Pixels added on the right; 0 <= x <= 65535.
    pad_if_needed : bool, default False
        Adds the pixels that a side lacks at both of its ends.

    Returns
    -------
    region : Value of rectangle

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """
@overload
def random_crop_region(height: int | AnyArray, width: int | AnyArray, crop_height: int | AnyArray, crop_width: int | AnyArray, top: int | AnyArray = 0, left: int | AnyArray = 0, bottom: int | AnyArray = 0, right: int | AnyArray = 0, pad_if_needed: bool = False, *, seed: int | None = None, generator: Any = None) -> Any: ...

@overload
def random_erasing(image: AnyArray, *, probability: float = 0.5, min_area: float = 0.02, max_area: float = 0.33, min_ratio: float = 0.3, max_ratio: float = 3.3, fill: int | tuple[int, int, int] | str | AnyArray = 0, noise: float = 0.0, area: Sequence[float | AnyArray] | None = None, ratio: Sequence[float | AnyArray] | None = None, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def random_erasing(image: Value, *, probability: float = 0.5, min_area: float = 0.02, max_area: float = 0.33, min_ratio: float = 0.3, max_ratio: float = 3.3, fill: int | tuple[int, int, int] | str | Value = 0, noise: float = 0.0, area: Sequence[float | Value] | None = None, ratio: Sequence[float | Value] | None = None) -> Value:
    """Fills a random rectangle with a color or with noise, with the given probability.

    Parameters
    ----------
    image : Value of image
    probability : float, default 0.5
        The probability of erasing. 0 to 1.
    min_area, max_area : float, default 0.02 and 0.33
        The range of the rectangle's area, as a share of the image's area.
    min_ratio, max_ratio : float, default 0.3 and 3.3
        The range of the rectangle's height divided by its width.
    fill : int, list of 3 or 4 ints, Value of a tensor, 'mean' or 'random', default 0
        The color, 0 to 255. 'mean' is the mean of the image. 'random' is one color for the whole rectangle, drawn for
        each sample; the image must have 3 or 4 channels.
    noise : float, default 0
        The standard deviation of the normal noise around the color, in pixel values.
    area : (min_area, max_area), optional
        In place of min_area and max_area.
    ratio : (min_ratio, max_ratio), optional
        In place of min_ratio and max_ratio.

    Returns
    -------
    image : Value of image
    """

@overload
def random_erasing_region(image: AnyArray, *, probability: float | AnyArray = 0.5, min_area: float = 0.02, max_area: float = 0.33, min_ratio: float = 0.3, max_ratio: float = 3.3, area: Sequence[float | AnyArray] | None = None, ratio: Sequence[float | AnyArray] | None = None, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def random_erasing_region(image: Value, *, probability: float | Value = 0.5, min_area: float = 0.02, max_area: float = 0.33, min_ratio: float = 0.3, max_ratio: float = 3.3, area: Sequence[float | Value] | None = None, ratio: Sequence[float | Value] | None = None) -> Value:
    """Draws a random rectangle to erase, which may be empty.

    Draws random numbers, which depend only on the seed, the epoch and the sample.

    Parameters
    ----------
    image : Value of image
    probability : f32 or Value, default 0.5
        Probability of a nonempty rectangle; 0 <= x <= 1.
    min_area : f32, default 0.02
        Fraction of the image's area; 0 < x <= 1.
    max_area : f32, default 0.33
        Fraction of the image's area; 0 < x <= 1.
    min_ratio : f32, default 0.3
        Height / width; 0 < x.
    max_ratio : f32, default 3.3
        Height / width; 0 < x.
    area : (min_area, max_area), optional
        In place of min_area and max_area.
    ratio : (min_ratio, max_ratio), optional
        In place of min_ratio and max_ratio.

    Returns
    -------
    region : Value of rectangle

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def random_perspective(image: AnyArray, *, distortion_scale: float | AnyArray = 0.5, probability: float | AnyArray = 0.5, interpolation: Literal['nearest', 'bilinear', 'bicubic'] = 'bilinear', border: Literal['constant', 'edge'] = 'constant', fill: float | Sequence[float] | AnyArray = [0.0, 0.0, 0.0, 0.0], seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def random_perspective(image: Value, *, distortion_scale: float | Value = 0.5, probability: float | Value = 0.5, interpolation: Literal['nearest', 'bilinear', 'bicubic'] = 'bilinear', border: Literal['constant', 'edge'] = 'constant', fill: float | Sequence[float] | Value = [0.0, 0.0, 0.0, 0.0]) -> Value:
    """Moves the four corners inward by random distances, in perspective.

    Draws random numbers, which depend only on the seed, the epoch and the sample.

    Parameters
    ----------
    image : Value of image
    distortion_scale : f32 or Value, default 0.5
        Largest distance / half of the width or height; 0 <= x <= 1.
    probability : f32 or Value, default 0.5
        Probability that the image changes; 0 <= x <= 1.
    interpolation : {'nearest', 'bilinear', 'bicubic'}, default 'bilinear'
        How values between pixels are computed.
    border : {'constant', 'edge'}, default 'constant'
        Pixels without a source get the fill or the nearest pixel.
    fill : 1, 3 or 4 numbers or Value of a tensor, default [0.0, 0.0, 0.0, 0.0]
        Color for border = constant, for each channel; 0 <= x <= 255.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def random_region(image: AnyArray, *, min_area: float = 0.08, max_area: float = 1.0, min_ratio: float = 0.75, max_ratio: float = 1.3333334, area: Sequence[float | AnyArray] | None = None, ratio: Sequence[float | AnyArray] | None = None, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def random_region(image: Value, *, min_area: float = 0.08, max_area: float = 1.0, min_ratio: float = 0.75, max_ratio: float = 1.3333334, area: Sequence[float | Value] | None = None, ratio: Sequence[float | Value] | None = None) -> Value:
    """Draws a random rectangle inside the image.

    Draws random numbers, which depend only on the seed, the epoch and the sample.

    Parameters
    ----------
    image : Value of image
    min_area : f32, default 0.08
        Fraction of the image's area; 0 < x <= 1.
    max_area : f32, default 1.0
        Fraction of the image's area; 0 < x <= 1.
    min_ratio : f32, default 0.75
        Width / height; 0 < x.
    max_ratio : f32, default 1.3333334
        Width / height; 0 < x.
    area : (min_area, max_area), optional
        In place of min_area and max_area.
    ratio : (min_ratio, max_ratio), optional
        In place of min_ratio and max_ratio.

    Returns
    -------
    region : Value of rectangle

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def random_region_of_file(jpeg: AnyArray, *, min_area: float = 0.08, max_area: float = 1.0, min_ratio: float = 0.75, max_ratio: float = 1.3333334, apply_orientation: bool = True, area: Sequence[float | AnyArray] | None = None, ratio: Sequence[float | AnyArray] | None = None, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def random_region_of_file(jpeg: Value, *, min_area: float = 0.08, max_area: float = 1.0, min_ratio: float = 0.75, max_ratio: float = 1.3333334, apply_orientation: bool = True, area: Sequence[float | Value] | None = None, ratio: Sequence[float | Value] | None = None) -> Value:
    """Draws a random rectangle inside the image of a JPEG file.

    Draws random numbers, which depend only on the seed, the epoch and the sample.

    Parameters
    ----------
    jpeg : Value of bytes or byte_span
    min_area : f32, default 0.08
        Fraction of the image's area; 0 < x <= 1.
    max_area : f32, default 1.0
        Fraction of the image's area; 0 < x <= 1.
    min_ratio : f32, default 0.75
        Width / height; 0 < x.
    max_ratio : f32, default 1.3333334
        Width / height; 0 < x.
    apply_orientation : bool, default True
        Applies the EXIF orientation.
    area : (min_area, max_area), optional
        In place of min_area and max_area.
    ratio : (min_ratio, max_ratio), optional
        In place of min_ratio and max_ratio.

    Returns
    -------
    region : Value of rectangle

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def random_resized_crop(image: AnyArray, *, height: int = 224, width: int = 224, min_area: float = 0.08, max_area: float = 1.0, min_ratio: float = 0.75, max_ratio: float = 1.3333333333333333, interpolation: str = 'bilinear', antialias: bool = True, shrink: bool = False, size: int | AnyArray | Sequence[int | AnyArray] | None = None, area: Sequence[float | AnyArray] | None = None, ratio: Sequence[float | AnyArray] | None = None, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def random_resized_crop(image: Value, *, height: int = 224, width: int = 224, min_area: float = 0.08, max_area: float = 1.0, min_ratio: float = 0.75, max_ratio: float = 1.3333333333333333, interpolation: str = 'bilinear', antialias: bool = True, shrink: bool = False, size: int | Value | Sequence[int | Value] | None = None, area: Sequence[float | Value] | None = None, ratio: Sequence[float | Value] | None = None) -> Value:
    """Crops a random rectangle and resizes it; decodes only that region of a JPEG file.

    Parameters
    ----------
    image : Value of bytes or image
        A JPEG file, or an image.
    height, width : int, default 224
        The size of the result, in pixels. 1 to 65535.
    min_area, max_area : float, default 0.08 and 1
        The range of the rectangle's area, as a share of the image's area. Above 0, up to 1.
    min_ratio, max_ratio : float, default 3/4 and 4/3
        The range of the rectangle's width divided by its height. Above 0.
    interpolation : {'nearest', 'box', 'bilinear', 'hamming', 'bicubic', 'lanczos'}, default 'bilinear'
        How pixels are interpolated.
    antialias : bool, default True
        If True, all pixels contribute when the rectangle is made smaller. Otherwise only the nearest ones do.
    shrink : bool, default False
        If True, the decoder may shrink large rectangles of JPEG files. This is faster, but changes the pixels.
    size : (height, width), or one number for both, optional
        In place of height and width.
    area : (min_area, max_area), optional
        In place of min_area and max_area.
    ratio : (min_ratio, max_ratio), optional
        In place of min_ratio and max_ratio.

    Returns
    -------
    image : Value of image
    """

@overload
def reduce(data: AnyArray, operation: Literal['mean', 'min', 'max', 'standard_deviation'], *, to: Literal['i64', 'f32', 'f64'] = 'f32', seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def reduce(data: Value, operation: Literal['mean', 'min', 'max', 'standard_deviation'], *, to: Literal['i64', 'f32', 'f64'] = 'f32') -> Value:
    """Reduces all elements to one number of the type `to`.

    Parameters
    ----------
    data : Value of image or tensor
    operation : {'mean', 'min', 'max', 'standard_deviation'}
        The reduction.
    to : {'i64', 'f32', 'f64'}, default 'f32'
        Type of the number; i64 is for the min and max of integers.

    Returns
    -------
    number : Value of a type that follows from the arguments

    Raises
    ------
    BuildError
        If a Value has another type.
    """

@overload
def region_size(region: AnyArray, *, seed: int | None = None, generator: Any = None) -> tuple[Any, Any]: ...
@overload
def region_size(region: Value) -> tuple[Value, Value]:
    """Returns the size of the image that crop makes of a region.

    Parameters
    ----------
    region : Value of rectangle

    Returns
    -------
    height : Value of i32
    width : Value of i32

    Raises
    ------
    BuildError
        If a Value has another type.
    """

@overload
def relative_boxes(boxes: AnyArray, height: int | AnyArray | None = None, width: int | AnyArray | None = None, *, size: int | AnyArray | Sequence[int | AnyArray] | None = None, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def relative_boxes(boxes: Value, height: int | Value | None = None, width: int | Value | None = None, *, size: int | Value | Sequence[int | Value] | None = None) -> Value:
    """Converts boxes from pixels to fractions of width and height.

    Parameters
    ----------
    boxes : Value of tensor
    height : i32 or Value
        Height of the image, in pixels; 1 <= x <= 65535.
    width : i32 or Value
        Width of the image, in pixels; 1 <= x <= 65535.
    size : (height, width), or one number for both, optional
        In place of height and width.

    Returns
    -------
    boxes : Value of tensor

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

def remainder(x: float | Value, y: float | Value) -> Value:
    """Returns the remainder of x / y, with the sign of x.

    Parameters
    ----------
    x : any number or Value
        The left side.
    y : any number or Value
        The right side.

    Returns
    -------
    result : Value of a type that follows from the arguments

    Raises
    ------
    BuildError
        If a Value has another type.
    """

@overload
def remap(image: AnyArray, field: AnyArray, *, interpolation: Literal['nearest', 'bilinear', 'bicubic'] = 'bilinear', border: Literal['constant', 'edge'] = 'constant', fill: float | Sequence[float] | AnyArray = [0.0, 0.0, 0.0, 0.0], seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def remap(image: Value, field: Value, *, interpolation: Literal['nearest', 'bilinear', 'bicubic'] = 'bilinear', border: Literal['constant', 'edge'] = 'constant', fill: float | Sequence[float] | Value = [0.0, 0.0, 0.0, 0.0]) -> Value:
    """Deforms the image by a displacement field, such as that of elastic_field or grid_field.

    Parameters
    ----------
    image : Value of image
    field : Value of tensor
    interpolation : {'nearest', 'bilinear', 'bicubic'}, default 'bilinear'
        How values between pixels are computed.
    border : {'constant', 'edge'}, default 'constant'
        Pixels without a source get the fill or the nearest pixel.
    fill : 1, 3 or 4 numbers or Value of a tensor, default [0.0, 0.0, 0.0, 0.0]
        Color for border = constant, for each channel; 0 <= x <= 255.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def remap_boxes(boxes: AnyArray, field: AnyArray, *, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def remap_boxes(boxes: Value, field: Value) -> Value:
    """Moves boxes as remap moves their image.

    Parameters
    ----------
    boxes : Value of tensor
    field : Value of tensor

    Returns
    -------
    moved : Value of tensor

    Raises
    ------
    BuildError
        If a Value has another type.
    """

@overload
def remap_points(points: AnyArray, field: AnyArray, *, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def remap_points(points: Value, field: Value) -> Value:
    """Moves points as remap moves their image.

    Parameters
    ----------
    points : Value of tensor
    field : Value of tensor

    Returns
    -------
    moved : Value of tensor

    Raises
    ------
    BuildError
        If a Value has another type.
    """

@overload
def reshape(tensor: AnyArray, sizes: int | Sequence[int], *, layout: str = 'none', seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def reshape(tensor: Value, sizes: int | Sequence[int], *, layout: str = 'none') -> Value:
    """Returns the same elements in another shape.

    Parameters
    ----------
    tensor : Value of tensor
    sizes : list of int
        The sizes of up to 6 dimensions. One may be -1: it is computed from the others.
    layout : {'none', 'HWC', 'CHW'}, default 'none'
        The meaning of the dimensions of the result.

    Returns
    -------
    tensor : Value of tensor
    """

@overload
def resize(image: AnyArray, *, height: int | AnyArray = 0, width: int | AnyArray = 0, shorter: int | AnyArray = 0, mode: Literal['as_given', 'stretch', 'not_larger', 'not_smaller'] = 'as_given', max_size: int | AnyArray = 0, roi_start_y: float | AnyArray = 0.0, roi_start_x: float | AnyArray = 0.0, roi_end_y: float | AnyArray = 0.0, roi_end_x: float | AnyArray = 0.0, roi_relative: bool = False, interpolation: Literal['nearest', 'box', 'bilinear', 'hamming', 'bicubic', 'lanczos'] = 'bilinear', antialias: bool = True, size: Sequence[int | AnyArray] | None = None, longer: int | AnyArray | None = None, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def resize(image: Value, *, height: int | Value = 0, width: int | Value = 0, shorter: int | Value = 0, mode: Literal['as_given', 'stretch', 'not_larger', 'not_smaller'] = 'as_given', max_size: int | Value = 0, roi_start_y: float | Value = 0.0, roi_start_x: float | Value = 0.0, roi_end_y: float | Value = 0.0, roi_end_x: float | Value = 0.0, roi_relative: bool = False, interpolation: Literal['nearest', 'box', 'bilinear', 'hamming', 'bicubic', 'lanczos'] = 'bilinear', antialias: bool = True, size: Sequence[int | Value] | None = None, longer: int | Value | None = None) -> Value:
    """Resizes the image, with antialiasing by default.

    Parameters
    ----------
    image : Value of image or tensor
        A tensor has the shape (height, width, channels), with any number of channels;
        the result is a tensor of the same type.
    height : i32 or Value, optional
        In pixels; default: follows the width, rounded; 1 <= x <= 65535.
    width : i32 or Value, optional
        In pixels; default: follows the height, rounded; 1 <= x <= 65535.
    shorter : i32 or Value, optional
        The shorter side, instead of height and width; the longer one follows, rounded down; 1 <= x <= 65535.
    mode : {'as_given', 'stretch', 'not_larger', 'not_smaller'}, default 'as_given'
        As_given: height and width; stretch: a side that is not given stays; not_larger: the largest size of the same shape within them; not_smaller: the smallest around them.
    max_size : i32 or Value, optional
        Limit of both sides, in pixels; 1 <= x <= 65535.
    roi_start_y : f32 or Value, default 0.0
        Start of the region of interest; 0 <= x <= 65535.
    roi_start_x : f32 or Value, default 0.0
        Start of the region of interest; 0 <= x <= 65535.
    roi_end_y : f32 or Value, optional
        End of the region of interest; default: the bottom; 0 < x <= 65535.
    roi_end_x : f32 or Value, optional
        End of the region of interest; default: the right edge; 0 < x <= 65535.
    roi_relative : bool, default False
        Starts and ends are fractions of the sides, not pixels.
    interpolation : {'nearest', 'box', 'bilinear', 'hamming', 'bicubic', 'lanczos'}, default 'bilinear'
        How values between pixels are computed.
    antialias : bool, default True
        Averages all source pixels when downscaling, not only the nearest ones.
    size : (height, width), optional
        In place of height and width.
    longer : int or Value, optional
        The length of the longer side; the other one follows.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def resize_boxes(boxes: AnyArray, height: int | AnyArray, width: int | AnyArray, to_height: int | AnyArray, to_width: int | AnyArray, *, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def resize_boxes(boxes: Value, height: int | Value, width: int | Value, to_height: int | Value, to_width: int | Value) -> Value:
    """Moves boxes as resize moves their image.

    Parameters
    ----------
    boxes : Value of tensor
    height : i32 or Value
        Height of the image, in pixels; 1 <= x <= 65535.
    width : i32 or Value
        Width of the image, in pixels; 1 <= x <= 65535.
    to_height : i32 or Value
        Height of the resized image, in pixels; 1 <= x <= 65535.
    to_width : i32 or Value
        Width of the resized image, in pixels; 1 <= x <= 65535.

    Returns
    -------
    moved : Value of tensor

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def resize_mirror_normalize(image: AnyArray, *, height: int | AnyArray = 224, width: int | AnyArray = 224, mirror: bool | AnyArray = False, mean: float | Sequence[float] | AnyArray = [0.0, 0.0, 0.0, 0.0], std: float | Sequence[float] | AnyArray = [1.0, 1.0, 1.0, 1.0], dtype: Literal['f32', 'f16', 'bf16', 'u8', 'i8'] = 'f32', layout: Literal['CHW', 'HWC'] = 'CHW', scale: float | AnyArray = 1.0, shift: float | AnyArray = 0.0, pad_output: bool = False, interpolation: Literal['nearest', 'box', 'bilinear', 'hamming', 'bicubic', 'lanczos'] = 'bilinear', antialias: bool = True, size: int | AnyArray | Sequence[int | AnyArray] | None = None, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def resize_mirror_normalize(image: Value, *, height: int | Value = 224, width: int | Value = 224, mirror: bool | Value = False, mean: float | Sequence[float] | Value = [0.0, 0.0, 0.0, 0.0], std: float | Sequence[float] | Value = [1.0, 1.0, 1.0, 1.0], dtype: Literal['f32', 'f16', 'bf16', 'u8', 'i8'] = 'f32', layout: Literal['CHW', 'HWC'] = 'CHW', scale: float | Value = 1.0, shift: float | Value = 0.0, pad_output: bool = False, interpolation: Literal['nearest', 'box', 'bilinear', 'hamming', 'bicubic', 'lanczos'] = 'bilinear', antialias: bool = True, size: int | Value | Sequence[int | Value] | None = None) -> Value:
    """Resizes the image, optionally mirrors it, and normalizes it to a tensor.

    Parameters
    ----------
    image : Value of image
    height : i32 or Value, default 224
        Height of the result, in pixels; 1 <= x <= 65535.
    width : i32 or Value, default 224
        Width of the result, in pixels; 1 <= x <= 65535.
    mirror : bool or Value, default False
        Swaps left and right.
    mean : 1, 3 or 4 numbers or Value of a tensor, default [0.0, 0.0, 0.0, 0.0]
        Mean of each channel, in units of 0 .. 1; -1 <= x <= 1.
    std : 1, 3 or 4 numbers or Value of a tensor, default [1.0, 1.0, 1.0, 1.0]
        Standard deviation of each channel; 0 <= x <= 1.
    dtype : {'f32', 'f16', 'bf16', 'u8', 'i8'}, default 'f32'
        Type of the tensor; integers are rounded and clipped.
    layout : {'CHW', 'HWC'}, default 'CHW'
        Layout of the tensor.
    scale : f32 or Value, default 1.0
        Multiplies the normalized values; any finite number.
    shift : f32 or Value, default 0.0
        Added last; any finite number.
    pad_output : bool, default False
        Adds a fourth channel of zeros to three.
    interpolation : {'nearest', 'box', 'bilinear', 'hamming', 'bicubic', 'lanczos'}, default 'bilinear'
        How values between pixels are computed.
    antialias : bool, default True
        Averages all source pixels when downscaling, not only the nearest ones.
    size : (height, width), or one number for both, optional
        In place of height and width.

    Returns
    -------
    tensor : Value of tensor

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def resize_points(points: AnyArray, height: int | AnyArray, width: int | AnyArray, to_height: int | AnyArray, to_width: int | AnyArray, *, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def resize_points(points: Value, height: int | Value, width: int | Value, to_height: int | Value, to_width: int | Value) -> Value:
    """Moves points as resize moves their image.

    Parameters
    ----------
    points : Value of tensor
    height : i32 or Value
        Height of the image, in pixels; 1 <= x <= 65535.
    width : i32 or Value
        Width of the image, in pixels; 1 <= x <= 65535.
    to_height : i32 or Value
        Height of the resized image, in pixels; 1 <= x <= 65535.
    to_width : i32 or Value
        Width of the resized image, in pixels; 1 <= x <= 65535.

    Returns
    -------
    moved : Value of tensor

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def rgb_shift(image: AnyArray, *, red: float | AnyArray = 0.0, green: float | AnyArray = 0.0, blue: float | AnyArray = 0.0, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def rgb_shift(image: Value, *, red: float | Value = 0.0, green: float | Value = 0.0, blue: float | Value = 0.0) -> Value:
    """Adds a number to each color channel.

    Parameters
    ----------
    image : Value of image
    red : f32 or Value, default 0.0
        Added to the first channel; any finite number.
    green : f32 or Value, default 0.0
        Added to the second channel; any finite number.
    blue : f32 or Value, default 0.0
        Added to the third channel; any finite number.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def rot90(image: AnyArray, turns: int | AnyArray, *, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def rot90(image: Value, turns: int | Value) -> Value:
    """Turns the image by multiples of 90 degrees.

    Parameters
    ----------
    image : Value of image
    turns : i32 or Value
        Quarter turns counter-clockwise; negative ones turn clockwise; any whole number.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def rot90_boxes(boxes: AnyArray, height: int | AnyArray, width: int | AnyArray, turns: int | AnyArray, *, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def rot90_boxes(boxes: Value, height: int | Value, width: int | Value, turns: int | Value) -> Value:
    """Moves boxes as rot90 moves their image.

    Parameters
    ----------
    boxes : Value of tensor
    height : i32 or Value
        Height of the image, in pixels; 1 <= x <= 65535.
    width : i32 or Value
        Width of the image, in pixels; 1 <= x <= 65535.
    turns : i32 or Value
        Quarter turns counter-clockwise; negative ones turn clockwise; any whole number.

    Returns
    -------
    moved : Value of tensor

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def rot90_points(points: AnyArray, height: int | AnyArray, width: int | AnyArray, turns: int | AnyArray, *, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def rot90_points(points: Value, height: int | Value, width: int | Value, turns: int | Value) -> Value:
    """Moves points as rot90 moves their image.

    Parameters
    ----------
    points : Value of tensor
    height : i32 or Value
        Height of the image, in pixels; 1 <= x <= 65535.
    width : i32 or Value
        Width of the image, in pixels; 1 <= x <= 65535.
    turns : i32 or Value
        Quarter turns counter-clockwise; negative ones turn clockwise; any whole number.

    Returns
    -------
    moved : Value of tensor

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def rotate(image: AnyArray, degrees: float | AnyArray, *, keep_size: bool = False, fill: float | Sequence[float] | AnyArray = [0.0, 0.0, 0.0, 0.0], interpolation: Literal['nearest', 'bilinear', 'bicubic'] = 'bilinear', border: Literal['constant', 'edge'] = 'constant', seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def rotate(image: Value, degrees: float | Value, *, keep_size: bool = False, fill: float | Sequence[float] | Value = [0.0, 0.0, 0.0, 0.0], interpolation: Literal['nearest', 'bilinear', 'bicubic'] = 'bilinear', border: Literal['constant', 'edge'] = 'constant') -> Value:
    """Rotates the image counter-clockwise about its center.

    Parameters
    ----------
    image : Value of image or tensor
        A tensor has the shape (height, width, channels), with any number of channels;
        the result is a tensor of the same type, and `fill` is one number, and there is no `border`.
    degrees : f32 or Value
        Counter-clockwise; any finite number.
    keep_size : bool, default False
        If false, the image grows to hold all of it.
    fill : 1, 3 or 4 numbers or Value of a tensor, default [0.0, 0.0, 0.0, 0.0]
        Color for border = constant, for each channel; 0 <= x <= 255.
    interpolation : {'nearest', 'bilinear', 'bicubic'}, default 'bilinear'
        How values between pixels are computed.
    border : {'constant', 'edge'}, default 'constant'
        Pixels without a source get the fill or the nearest pixel.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def rotate_boxes(boxes: AnyArray, height: int | AnyArray, width: int | AnyArray, degrees: float | AnyArray, *, keep_size: bool = False, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def rotate_boxes(boxes: Value, height: int | Value, width: int | Value, degrees: float | Value, *, keep_size: bool = False) -> Value:
    """Moves boxes as rotate moves their image.

    Parameters
    ----------
    boxes : Value of tensor
    height : i32 or Value
        Height of the image, in pixels; 1 <= x <= 65535.
    width : i32 or Value
        Width of the image, in pixels; 1 <= x <= 65535.
    degrees : f32 or Value
        Counter-clockwise; any finite number.
    keep_size : bool, default False
        If false, the image grows to hold all of it.

    Returns
    -------
    moved : Value of tensor

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def rotate_points(points: AnyArray, height: int | AnyArray, width: int | AnyArray, degrees: float | AnyArray, *, keep_size: bool = False, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def rotate_points(points: Value, height: int | Value, width: int | Value, degrees: float | Value, *, keep_size: bool = False) -> Value:
    """Moves points as rotate moves their image.

    Parameters
    ----------
    points : Value of tensor
    height : i32 or Value
        Height of the image, in pixels; 1 <= x <= 65535.
    width : i32 or Value
        Width of the image, in pixels; 1 <= x <= 65535.
    degrees : f32 or Value
        Counter-clockwise; any finite number.
    keep_size : bool, default False
        If false, the image grows to hold all of it.

    Returns
    -------
    moved : Value of tensor

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def rows_of(numbers: AnyArray, columns: int, *, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def rows_of(numbers: Value, columns: int) -> Value:
    """Converts a list of numbers to a tensor with rows, such as boxes or points.

    Parameters
    ----------
    numbers : Value of list of f32
    columns : i32
        Numbers per row; 1 <= x <= 65535.

    Returns
    -------
    rows : Value of tensor

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def salt_and_pepper_noise(image: AnyArray, *, probability: float | AnyArray = 0.05, salt_share: float | AnyArray = 0.5, per_channel: bool | AnyArray = False, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def salt_and_pepper_noise(image: Value, *, probability: float | Value = 0.05, salt_share: float | Value = 0.5, per_channel: bool | Value = False) -> Value:
    """Turns random pixels white or black.

    Draws random numbers, which depend only on the seed, the epoch and the sample.

    Parameters
    ----------
    image : Value of image
    probability : f32 or Value, default 0.05
        Probability that a pixel changes; 0 <= x <= 1.
    salt_share : f32 or Value, default 0.5
        Fraction of changed pixels that turn white; 0 <= x <= 1.
    per_channel : bool or Value, default False
        Draws for each channel of a pixel on its own.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def saturation(image: AnyArray, factor: float | AnyArray, *, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def saturation(image: Value, factor: float | Value) -> Value:
    """Adjusts color saturation.

    Parameters
    ----------
    image : Value of image
    factor : f32 or Value
        0 makes the image gray, 1 changes nothing; 0 <= x.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

def scaled_region(height: int | Value, width: int | Value, window_height: int | Value, window_width: int | Value, scale: float | Value = 1.0, y: float | Value = 0.5, x: float | Value = 0.5) -> tuple[Value, Value, Value]:
    """Returns the source region and the resized size for a crop of a resized image.

    Parameters
    ----------
    height : i32 or Value
        Height of the image, in pixels; 1 <= x <= 65535.
    width : i32 or Value
        Width of the image, in pixels; 1 <= x <= 65535.
    window_height : i32 or Value
        Height of the window, in pixels of the scaled image; 1 <= x.
    window_width : i32 or Value
        Width of the window, in pixels of the scaled image; 1 <= x.
    scale : f32 or Value, default 1.0
        Scale factor of both sides; 0 < x.
    y : f32 or Value, default 0.5
        Fraction of the free rows above; 0 <= x <= 1.
    x : f32 or Value, default 0.5
        Fraction of the free columns on the left; 0 <= x <= 1.

    Returns
    -------
    region : Value of rectangle
    resized_height : Value of i32
    resized_width : Value of i32

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def segmentation_augment(jpeg: AnyArray, mask: AnyArray, *, height: int = 512, width: int = 512, min_scale: float = 0.5, max_scale: float = 2.0, fill: int | tuple[int, int, int] = (124, 116, 104), ignored: int = 255, mirror_probability: float = 0.5, color_probability: float = 0.5, size: int | AnyArray | Sequence[int | AnyArray] | None = None, seed: int | None = None, generator: Any = None) -> tuple[Any, Any]: ...
@overload
def segmentation_augment(jpeg: Value, mask: Value, *, height: int = 512, width: int = 512, min_scale: float = 0.5, max_scale: float = 2.0, fill: int | tuple[int, int, int] = (124, 116, 104), ignored: int = 255, mirror_probability: float = 0.5, color_probability: float = 0.5, size: int | Value | Sequence[int | Value] | None = None) -> tuple[Value, Value]:
    """Scales an image and its mask, and cuts out a random window.

    Both are scaled by the same factor, padded if too small, cropped, and flipped together. The colors of the image change.
    Pixel values of the mask are copied, never blended.

    Parameters
    ----------
    jpeg : Value of bytes
    mask : Value of image
        One channel, and the size of the image. Decode it with ``ops.decode_image(file, ids=True)``.
    height, width : int, default 512
        The size of the result, in pixels.
    min_scale, max_scale : float, default 0.5 and 2
        The range of the scale factor.
    fill : int, or list of 3 or 4 ints, default (124, 116, 104)
        The color of the image's padding.
    ignored : int, default 255
        The pixel value of the mask's padding, 0 to 255.
    mirror_probability : float, default 0.5
    color_probability : float, default 0.5
        The probability of each of the four changes of :func:`photometric_distort`.
    size : (height, width), or one number for both, optional
        In place of height and width.

    Returns
    -------
    image, mask : Value of image
    """

@overload
def sharpness(image: AnyArray, factor: float | AnyArray, *, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def sharpness(image: Value, factor: float | Value) -> Value:
    """Sharpens or smooths the image; border pixels stay unchanged.

    Parameters
    ----------
    image : Value of image
    factor : f32 or Value
        0 smooths, 1 changes nothing, 2 sharpens; 0 <= x <= 100.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def shear(image: AnyArray, *, y: float | AnyArray = 0.0, x: float | AnyArray = 0.0, center_y: float | AnyArray = 0.0, center_x: float | AnyArray = 0.0, interpolation: Literal['nearest', 'bilinear', 'bicubic'] = 'bilinear', border: Literal['constant', 'edge'] = 'constant', fill: float | Sequence[float] | AnyArray = [0.0, 0.0, 0.0, 0.0], seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def shear(image: Value, *, y: float | Value = 0.0, x: float | Value = 0.0, center_y: float | Value = 0.0, center_x: float | Value = 0.0, interpolation: Literal['nearest', 'bilinear', 'bicubic'] = 'bilinear', border: Literal['constant', 'edge'] = 'constant', fill: float | Sequence[float] | Value = [0.0, 0.0, 0.0, 0.0]) -> Value:
    """Shears the image along x, y or both.

    Parameters
    ----------
    image : Value of image
    y : f32 or Value, default 0.0
        Pixels down, for each column to the right; -1000 <= x <= 1000.
    x : f32 or Value, default 0.0
        Pixels to the right, for each row down; -1000 <= x <= 1000.
    center_y : f32 or Value, default 0.0
        Fixed point, as a fraction of the height; -10 <= x <= 10.
    center_x : f32 or Value, default 0.0
        Fixed point, as a fraction of the width; -10 <= x <= 10.
    interpolation : {'nearest', 'bilinear', 'bicubic'}, default 'bilinear'
        How values between pixels are computed.
    border : {'constant', 'edge'}, default 'constant'
        Pixels without a source get the fill or the nearest pixel.
    fill : 1, 3 or 4 numbers or Value of a tensor, default [0.0, 0.0, 0.0, 0.0]
        Color for border = constant, for each channel; 0 <= x <= 255.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def shear_boxes(boxes: AnyArray, height: int | AnyArray | None = None, width: int | AnyArray | None = None, *, y: float | AnyArray = 0.0, x: float | AnyArray = 0.0, center_y: float | AnyArray = 0.0, center_x: float | AnyArray = 0.0, size: int | AnyArray | Sequence[int | AnyArray] | None = None, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def shear_boxes(boxes: Value, height: int | Value | None = None, width: int | Value | None = None, *, y: float | Value = 0.0, x: float | Value = 0.0, center_y: float | Value = 0.0, center_x: float | Value = 0.0, size: int | Value | Sequence[int | Value] | None = None) -> Value:
    """Moves boxes as shear moves their image.

    Parameters
    ----------
    boxes : Value of tensor
    height : i32 or Value
        Height of the image, in pixels; 1 <= x <= 65535.
    width : i32 or Value
        Width of the image, in pixels; 1 <= x <= 65535.
    y : f32 or Value, default 0.0
        Pixels down for each column to the right; -1000 <= x <= 1000.
    x : f32 or Value, default 0.0
        Pixels to the right for each row down; -1000 <= x <= 1000.
    center_y : f32 or Value, default 0.0
        Fixed point, as a fraction of the height; -10 <= x <= 10.
    center_x : f32 or Value, default 0.0
        Fixed point, as a fraction of the width; -10 <= x <= 10.
    size : (height, width), or one number for both, optional
        In place of height and width.

    Returns
    -------
    moved : Value of tensor

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def shear_points(points: AnyArray, height: int | AnyArray | None = None, width: int | AnyArray | None = None, *, y: float | AnyArray = 0.0, x: float | AnyArray = 0.0, center_y: float | AnyArray = 0.0, center_x: float | AnyArray = 0.0, size: int | AnyArray | Sequence[int | AnyArray] | None = None, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def shear_points(points: Value, height: int | Value | None = None, width: int | Value | None = None, *, y: float | Value = 0.0, x: float | Value = 0.0, center_y: float | Value = 0.0, center_x: float | Value = 0.0, size: int | Value | Sequence[int | Value] | None = None) -> Value:
    """Moves points as shear moves their image.

    Parameters
    ----------
    points : Value of tensor
    height : i32 or Value
        Height of the image, in pixels; 1 <= x <= 65535.
    width : i32 or Value
        Width of the image, in pixels; 1 <= x <= 65535.
    y : f32 or Value, default 0.0
        Pixels down for each column to the right; -1000 <= x <= 1000.
    x : f32 or Value, default 0.0
        Pixels to the right for each row down; -1000 <= x <= 1000.
    center_y : f32 or Value, default 0.0
        Fixed point, as a fraction of the height; -10 <= x <= 10.
    center_x : f32 or Value, default 0.0
        Fixed point, as a fraction of the width; -10 <= x <= 10.
    size : (height, width), or one number for both, optional
        In place of height and width.

    Returns
    -------
    moved : Value of tensor

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def shot_noise(image: AnyArray, factor: float | AnyArray, *, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def shot_noise(image: Value, factor: float | Value) -> Value:
    """Replaces each pixel value v with factor times a Poisson number of mean v / factor.

    Draws random numbers, which depend only on the seed, the epoch and the sample.

    Parameters
    ----------
    image : Value of image
    factor : f32 or Value
        0 changes nothing; 0 <= x <= 100.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def sim_clr(jpeg: AnyArray, *, height: int = 224, width: int = 224, min_area: float = 0.08, color_strength: float = 1.0, color_probability: float = 0.8, gray_probability: float = 0.2, blur_probability: float = 0.5, size: int | AnyArray | Sequence[int | AnyArray] | None = None, seed: int | None = None, generator: Any = None) -> tuple[Any, Any]: ...
@overload
def sim_clr(jpeg: Value, *, height: int = 224, width: int = 224, min_area: float = 0.08, color_strength: float = 1.0, color_probability: float = 0.8, gray_probability: float = 0.2, blur_probability: float = 0.5, size: int | Value | Sequence[int | Value] | None = None) -> tuple[Value, Value]:
    """Makes SimCLR's two views from one decode of a JPEG file.

    Each view is a random region, resized, and flipped with probability 0.5. Its colors change, it becomes gray, and it is
    blurred, each with its probability.

    Parameters
    ----------
    jpeg : Value of bytes
    height, width : int, default 224
        The size of a view, in pixels.
    min_area : float, default 0.08
        The least area of a region, as a share of the image's area.
    color_strength : float, default 1
        0 to 1. With 1, brightness, contrast and saturation change by up to 0.8, and the hue by up to 72 degrees.
    color_probability, gray_probability, blur_probability : float, default 0.8, 0.2 and 0.5
    size : (height, width), or one number for both, optional
        In place of height and width.

    Returns
    -------
    first, second : Value of image
    """

@overload
def slice_tensor(tensor: AnyArray, *, axis: int | Sequence[int] = 0, start: int | AnyArray | Sequence[int | AnyArray] = 0, length: int | AnyArray | Sequence[int | AnyArray] = -1, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def slice_tensor(tensor: Value, *, axis: int | Sequence[int] = 0, start: int | Value | Sequence[int | Value] = 0, length: int | Value | Sequence[int | Value] = -1) -> Value:
    """Cuts a part out of a tensor along one or more axes.

    Parameters
    ----------
    tensor : Value of tensor
    axis : int, or a list of them, default 0
        From 0, or from -1, the last one, backward.
    start : int or Value, or a list of them, default 0
        The first element, from 0. A list has one number for each axis.
    length : int or Value, or a list of them, default -1
        The number of elements. -1 takes the rest.

    Returns
    -------
    tensor : Value of tensor

    Raises
    ------
    BuildError
        If the lists have different lengths. If the elements are not in the tensor, its sample fails.
    """

@overload
def solarize(image: AnyArray, *, threshold: float | AnyArray = 128.0, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def solarize(image: Value, *, threshold: float | Value = 128.0) -> Value:
    """Inverts pixel values from a threshold on.

    Parameters
    ----------
    image : Value of image
    threshold : f32 or Value, default 128.0
        0 inverts all values, 256 none; 0 <= x <= 256.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def sqrt(x: AnyArray, *, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def sqrt(x: Value) -> Value:
    """Returns the square root of a number, or of each element of a tensor or image.

    Parameters
    ----------
    x : Value of a number, tensor or image

    Returns
    -------
    result : Value
        NaN for a negative number. The result of whole numbers is f32.
    """

@overload
def stack(list: AnyArray | Sequence[AnyArray], length: int | AnyArray | None = None, *, reverse: bool = False, name: str = 'list', axis: int = 0, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def stack(list: Value | Sequence[Value], length: int | Value | None = None, *, reverse: bool = False, name: str = 'list', axis: int = 0) -> Value:
    """Stacks tensors or images of one shape along a new axis.

    Parameters
    ----------
    list : Value of a list of tensors or of images, or a list of Values
    length : int or Value, optional
        The size of the new dimension. Zeros fill up a shorter list. A longer list fails its sample. By default the length
        of a list of Values; a Value of a list has none.
    reverse : bool, default False
        If True, the last element comes first.
    name : str, default 'list'
        The name of the list in errors.
    axis : int, default 0
        The place of the new dimension, from 0.

    Returns
    -------
    tensor : Value of tensor
    """

@overload
def standard_deviation(data: AnyArray, *, axis: int | Sequence[int] | None = None, keepdims: bool = False, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def standard_deviation(data: Value, *, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Value:
    """Returns the population standard deviation of all elements.

    Parameters
    ----------
    data : Value of image or tensor
    axis : int or list of int, optional
        The axes along which to reduce; -1 is the last one. With `axis`, the result is a tensor;
        its elements are f64 for f64, else f32.
    keepdims : bool, default False
        The reduced axes stay, with size 1. Needs `axis`.

    Returns
    -------
    number : Value of f32

    Raises
    ------
    BuildError
        If a Value has another type.
    """

def subtract(x: float | Value, y: float | Value) -> Value:
    """Subtracts y from x.

    Parameters
    ----------
    x : any number or Value
        The left side.
    y : any number or Value
        The right side.

    Returns
    -------
    result : Value of a type that follows from the arguments

    Raises
    ------
    BuildError
        If a Value has another type.
    """

@overload
def sum(data: AnyArray, *, to: Literal['i64', 'f32', 'f64'] = 'i64', axis: int | Sequence[int] | None = None, keepdims: bool = False, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def sum(data: Value, *, to: Literal['i64', 'f32', 'f64'] = 'i64', axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Value:
    """Returns the sum of all pixel values or elements.

    Parameters
    ----------
    data : Value of image or tensor
    to : {'i64', 'f32', 'f64'}, default 'i64'
        Type of the sum; f32 or f64 for fractions.
    axis : int or list of int, optional
        The axes along which to reduce; -1 is the last one. With `axis`, the result is a tensor;
        its elements are i64 for whole numbers, f64 for f64, else f32.
    keepdims : bool, default False
        The reduced axes stay, with size 1. Needs `axis`.

    Returns
    -------
    number : Value of a type that follows from the arguments

    Raises
    ------
    BuildError
        If a Value has another type.
    """

@overload
def take_rows(tensor: AnyArray, boxes: AnyArray, rows: AnyArray, *, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def take_rows(tensor: Value, boxes: Value, rows: Value) -> Value:
    """Selects rows of a tensor with one row per box, such as labels.

    Parameters
    ----------
    tensor : Value of tensor
        One row for each of `boxes`, such as their labels.
    boxes : Value of tensor
        The boxes that filter_boxes was given, not those that it returns.
    rows : Value of tensor
        The rows to take: the second result of filter_boxes.

    Returns
    -------
    tensor : Value of tensor

    Raises
    ------
    BuildError
        If a Value has another type.
    """

@overload
def to_image(tensor: AnyArray, *, white: float | AnyArray = 0.0, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def to_image(tensor: Value, *, white: float | Value = 0.0) -> Value:
    """Converts a tensor to an image: rounds numbers and clips them to 0 .. 255.

    Parameters
    ----------
    tensor : Value of tensor
    white : f32 or Value, optional
        The number for white; default: 255, which fails if all fractions are 1 or below; 0 < x.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def to_tensor(image: AnyArray, *, dtype: Any = 'f32', layout: str = 'CHW', seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def to_tensor(image: Value, *, dtype: Any = 'f32', layout: str = 'CHW') -> Value:
    """Converts an image to a tensor.

    Parameters
    ----------
    image : Value of image
    dtype : {'f32', 'f16', 'bf16', 'u8'}, default 'f32'
        Pixels become 0 to 1, but stay 0 to 255 as 'u8'.
    layout : {'CHW', 'HWC'}, default 'CHW'

    Returns
    -------
    tensor : Value of tensor
    """

@overload
def translate(image: AnyArray, *, y: float | AnyArray = 0.0, x: float | AnyArray = 0.0, relative: bool = False, whole_pixels: bool = False, interpolation: Literal['nearest', 'bilinear', 'bicubic'] = 'bilinear', border: Literal['constant', 'edge'] = 'constant', fill: float | Sequence[float] | AnyArray = [0.0, 0.0, 0.0, 0.0], seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def translate(image: Value, *, y: float | Value = 0.0, x: float | Value = 0.0, relative: bool = False, whole_pixels: bool = False, interpolation: Literal['nearest', 'bilinear', 'bicubic'] = 'bilinear', border: Literal['constant', 'edge'] = 'constant', fill: float | Sequence[float] | Value = [0.0, 0.0, 0.0, 0.0]) -> Value:
    """Shifts the image by (x, y); the size stays the same.

    Parameters
    ----------
    image : Value of image
    y : f32 or Value, default 0.0
        Down, in pixels; -65535 <= x <= 65535.
    x : f32 or Value, default 0.0
        To the right, in pixels; -65535 <= x <= 65535.
    relative : bool, default False
        Y and x are fractions of height and width, not pixels.
    whole_pixels : bool, default False
        Distances are rounded toward zero.
    interpolation : {'nearest', 'bilinear', 'bicubic'}, default 'bilinear'
        How values between pixels are computed.
    border : {'constant', 'edge'}, default 'constant'
        Pixels without a source get the fill or the nearest pixel.
    fill : 1, 3 or 4 numbers or Value of a tensor, default [0.0, 0.0, 0.0, 0.0]
        Color for border = constant, for each channel; 0 <= x <= 255.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def translate_boxes(boxes: AnyArray, height: int | AnyArray | None = None, width: int | AnyArray | None = None, *, y: float | AnyArray = 0.0, x: float | AnyArray = 0.0, relative: bool = False, whole_pixels: bool = False, size: int | AnyArray | Sequence[int | AnyArray] | None = None, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def translate_boxes(boxes: Value, height: int | Value | None = None, width: int | Value | None = None, *, y: float | Value = 0.0, x: float | Value = 0.0, relative: bool = False, whole_pixels: bool = False, size: int | Value | Sequence[int | Value] | None = None) -> Value:
    """Moves boxes as translate moves their image.

    Parameters
    ----------
    boxes : Value of tensor
    height : i32 or Value
        Height of the image, in pixels; 1 <= x <= 65535.
    width : i32 or Value
        Width of the image, in pixels; 1 <= x <= 65535.
    y : f32 or Value, default 0.0
        Down, in pixels; -65535 <= x <= 65535.
    x : f32 or Value, default 0.0
        To the right, in pixels; -65535 <= x <= 65535.
    relative : bool, default False
        Y and x are fractions of the size, not pixels.
    whole_pixels : bool, default False
        Distances are rounded toward zero.
    size : (height, width), or one number for both, optional
        In place of height and width.

    Returns
    -------
    moved : Value of tensor

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def translate_points(points: AnyArray, height: int | AnyArray | None = None, width: int | AnyArray | None = None, *, y: float | AnyArray = 0.0, x: float | AnyArray = 0.0, relative: bool = False, whole_pixels: bool = False, size: int | AnyArray | Sequence[int | AnyArray] | None = None, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def translate_points(points: Value, height: int | Value | None = None, width: int | Value | None = None, *, y: float | Value = 0.0, x: float | Value = 0.0, relative: bool = False, whole_pixels: bool = False, size: int | Value | Sequence[int | Value] | None = None) -> Value:
    """Moves points as translate moves their image.

    Parameters
    ----------
    points : Value of tensor
    height : i32 or Value
        Height of the image, in pixels; 1 <= x <= 65535.
    width : i32 or Value
        Width of the image, in pixels; 1 <= x <= 65535.
    y : f32 or Value, default 0.0
        Down, in pixels; -65535 <= x <= 65535.
    x : f32 or Value, default 0.0
        To the right, in pixels; -65535 <= x <= 65535.
    relative : bool, default False
        Y and x are fractions of the size, not pixels.
    whole_pixels : bool, default False
        Distances are rounded toward zero.
    size : (height, width), or one number for both, optional
        In place of height and width.

    Returns
    -------
    moved : Value of tensor

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def transpose_boxes(boxes: AnyArray, *, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def transpose_boxes(boxes: Value) -> Value:
    """Moves boxes as transpose moves their image.

    Parameters
    ----------
    boxes : Value of tensor

    Returns
    -------
    moved : Value of tensor

    Raises
    ------
    BuildError
        If a Value has another type.
    """

@overload
def transpose_image(image: AnyArray, *, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def transpose_image(image: Value) -> Value:
    """Swaps rows and columns.

    Parameters
    ----------
    image : Value of image

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a Value has another type.
    """

@overload
def transpose_points(points: AnyArray, *, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def transpose_points(points: Value) -> Value:
    """Moves points as transpose moves their image.

    Parameters
    ----------
    points : Value of tensor

    Returns
    -------
    moved : Value of tensor

    Raises
    ------
    BuildError
        If a Value has another type.
    """

@overload
def trivial_augment_wide(image: AnyArray, *, bins: int = 31, ranges: str = 'torchvision', interpolation: str | None = None, fill: int | tuple[int, int, int] | None = None, excluded: tuple[str, ...] = (), seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def trivial_augment_wide(image: Value, *, bins: int = 31, ranges: str = 'torchvision', interpolation: str | None = None, fill: int | tuple[int, int, int] | None = None, excluded: tuple[str, ...] = ()) -> Value:
    """Applies one of 14 operators with any magnitude, both drawn per sample (TrivialAugmentWide).

    Parameters
    ----------
    image : Value of image
    bins : int, default 31
        The number of magnitudes.
    ranges, interpolation, fill, excluded
        As in :func:`rand_augment`.

    Returns
    -------
    image : Value of image
    """

@overload
def uniform(lo: float | Value | None = None, hi: float | Value | None = None, *, range: Sequence[float | Value] | None = None) -> Value:
    """Draws a number uniformly from [lo, hi), or lo if they are equal.

    Draws random numbers, which depend only on the seed, the epoch and the sample.

    Parameters
    ----------
    lo : f32 or Value
        Lower bound, included; any finite number.
    hi : f32 or Value
        Upper bound, excluded; any finite number.
    range : (lo, hi), optional
        In place of lo and hi.

    Returns
    -------
    number : Value of f32

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """
@overload
def uniform(lo: float | AnyArray | None = None, hi: float | AnyArray | None = None, *, range: Sequence[float | AnyArray] | None = None, seed: int | None = None, generator: Any = None) -> Any: ...

@overload
def warp_affine(image: AnyArray, *, xx: float | AnyArray = 1.0, xy: float | AnyArray = 0.0, x0: float | AnyArray = 0.0, yx: float | AnyArray = 0.0, yy: float | AnyArray = 1.0, y0: float | AnyArray = 0.0, height: int | AnyArray = 0, width: int | AnyArray = 0, inverse_map: bool = True, interpolation: Literal['nearest', 'bilinear', 'bicubic'] = 'bilinear', border: Literal['constant', 'edge'] = 'constant', fill: float | Sequence[float] | AnyArray = [0.0, 0.0, 0.0, 0.0], size: int | AnyArray | Sequence[int | AnyArray] | None = None, matrix: Sequence[Sequence[float | AnyArray]] | None = None, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def warp_affine(image: Value, *, xx: float | Value = 1.0, xy: float | Value = 0.0, x0: float | Value = 0.0, yx: float | Value = 0.0, yy: float | Value = 1.0, y0: float | Value = 0.0, height: int | Value = 0, width: int | Value = 0, inverse_map: bool = True, interpolation: Literal['nearest', 'bilinear', 'bicubic'] = 'bilinear', border: Literal['constant', 'edge'] = 'constant', fill: float | Sequence[float] | Value = [0.0, 0.0, 0.0, 0.0], size: int | Value | Sequence[int | Value] | None = None, matrix: Sequence[Sequence[float | Value]] | None = None) -> Value:
    """Warps the image by a 2 x 3 affine matrix.

    Parameters
    ----------
    image : Value of image
    xx : f32 or Value, default 1.0
        Factor of x in the mapped x; any finite number.
    xy : f32 or Value, default 0.0
        Factor of y in the mapped x; any finite number.
    x0 : f32 or Value, default 0.0
        Constant of the mapped x; any finite number.
    yx : f32 or Value, default 0.0
        Factor of x in the mapped y; any finite number.
    yy : f32 or Value, default 1.0
        Factor of y in the mapped y; any finite number.
    y0 : f32 or Value, default 0.0
        Constant of the mapped y; any finite number.
    height : i32 or Value, optional
        Side of the result, in pixels; default: the input's; 1 <= x <= 65535.
    width : i32 or Value, optional
        Side of the result, in pixels; default: the input's; 1 <= x <= 65535.
    inverse_map : bool, default True
        True: the matrix maps output to source; false: source to output.
    interpolation : {'nearest', 'bilinear', 'bicubic'}, default 'bilinear'
        How values between pixels are computed.
    border : {'constant', 'edge'}, default 'constant'
        Pixels without a source get the fill or the nearest pixel.
    fill : 1, 3 or 4 numbers or Value of a tensor, default [0.0, 0.0, 0.0, 0.0]
        Color for border = constant, for each channel; 0 <= x <= 255.
    size : (height, width), or one number for both, optional
        In place of height and width.
    matrix : 2 lists of 3 numbers, optional
        In place of xx, xy, x0, yx, yy and y0.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def warp_affine_boxes(boxes: AnyArray, *, xx: float | AnyArray = 1.0, xy: float | AnyArray = 0.0, x0: float | AnyArray = 0.0, yx: float | AnyArray = 0.0, yy: float | AnyArray = 1.0, y0: float | AnyArray = 0.0, inverse_map: bool = True, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def warp_affine_boxes(boxes: Value, *, xx: float | Value = 1.0, xy: float | Value = 0.0, x0: float | Value = 0.0, yx: float | Value = 0.0, yy: float | Value = 1.0, y0: float | Value = 0.0, inverse_map: bool = True) -> Value:
    """Moves boxes as warp_affine moves their image.

    Parameters
    ----------
    boxes : Value of tensor
    xx : f32 or Value, default 1.0
        Factor of x in the mapped x; any finite number.
    xy : f32 or Value, default 0.0
        Factor of y in the mapped x; any finite number.
    x0 : f32 or Value, default 0.0
        Constant of the mapped x; any finite number.
    yx : f32 or Value, default 0.0
        Factor of x in the mapped y; any finite number.
    yy : f32 or Value, default 1.0
        Factor of y in the mapped y; any finite number.
    y0 : f32 or Value, default 0.0
        Constant of the mapped y; any finite number.
    inverse_map : bool, default True
        True: the matrix maps output to source, as in warp_affine; false: source to output.

    Returns
    -------
    moved : Value of tensor

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def warp_affine_points(points: AnyArray, *, xx: float | AnyArray = 1.0, xy: float | AnyArray = 0.0, x0: float | AnyArray = 0.0, yx: float | AnyArray = 0.0, yy: float | AnyArray = 1.0, y0: float | AnyArray = 0.0, inverse_map: bool = True, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def warp_affine_points(points: Value, *, xx: float | Value = 1.0, xy: float | Value = 0.0, x0: float | Value = 0.0, yx: float | Value = 0.0, yy: float | Value = 1.0, y0: float | Value = 0.0, inverse_map: bool = True) -> Value:
    """Moves points as warp_affine moves their image.

    Parameters
    ----------
    points : Value of tensor
    xx : f32 or Value, default 1.0
        Factor of x in the mapped x; any finite number.
    xy : f32 or Value, default 0.0
        Factor of y in the mapped x; any finite number.
    x0 : f32 or Value, default 0.0
        Constant of the mapped x; any finite number.
    yx : f32 or Value, default 0.0
        Factor of x in the mapped y; any finite number.
    yy : f32 or Value, default 1.0
        Factor of y in the mapped y; any finite number.
    y0 : f32 or Value, default 0.0
        Constant of the mapped y; any finite number.
    inverse_map : bool, default True
        True: the matrix maps output to source, as in warp_affine; false: source to output.

    Returns
    -------
    moved : Value of tensor

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def warp_perspective(image: AnyArray, *, xx: float | AnyArray = 1.0, xy: float | AnyArray = 0.0, x0: float | AnyArray = 0.0, yx: float | AnyArray = 0.0, yy: float | AnyArray = 1.0, y0: float | AnyArray = 0.0, wx: float | AnyArray = 0.0, wy: float | AnyArray = 0.0, w0: float | AnyArray = 1.0, height: int | AnyArray = 0, width: int | AnyArray = 0, interpolation: Literal['nearest', 'bilinear', 'bicubic'] = 'bilinear', border: Literal['constant', 'edge'] = 'constant', fill: float | Sequence[float] | AnyArray = [0.0, 0.0, 0.0, 0.0], size: int | AnyArray | Sequence[int | AnyArray] | None = None, matrix: Sequence[Sequence[float | AnyArray]] | None = None, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def warp_perspective(image: Value, *, xx: float | Value = 1.0, xy: float | Value = 0.0, x0: float | Value = 0.0, yx: float | Value = 0.0, yy: float | Value = 1.0, y0: float | Value = 0.0, wx: float | Value = 0.0, wy: float | Value = 0.0, w0: float | Value = 1.0, height: int | Value = 0, width: int | Value = 0, interpolation: Literal['nearest', 'bilinear', 'bicubic'] = 'bilinear', border: Literal['constant', 'edge'] = 'constant', fill: float | Sequence[float] | Value = [0.0, 0.0, 0.0, 0.0], size: int | Value | Sequence[int | Value] | None = None, matrix: Sequence[Sequence[float | Value]] | None = None) -> Value:
    """Warps the image by a 3 x 3 perspective matrix.

    Parameters
    ----------
    image : Value of image
    xx : f32 or Value, default 1.0
        Factor of x in the mapped x; any finite number.
    xy : f32 or Value, default 0.0
        Factor of y in the mapped x; any finite number.
    x0 : f32 or Value, default 0.0
        Constant of the mapped x; any finite number.
    yx : f32 or Value, default 0.0
        Factor of x in the mapped y; any finite number.
    yy : f32 or Value, default 1.0
        Factor of y in the mapped y; any finite number.
    y0 : f32 or Value, default 0.0
        Constant of the mapped y; any finite number.
    wx : f32 or Value, default 0.0
        Factor of x in the divisor of both; any finite number.
    wy : f32 or Value, default 0.0
        Factor of y in the divisor of both; any finite number.
    w0 : f32 or Value, default 1.0
        Constant of the divisor of both; any finite number.
    height : i32 or Value, optional
        Side of the result, in pixels; default: the input's; 1 <= x <= 65535.
    width : i32 or Value, optional
        Side of the result, in pixels; default: the input's; 1 <= x <= 65535.
    interpolation : {'nearest', 'bilinear', 'bicubic'}, default 'bilinear'
        How values between pixels are computed.
    border : {'constant', 'edge'}, default 'constant'
        Pixels without a source get the fill or the nearest pixel.
    fill : 1, 3 or 4 numbers or Value of a tensor, default [0.0, 0.0, 0.0, 0.0]
        Color for border = constant, for each channel; 0 <= x <= 255.
    size : (height, width), or one number for both, optional
        In place of height and width.
    matrix : 3 lists of 3 numbers, optional
        In place of xx to w0.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def warp_perspective_boxes(boxes: AnyArray, *, xx: float | AnyArray = 1.0, xy: float | AnyArray = 0.0, x0: float | AnyArray = 0.0, yx: float | AnyArray = 0.0, yy: float | AnyArray = 1.0, y0: float | AnyArray = 0.0, wx: float | AnyArray = 0.0, wy: float | AnyArray = 0.0, w0: float | AnyArray = 1.0, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def warp_perspective_boxes(boxes: Value, *, xx: float | Value = 1.0, xy: float | Value = 0.0, x0: float | Value = 0.0, yx: float | Value = 0.0, yy: float | Value = 1.0, y0: float | Value = 0.0, wx: float | Value = 0.0, wy: float | Value = 0.0, w0: float | Value = 1.0) -> Value:
    """Moves boxes as warp_perspective moves their image.

    Parameters
    ----------
    boxes : Value of tensor
    xx : f32 or Value, default 1.0
        Factor of x in the mapped x; any finite number.
    xy : f32 or Value, default 0.0
        Factor of y in the mapped x; any finite number.
    x0 : f32 or Value, default 0.0
        Constant of the mapped x; any finite number.
    yx : f32 or Value, default 0.0
        Factor of x in the mapped y; any finite number.
    yy : f32 or Value, default 1.0
        Factor of y in the mapped y; any finite number.
    y0 : f32 or Value, default 0.0
        Constant of the mapped y; any finite number.
    wx : f32 or Value, default 0.0
        Factor of x in the divisor of both; any finite number.
    wy : f32 or Value, default 0.0
        Factor of y in the divisor of both; any finite number.
    w0 : f32 or Value, default 1.0
        Constant of the divisor of both; any finite number.

    Returns
    -------
    moved : Value of tensor

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def warp_perspective_points(points: AnyArray, *, xx: float | AnyArray = 1.0, xy: float | AnyArray = 0.0, x0: float | AnyArray = 0.0, yx: float | AnyArray = 0.0, yy: float | AnyArray = 1.0, y0: float | AnyArray = 0.0, wx: float | AnyArray = 0.0, wy: float | AnyArray = 0.0, w0: float | AnyArray = 1.0, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def warp_perspective_points(points: Value, *, xx: float | Value = 1.0, xy: float | Value = 0.0, x0: float | Value = 0.0, yx: float | Value = 0.0, yy: float | Value = 1.0, y0: float | Value = 0.0, wx: float | Value = 0.0, wy: float | Value = 0.0, w0: float | Value = 1.0) -> Value:
    """Moves points as warp_perspective moves their image.

    Parameters
    ----------
    points : Value of tensor
    xx : f32 or Value, default 1.0
        Factor of x in the mapped x; any finite number.
    xy : f32 or Value, default 0.0
        Factor of y in the mapped x; any finite number.
    x0 : f32 or Value, default 0.0
        Constant of the mapped x; any finite number.
    yx : f32 or Value, default 0.0
        Factor of x in the mapped y; any finite number.
    yy : f32 or Value, default 1.0
        Factor of y in the mapped y; any finite number.
    y0 : f32 or Value, default 0.0
        Constant of the mapped y; any finite number.
    wx : f32 or Value, default 0.0
        Factor of x in the divisor of both; any finite number.
    wy : f32 or Value, default 0.0
        Factor of y in the divisor of both; any finite number.
    w0 : f32 or Value, default 1.0
        Constant of the divisor of both; any finite number.

    Returns
    -------
    moved : Value of tensor

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """

@overload
def weighted_sum(images: AnyArray, weights: AnyArray, *, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def weighted_sum(images: Value, weights: Value) -> Value:
    """Adds several images, each multiplied by its weight.

    Parameters
    ----------
    images : Value of list of image
    weights : Value of list of f32

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a Value has another type.
    """

@overload
def zoom_blur(image: AnyArray, *, max_factor: float | AnyArray = 1.11, step_factor: float | AnyArray = 0.01, seed: int | None = None, generator: Any = None) -> Any: ...
@overload
def zoom_blur(image: Value, *, max_factor: float | Value = 1.11, step_factor: float | Value = 0.01) -> Value:
    """Takes the mean of the image and of copies that are enlarged about its center.

    Parameters
    ----------
    image : Value of image
    max_factor : f32 or Value, default 1.11
        No copy is enlarged by this factor or more; 1 <= x <= 10.
    step_factor : f32 or Value, default 0.01
        Difference between the factors of two copies; 0 < x <= 10.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If a constant is out of range, or if a Value has another type. If a Value is out of range,
        its sample fails.
    """
