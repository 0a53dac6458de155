// All of Sluice's public interface in one header. Includes neither oneTBB nor CUDA.
#pragma once

#include <sluice/graph/apply_random.h>
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/boundaries.h>
#include <sluice/graph/pipeline.h>
#include <sluice/io/files.h>
#include <sluice/io/jpeg_decode.h>
#include <sluice/io/jpeg_encode.h>
#include <sluice/io/jpeg_header.h>
#include <sluice/io/jpeg_index.h>
#include <sluice/io/jpeg_learn.h>
#include <sluice/ops/brightness_contrast.h>
#include <sluice/ops/crop.h>
#include <sluice/ops/decode.h>
#include <sluice/ops/flip.h>
#include <sluice/ops/normalize.h>
#include <sluice/ops/random_resized_crop.h>
#include <sluice/ops/resize.h>
#include <sluice/ops/rotate.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/cpu_count.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/half.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/random.h>
#include <sluice/runtime/tensor.h>
