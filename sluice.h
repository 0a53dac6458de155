// All of Sluice's public interface in one header. Includes neither oneTBB nor CUDA.
#pragma once

#if __cplusplus < 202002L
#error "Sluice needs C++20: compile with -std=c++20"
#else

// The version. CMake and Python's packaging read it here.
#define SLUICE_VERSION_MAJOR 0
#define SLUICE_VERSION_MINOR 2
#define SLUICE_VERSION_PATCH 0
#define SLUICE_VERSION "0.2.0"

#include <sluice/cuda/gpu.h>
#include <sluice/graph/apply_random.h>
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/boundaries.h>
#include <sluice/graph/builder/declare_operator.h>
#include <sluice/graph/exec/thread_pool.h>
#include <sluice/graph/pipeline.h>
#include <sluice/graph/sources/batches.h>
#include <sluice/graph/sources/values.h>
#include <sluice/io/http/packs.h>
#include <sluice/io/http/urls.h>
#include <sluice/io/images/decode_image.h>
#include <sluice/io/jpeg/decode.h>
#include <sluice/io/jpeg/encode.h>
#include <sluice/io/jpeg/header.h>
#include <sluice/io/jpeg/index.h>
#include <sluice/io/packs/pack_in.h>
#include <sluice/io/packs/pack_writer.h>
#include <sluice/io/readers/environment.h>
#include <sluice/io/readers/files.h>
#include <sluice/io/readers/list.h>
#include <sluice/io/readers/memory.h>
#include <sluice/io/readers/mnist_cifar.h>
#include <sluice/io/readers/tar.h>
#include <sluice/io/readers/tar_stream.h>
#include <sluice/io/workers/workers.h>
#include <sluice/ops/automatic.h>
#include <sluice/ops/batch.h>
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
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/dlpack.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/half.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/log.h>
#include <sluice/runtime/memory.h>
#include <sluice/runtime/process.h>
#include <sluice/runtime/random.h>
#include <sluice/runtime/tensor.h>

#endif
