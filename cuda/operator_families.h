// The device versions of operators, family by family: add_device_operators() adds all of them.
//
// Ownership: kept until the process ends. Threads: one. Errors: BuildError if one is called a
// second time.
#pragma once

namespace sluice::device {

// Each returns true.
bool add_decoders();      // JPEG files and regions of them
bool add_warps();         // rotate, warp_affine, shear, translate
bool add_places();        // perspective, warp_perspective, lens_distortion, elastic
bool add_colours();       // lookup tables, color matrices, hue, gray
bool add_filters();       // windows around each pixel
bool add_covers();        // pad_image, expand, crop_padded, erase, grid_mask
bool add_noises();        // noise of all kinds, jitter
bool add_compositions();  // blend, paste, paste_masked
bool add_tensors();       // cat, reshape
bool add_reductions();    // mean, min, max, standard_deviation
bool add_choices();       // branches that the device chooses by these numbers

}  // namespace sluice::device
