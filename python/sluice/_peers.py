"""Names of operators and arguments in torchvision, albumentations, DALI, Kornia, imgaug, PIL, OpenCV and TensorFlow,
and what to write for each here.

Plain data: the functions ``for_...`` find it. Names are compared without case, underscores and what a
library puts in front, so that ``RandomHorizontalFlip``, ``random_horizontal_flip`` and ``fn.Random_HorizontalFlip``
are one.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

_SOMETIMES = "in `if ops.coin_flip(0.5):`"

#: Advice, with the names in other libraries that it is for.
OPERATORS: tuple[tuple[str, str], ...] = (
    # Geometry.
    ("ops.flip(image, horizontal=ops.coin_flip(0.5))",
     "RandomHorizontalFlip random_flip_left_right fliplr HorizontalFlip random_hflip"),
    ("ops.flip(image, horizontal=False, vertical=ops.coin_flip(0.5))",
     "RandomVerticalFlip random_flip_up_down flipud VerticalFlip"),
    ("ops.flip(image)", "hflip flip_left_right mirror"),
    ("ops.flip(image, horizontal=False, vertical=True)", "vflip flip_up_down"),
    ("ops.flip(image, horizontal=ops.coin_flip(0.5), vertical=ops.coin_flip(0.5))", "random_flip"),
    ("ops.random_resized_crop(jpeg, height=224, width=224, min_area=0.08, max_area=1.0)",
     "RandomResizeCrop RandomSizedCrop resized_crop image_random_crop decoders.image_random_crop RandomCropAndResize "
     "sample_distorted_bounding_box crop_and_resize"),
    ("ops.resize(image, height=224, width=224), or shorter=256 for the shorter side",
     "resized imresize fit contain scale SmallestMaxSize ResizeWithAspectRatio thumbnail ScaleJitter RandomZoom zoom"),
    ("ops.resize(image, longer=640)", "LongestMaxSize letterbox resize_with_pad"),
    ("ops.resize(image, height=224, width=ops.choice([224, 256]).cast('i32'))", "RandomResize RandomShortestSize RandomScale"),
    ("ops.random_crop(image, 32, 32, padding=4)", "random_crop_window RandomCropWithPadding pad_and_random_crop"),
    ("ops.crop(image, region), where region is (y, x, height, width) or ops.random_region(image)",
     "RandomCropNearBBox CropNonEmptyMaskIfExists slice image_slice RandomCropFromBorders AtLeastOneBBoxRandomCrop roi_random_crop random_crop_generator decoders.image_slice "
     "RandomSizedBBoxSafeCrop extract_glimpse"),
    ("ops.crop(image, (y, x, height, width))", "crop_to_bounding_box center_crop_window"),
    ("ops.crop_padded(image, (y, x, height, width))", "CropAndPad"),
    ("ops.center_crop(image, height, width)", "CentralCrop resize_with_crop_or_pad CropOrPad"),
    ("ops.crop, with regions of your own: one for each view", "FiveCrop TenCrop"),
    ("ops.rotate(image, ops.uniform(-10, 10), keep_size=True)",
     "RandomRotation SafeRotate RandomRotate rotation Affine.rotate"),
    ("ops.rot90(image, ops.randint(0, 4))", "RandomRotate90"),
    ("ops.d4(image, ops.randint(0, 8))", "SquareSymmetry"),
    ("ops.transpose_image(image), " + _SOMETIMES, "Transpose"),
    ("ops.affine(image, degrees=ops.uniform(-10, 10), scale=ops.uniform(0.9, 1.1)), which also moves and shears",
     "RandomAffine ShiftScaleRotate"),
    ("ops.affine(image, degrees=10, scale=1.2), or ops.warp_affine(image, matrix=)",
     "PiecewiseAffine warpAffine get_affine_matrix apply_affine transforms coord_transform"),
    ("ops.shear(image, x=ops.uniform(-0.3, 0.3))", "RandomShear ShearX ShearY"),
    ("ops.translate(image, x=ops.uniform(-0.1, 0.1), relative=True)",
     "RandomTranslate TranslateX TranslateY RandomTranslation offset shift"),
    ("ops.perspective(image, startpoints=, endpoints=), or ops.warp_perspective(image, matrix=)", "warpPerspective PerspectiveTransform fourpoint"),
    ("ops.elastic(image, alpha=50, sigma=5)", "ElasticTransform ElasticTransformation RandomElasticTransform elastic_deform"),
    ("ops.lens_distortion(image, k1=ops.uniform(-0.3, 0.3))", "OpticalDistortion RandomFisheye barrel_distortion undistort"),
    ("ops.grid_distortion(image, steps=5, limit=0.3)", "GridDistortion RandomGridDistortion"),
    ("ops.remap(image, field), with a field of ops.elastic_field or ops.grid_field",
     "ThinPlateSpline RandomThinPlateSpline grid_sample warp water sphere"),
    ("ops.pad_image(image, left=4, top=4, right=4, bottom=4), or height= and width= for a size",
     "Pad PadIfNeeded pad_to_bounding_box copyMakeBorder RandomPad ZeroPadding"),
    ("ops.expand(image, ratio=ops.uniform(1, 4))", "RandomZoomOut ZoomOut multi_paste"),
    # Color.
    ("ops.color_jitter(image, brightness=0.4, contrast=0.4, saturation=0.4, hue=36), with the hue in degrees",
     "ColorJitter ColourJitter RandomColorJitter jitter_color color_jiggle"),
    ("ops.color_twist(image, brightness=ops.uniform(0.6, 1.4), contrast=ops.uniform(0.6, 1.4), "
     "saturation=ops.uniform(0.6, 1.4), hue=ops.uniform(-36, 36))",
     "HueSaturationValue hsv adjust_hsv RandomHSV AddToHueAndSaturation MultiplyHueAndSaturation color_transform PlanckianJitter FancyPCA"),
    ("ops.brightness_contrast(image, brightness=ops.uniform(0.8, 1.2))",
     "RandomBrightness adjust_brightness brightness MultiplyBrightness RandomBrightnessContrast"),
    ("ops.contrast(image, ops.uniform(0.8, 1.2))", "RandomContrast adjust_contrast LinearContrast"),
    ("ops.saturation(image, ops.uniform(0.5, 1.5))", "RandomSaturation adjust_saturation color enhance_color"),
    ("ops.hue(image, ops.uniform(-36, 36)), in degrees", "RandomHue adjust_hue"),
    ("ops.gamma_correction(image, ops.uniform(0.8, 1.25))", "RandomGamma adjust_gamma gamma gamma_contrast"),
    ("ops.sharpness(image, ops.uniform(0.5, 2))", "RandomAdjustSharpness adjust_sharpness Sharpen UnsharpMask RandomSharpness"),
    ("ops.autocontrast(image), " + _SOMETIMES, "RandomAutocontrast auto_contrast normalize_contrast"),
    ("ops.equalize(image), " + _SOMETIMES, "RandomEqualize HistogramEqualization equalizeHist AllChannelsHistogramEqualization"),
    ("ops.invert(image), " + _SOMETIMES, "RandomInvert InvertImg negative"),
    ("ops.posterize(image, 4), " + _SOMETIMES, "RandomPosterize quantize"),
    ("ops.solarize(image, threshold=128), " + _SOMETIMES, "RandomSolarize solarize_add"),
    ("ops.clahe(image)", "RandomClahe adaptive_histogram equalize_adapthist equalize_clahe"),
    ("ops.grayscale(image, channels=3), " + _SOMETIMES, "RandomGrayscale RandomGray"),
    ("ops.grayscale(image, channels=3)",
     "ToGray grayscale_to_rgb RGB ToRGB to_grayscale rgb_to_grayscale rgb2gray rgb_to_gray desaturate"),
    ("ops.color_space_conversion(image, to='ycbcr')", "rgb_to_hsv rgb_to_ycbcr rgb_to_yuv cvtColor convert_color rgb_to_lab"),
    ("ops.permute_channels(image, first=2, third=0)", "ChannelShuffle RandomChannelPermutation channel_swap bgr rgb_to_bgr"),
    ("ops.channel_dropout(image, ops.randint(0, 3))", "RandomChannelDropout"),
    ("ops.rgb_shift(image, red=ops.uniform(-20, 20), green=ops.uniform(-20, 20), blue=ops.uniform(-20, 20))", "RandomRGBShift"),
    ("ops.lookup_table(image, levels)", "point lut RandomToneCurve tone_curve apply_lut"),
    ("ops.photometric_distort(image)", "RandomPhotometricDistort"),
    # Filters and noise.
    ("ops.gaussian_blur(image, sigma=ops.uniform(0.1, 2))", "RandomGaussianBlur gaussian AdvancedBlur gaussian_filter GaussianBlur2d"),
    ("ops.box_blur(image, window_size=5)", "AverageBlur RandomBoxBlur BoxBlur MeanBlur"),
    ("ops.median_blur(image, window_size=3)", "RandomMedianBlur MedianFilter ModeFilter"),
    ("ops.motion_blur(image, length=9, degrees=ops.uniform(0, 180))", "RandomMotionBlur"),
    ("ops.defocus(image, radius=3)", "DefocusBlur disk_blur LensBlur"),
    ("ops.downscale(image, 0.25, interpolation='box')", "pixelate"),
    ("ops.filter_2d(image, weights)", "convolve convolution filter2D Kernel Emboss"),
    ("ops.laplacian(image)", "sobel edge_detect sobel_edges FindEdges"),
    ("ops.dilate or ops.erode", "Morphological morphology MaxFilter MinFilter"),
    ("ops.gaussian_noise(image, stddev=ops.uniform(0, 20))", "GaussNoise RandomGaussianNoise AdditiveGaussianNoise noise.gaussian noise"),
    ("ops.iso_noise(image, color_shift=0.05, intensity=0.5)", "camera_noise sensor_noise"),
    ("ops.shot_noise(image, 10)", "ShotNoise PoissonNoise noise.shot AdditivePoissonNoise"),
    ("ops.salt_and_pepper_noise(image, probability=0.05)",
     "SaltAndPepper RandomSaltAndPepperNoise noise.salt_and_pepper ImpulseNoise PixelDropout Dropout Salt Pepper"),
    ("ops.jpeg_distortion(image, quality=ops.choice([40, 60, 80]).cast('i32'))",
     "ImageCompression JpegCompression RandomJPEG jpeg adjust_jpeg_quality random_jpeg_quality JPEGCompressionDistortion"),
    # Erased parts.
    ("ops.random_erasing(image, probability=0.5)",
     "Cutout RandomErase Erasing MaskDropout XYMasking random_cutout CoarseSaltAndPepper"),
    ("ops.coarse_dropout(image, holes=8, height=8, width=8)", "ConstrainedCoarseDropout"),
    ("ops.grid_mask(image, tile=100)", "GridDropout GridMask"),
    ("ops.paste_masked(image, patch, mask) or ops.paste(image, patch, y=, x=)", "SimpleCopyPaste CopyPaste composite alpha_composite OverlayElements"),
    ("ops.blend(a, b, weight=0.5)", "lerp interpolate addWeighted"),
    # Several samples.
    ("pipe.batch_step(lambda batch, key: sluice.mix_up(batch[0], batch[1], key))", "MixUp RandomMixUp RandomMixUpV2"),
    ("pipe.batch_step(lambda batch, key: sluice.cut_mix(batch[0], batch[1], key))", "CutMix RandomCutMix RandomCutMixV2"),
    # Recipes.
    ("ops.rand_augment(image, n=2, magnitude=9)", "RandAug randaugment"),
    ("ops.trivial_augment_wide(image)", "TrivialAugment"),
    ("ops.auto_augment(image, policy='imagenet')", "AutoAug auto_augment_image_net apply_auto_augment"),
    ("ops.aug_mix(image)", "AugMix augmented_mix"),
    # Types and layouts.
    ("ops.normalize(image, mean, std), whose mean and std are those of pixels from 0 to 1",
     "Normalize per_image_standardization mean_std_normalize"),
    ("ops.to_tensor(image)",
     "ToTensor ToTensorV2 pil_to_tensor ToDtype ConvertImageDtype Rescale Rescaling ToFloat ToPureTensor"),
    ("ops.to_image(tensor, white=1) for numbers from 0 to 1, ops.to_image(tensor) for numbers from 0 to 255",
     "ToPILImage array_to_img fromarray FromFloat ToImageTensor convert_to_uint8"),
    ("value.cast('f32')", "astype to_float32 convert_dtype types.Constant"),
    ("ops.reshape(tensor, sizes)", "view reinterpret squeeze unsqueeze expand_dims flatten Lambda.reshape ravel"),
    ("ops.slice_tensor(tensor, axis=0, start=0, length=4)", "narrow gather index_select strided_slice subscript"),
    ("ops.pad_tensor(tensor, axis=0, length=100)", "pad_sequence"),
    ("ops.cat(a, b)", "concat concatenate"),
    ("ops.stack([a, b])", "pack"),
    ("ops.one_hot(label, classes=1000)", "to_categorical OneHotEncoding"),
    ("ops.standard_deviation(data, axis=None, keepdims=False)", "std stddev variance var reductions.std_dev"),
    ("ops.mean(data, axis=None, keepdims=False)", "average reductions.mean reduce_mean"),
    ("ops.sum(data)", "reductions.sum reduce_sum"),
    ("ops.min(data) and ops.max(data)", "minmax reductions.min reductions.max amin amax"),
    ("ops.clamp(data, low, high)", "clip clip_by_value"),
    # Boxes.
    ("ops.clip_boxes(boxes, height, width)", "ClampBoundingBoxes clip_boxes_to_image clamp_bounding_boxes_to_image"),
    ("ops.filter_boxes(boxes, height, width, min_area=1)", "SanitizeBoundingBoxes remove_small_boxes BboxParams"),
    ("ops.convert_boxes(boxes, from_='xywh', to='xyxy')", "box_convert ConvertBoundingBoxFormat convert_bboxes"),
    ("ops.flip_boxes(boxes, height, width)", "bb_flip bbox_flip horizontal_flip_bounding_boxes"),
    ("ops.flip_points(points, height, width)", "coord_flip keypoints_flip"),
    ("ops.random_bbox_crop(boxes, labels, height, width)", "RandomIoUCrop BBoxSafeRandomCrop SSDRandomCrop"),
    ("ops.encode_anchors(boxes, labels, anchors)", "box_encoder"),
    # Random numbers.
    ("ops.uniform(lo, hi)", "random_uniform rand random randfloat Uniform_"),
    ("ops.randint(low, high), for whole numbers from low up to high - 1", "random_integers randrange random_int"),
    ("ops.normal(mean, stddev)", "random_normal randn gauss gaussian_random"),
    ("ops.coin_flip(probability)", "bernoulli random.coin_flip random_bool RandomApply.p flip_coin"),
    ("ops.choice([1, 2, 3]) of numbers; of steps ops.choice_index([1, 2]) and sluice.select", "RandomChoice sample"),
    ("ops.choice_index([1, 2]) and sluice.select, or `if ops.coin_flip(0.5):`",
     "OneOf SomeOf OneOrOther Sometimes RandomApply"),
    ("leave it out: call one operator after the other", "Sequential Compose"),
    ("sluice.select with one branch for each order", "RandomOrder"),
    ("sluice.map(function, value, returns='image')",
     "Lambda python_function numba_function torch_python_function py_function numpy_function map"),
    ("sluice.map(function, image, returns='image'), with the library's own function", "RandomFog RandomRain RandomSnow "
     "RandomSunFlare RandomShadow RandomGravel Spatter GlassBlur Superpixels ToSepia ChromaticAberration "
     "MultiplicativeNoise FDA HistogramMatching PixelDistributionAdaptation TemplateTransform RingingOvershoot Illumination "
     "RandomGridShuffle RandomJigsaw HEStain PlasmaBrightnessContrast RandomPlasmaBrightness RandomPlasmaContrast "
     "RandomLinearIllumination LinearTransformation GridElasticDeform"),
    ("leave it out: the value stays as it is", "Identity NoOp"),
    ("ops.crop_mirror_normalize(image, mirror=ops.coin_flip(0.5)) or ops.resize_mirror_normalize(image, height=224, width=224)",
     "resize_crop_mirror fast_resize_crop_mirror"),
    ("ops.decode_jpeg(jpeg, apply_orientation=True), which is so without a word", "exif_transpose"),
    ("sluice.constant(x)", "full zeros ones fill"),
    # Files.
    ("sluice.files(folder), sluice.list_file(path) or sluice.tar(paths)",
     "readers readers.file readers.webdataset readers.coco readers.tfrecord readers.numpy readers.caffe image_dataset_from_directory file_reader DatasetFolder"),
    ("sluice.cifar10(files), for CIFAR's binary files", "CIFAR10"),
    ("sluice.cifar100(files), for CIFAR's binary files", "CIFAR100"),
    ("sluice.mnist(images, labels)", "MNIST FashionMNIST"),
    ("sluice.source(data, returns=...)", "external_source dataset from_generator"),
    ("ops.decode_jpeg(jpeg) of JPEG files, ops.decode_image(file) of others",
     "decoders decoders.image decode imdecode imread read_image ImageDecoder io_decode decode_png decode_webp "
     "decode_gif open load_image"),
    ("sluice.torch.Loader(function, ...), where @sluice.pipeline marks the function",
     "DataLoader StatefulDataLoader DALIGenericIterator DALIClassificationIterator WebLoader"),
    ("height, width = ops.canvas_size(image)",
     "get_size get_image_size peek_image_shape shapes shape size get_dimensions height width image_size image_shape"),
    ("leave it out: no operator draws on images; draw on the arrays of a batch with PIL or OpenCV",
     "draw_bounding_boxes draw_boxes draw_segmentation_masks draw_keypoints bounding_box_visualization"),
)

_LIBRARIES = ("fn", "transforms", "functional", "f", "v2", "t", "a", "iaa", "albumentations", "torchvision", "kornia", "tf", "image",
              "augmentation", "imgaug", "pil", "cv2", "imageops", "imageenhance")


def _plain(name: str) -> str:
    parts = [part for part in name.lower().split(".") if part]
    while len(parts) > 1 and parts[0] in _LIBRARIES:
        parts.pop(0)
    return "".join(parts).replace("_", "").removeprefix("stateless")


_BY_NAME = {_plain(name): advice for advice, names in OPERATORS for name in names.split()}

_HEIGHT_AND_WIDTH = "height= and width="
_OF_SAMPLES = "every sample is changed; put the call " + _SOMETIMES + " to change some"
_RANGES = "one number for each sample, as ops.uniform(-10, 10) draws it"

_REDUCTIONS = ("mean", "min", "max", "standard_deviation", "sum", "any", "all")

#: For an argument's name in other libraries: the name here, for the listed operators, or for all
#: others if None.
ARGUMENTS: dict[str, tuple[tuple[str, tuple[str, ...] | None], ...]] = {
    "size": (
        ("region=(y, x, height, width)", ("crop", "crop_padded")),
        ("global_size= and local_size=", ("dino",)),
        ("window_size=", ("box_blur", "median_blur", "gaussian_blur", "jitter", "laplacian")),
        ("window_height= and window_width=", ("dilate", "erode")),
    ),
    "shape": (("sizes", ("reshape",)), ("height and width", ("erase",)), (_HEIGHT_AND_WIDTH, ("resize",))),
    "output_size": (("size=", ("center_crop", "random_crop", "random_resized_crop")),),
    "dsize": ((_HEIGHT_AND_WIDTH, ("resize", "warp_affine", "warp_perspective")),),
    "resize_x": (("width=", ("resize",)),),
    "resize_y": (("height=", ("resize",)),),
    "resize_shorter": (("shorter=", ("resize",)),),
    "resize_longer": (("longer=", ("resize",)),),
    "crop": ((_HEIGHT_AND_WIDTH, ("crop_mirror_normalize",)), ("height and width", ("center_crop",))),
    "crop_h": (("height=", ("crop_mirror_normalize", "center_crop")),),
    "crop_w": (("width=", ("crop_mirror_normalize", "center_crop")),),
    "p": (
        ("probability=", ("random_erasing", "random_perspective", "salt_and_pepper_noise", "coin_flip", "photometric_distort", "random_erasing_region")),
        ("weights=", ("choice",)),
        ("horizontal=ops.coin_flip(0.5) or vertical=ops.coin_flip(0.5)", ("flip",)),
        (_OF_SAMPLES, None),
    ),
    "prob": (("probability=", ("coin_flip", "random_erasing")), (_OF_SAMPLES, None)),
    "scale": (
        ("area=", ("random_resized_crop", "random_erasing", "random_region")),
        ("ratio=", ("expand",)),
    ),
    "random_area": (("area=", ("random_resized_crop",)),),
    "random_aspect_ratio": (("ratio=", ("random_resized_crop",)),),
    "angle": (("degrees, in degrees", ("rotate", "rotate_boxes", "rotate_points", "motion_blur", "grid_mask", "affine")),),
    "angles": (("degrees: " + _RANGES, ("rotate",)),),
    "limit": (("degrees: " + _RANGES, ("rotate",)),),
    "distort_limit": (("limit=", ("grid_distortion", "grid_field")),),
    "degrees": (("x= and y=", ("shear", "translate")), ("xx= to y0=, or ops.rotate(image, degrees)", ("warp_affine",))),
    "shear": (("x= and y=, in the tangent of the angle", ("shear",)),),
    "expand": (("keep_size=, which is its opposite", ("rotate",)),),
    "center": (("center_x= and center_y=", ("shear",)),),
    "translate": (("x= and y=", ("translate",)),),
    "fill_value": (("fill=", None),),
    "fillcolor": (("fill=", None),),
    "border_mode": (("border=", ("pad_image", "elastic", "shear", "translate", "perspective", "warp_affine", "warp_perspective",
                                  "rotate", "affine", "lens_distortion", "remap")),),
    "padding_mode": (("border=", ("pad_image", "translate", "shear", "warp_affine", "random_crop")),),
    "padding": (("left=, top=, right= and bottom=", ("pad_image",)),),
    "value": (("fill=", ("random_erasing", "pad_image", "erase", "pad_tensor")),),
    "interp_type": (("interpolation=", None),),
    "resample": (("interpolation=", None),),
    "mag_filter": (("interpolation= and antialias=", ("resize",)),),
    "mean": (("ops.crop_mirror_normalize(image, mean=, std=) after it", None),),
    "std": (("stddev=", ("gaussian_noise", "normal")), ("ops.crop_mirror_normalize(image, mean=, std=) after it", None)),
    "sigma": (("stddev=", ("normal",)),),
    "var_limit": (("stddev=", ("gaussian_noise",)),),
    "kernel_size": (("window_size=", ("gaussian_blur", "box_blur", "median_blur", "laplacian")), ("length=", ("motion_blur",)),
                    ("window_height= and window_width=", ("dilate", "erode"))),
    "ksize": (("window_size=", ("gaussian_blur", "box_blur", "median_blur", "laplacian")), ("length=", ("motion_blur",))),
    "blur_limit": (("window_size=", ("gaussian_blur", "box_blur", "median_blur")), ("length=", ("motion_blur",))),
    "radius": (("sigma=", ("gaussian_blur",)), ("window_size=", ("box_blur",))),
    "brightness_factor": (("brightness=", ("brightness_contrast", "color_twist")),),
    "contrast_factor": (("factor", ("contrast",)), ("contrast=", ("brightness_contrast", "color_twist"))),
    "saturation_factor": (("factor", ("saturation",)), ("saturation=", ("color_twist",))),
    "sharpness_factor": (("factor", ("sharpness",)),),
    "hue_factor": (("degrees, 360 for a full turn", ("hue",)), ("hue=, in degrees", ("color_twist",))),
    "brightness_limit": (("brightness=", ("brightness_contrast",)),),
    "contrast_limit": (("contrast=", ("brightness_contrast",)),),
    "num_output_channels": (("channels=", ("grayscale",)),),
    "num_classes": (("classes", ("one_hot",)),),
    "num_bits": (("bits", ("posterize",)),),
    "top": (("region=(y, x, height, width)", ("crop", "crop_padded")),),
    "left": (("region=(y, x, height, width)", ("crop", "crop_padded")),),
    "num_holes_range": (("holes=", ("coarse_dropout",)),),
    "max_holes": (("holes=", ("coarse_dropout",)),),
    "scale_range": (("scale=", ("downscale",)),),
    "k": (("turns", ("rot90",)),),
    "num_ops": (("n=", ("rand_augment",)),),
    "num_magnitude_bins": (("bins=", ("rand_augment", "trivial_augment_wide")),),
    "m": (("magnitude=", ("rand_augment",)),),
    "output_layout": (("layout=", ("crop_mirror_normalize", "resize_mirror_normalize")),),
    "output_dtype": (("dtype=", ("crop_mirror_normalize", "resize_mirror_normalize")),),
    "output_type": (("color=", ("decode_jpeg", "decode_image")),),
    "mode": (("color=", ("decode_jpeg", "decode_image")), ("border=", ("pad_image",)), ("interpolation=", ("resize_mirror_normalize",))),
    "low": (("lo", ("uniform",)),),
    "high": (("hi", ("uniform",)),),
    "loc": (("mean", ("normal",)),),
    "values": (("numbers", ("choice",)),),
    "axes": (("axis=", ("slice_tensor", "pad_tensor", *_REDUCTIONS)),),
    "dim": (("axis=", ("cat", "stack", "slice_tensor", *_REDUCTIONS)),),
    "keepdim": (("keepdims=", _REDUCTIONS),),
    "keep_dims": (("keepdims=", _REDUCTIONS),),
    "device": (("the option `device` of the pipeline and .gpu() of the image", None),),
    "seed": (("the option `seed` of the pipeline, from which every draw follows", None),),
    "always_apply": (("leave it out: " + _OF_SAMPLES, None),),
    "inplace": (("leave it out: a step makes a new value", None),),
}


#: Options of DataLoader, and of our sources and steps, that a pipeline does not have; with what to write instead.
OPTIONS: dict[str, str] = {
    "num_workers": "threads=N of the pipeline; workers=N of a source whose samples Python makes",
    "shuffle": "shuffle=True of the source, for example sluice.files(folder, shuffle=True)",
    "sampler": "shuffle, subset, weights, order, shard of the source",
    "batch_sampler": "batch_size of the pipeline, and the sampler options of the source",
    "pin_memory": "leave it out: the pipeline pins the memory that it copies",
    "collate_fn": "the function's return value; sluice.torch.to_torch converts a batch",
    "generator": "seed=N of the pipeline",
    "worker_init_fn": "__worker_init__(worker, workers) of the source's or step's object",
    "prefetch_factor": "prefetch=N of the pipeline, in batches",
    "persistent_workers": "leave it out: threads and workers persist between epochs",
    "timeout": "stall_timeout=SECONDS of the pipeline",
    "multiprocessing_context": "leave it out: worker processes are new ones of the same Python",
    "pin_memory_device": "leave it out: the pipeline pins the memory that it copies",
    "in_order": "leave it out: batches come in order",
    "drop_last": "last_batch='drop' of the pipeline",
    "dataset": "sluice.source(dataset, returns=...) in the function",
    "shard": "shard=(index, count) of the source",
    "subset": "subset=[...] of the source",
    "workers": "threads=N of the pipeline; workers=N of a source or step that Python runs",
}

#: The submodules, with their names.
SUBMODULES: dict[str, tuple[str, ...]] = {
    "ray": ("Augment", "read_images", "shard"),
    "torch": ("IMAGE_ENDINGS", "ImageFolder", "Loader", "decode_and_crop_jpegs", "shard", "to_torch"),
}


_ARRAY = "a function of sluice.map is given each sample's array, which has it"

#: Advice, with the attributes and methods of arrays that it is for.
ATTRIBUTES: tuple[tuple[str, str], ...] = (
    ("ops.canvas_size(image) gives height and width of an image, and " + _ARRAY, "shape size ndim height width channels"),
    ("its attribute type says what it is, and .cast('f32') converts it; " + _ARRAY, "dtype layout itemsize nbytes"),
    (".cast('f32') converts it, or .cast('i64')", "astype to float double half int long byte"),
    (".gpu() and .cpu() move it", "cuda device host"),
    (".gpu() moves it to the GPU, .cast('f32') converts it, and to= of sluice.torch.Loader delivers on a device", "to"),
    ("there is no sample yet: loop over the pipeline, or " + _ARRAY, "numpy tolist item torch detach data copy clone tobytes"),
    ("ops.slice_tensor or ops.crop cuts a part out", "narrow select take"),
    ("ops.permute(tensor, axes)", "permute T swapaxes moveaxis"),
)
_BY_ATTRIBUTE = {name: advice for advice, names in ATTRIBUTES for name in names.split()}


def instead(advice: str) -> str:
    """Returns the advice for a message: what to write in place of a name, or that it can be left out."""
    return advice if advice.startswith("leave it out") else f"in its place: {advice}"


def for_attribute(name: str) -> str:
    """Returns advice for an attribute or a method that a Value does not have."""
    from . import ops

    if name in ops.__all__:
        return f"write ops.{name}(value, ...)"
    advice = _BY_ATTRIBUTE.get(name) or for_operator(name)
    return instead(advice) if advice else "what computes with values is in sluice.ops"


def for_operator(name: str) -> str | None:
    """Returns advice for the name of an operator in a peer library; None if there is none."""
    return _BY_NAME.get(_plain(name))


def for_name(name: str) -> str | None:
    """Returns advice for a name that neither `sluice` nor `sluice.ops` has; None if there is none."""
    from . import ops, transforms

    def found(modules: dict[str, Sequence[str]]) -> str | None:
        asked = _plain(name)
        return " or ".join(f"{module}.{one}" for module, names in modules.items() for one in names if _plain(one) == asked) or None

    others = {f"sluice.{one}": names for one, names in SUBMODULES.items()}
    package = getattr(sys.modules[__package__], "__all__", ())
    operator = found({"ops": ops.__all__}) or for_operator(name)
    if name in transforms.__all__:  # torchvision's own spelling
        known = f"sluice.transforms.{name}"
        return f"{operator}, or {known}" if operator and not operator.startswith("leave it out") else known
    return operator or found({"sluice": package, **others})


def for_argument(operator: str, name: str) -> str | None:
    """Returns advice for the name of an argument in a peer library; None if there is none."""
    for advice, operators in ARGUMENTS.get(name.lower(), ()):
        if operators is None or operator in operators:
            return advice
    return None
