"""The recipe of Conan 2: builds the tree that it is in. See docs/embedding.md."""

import pathlib
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, rmdir
from conan.tools.gnu import PkgConfigDeps

required_conan_version = ">=2.4"

# What the option switches in CMake, and what the part needs.
PARTS = {
    "with_archive": ("SLUICE_ARCHIVE", ["libarchive/[>=3.6 <4]", "zlib/[>=1.2.11 <2]"]),
    "with_gif": ("SLUICE_GIF", ["giflib/[>=5.2 <6]"]),
    "with_http": ("SLUICE_HTTP", ["libcurl/[>=7.85 <9]", "openssl/[>=3 <4]", "zlib/[>=1.2.11 <2]"]),
    "with_png": ("SLUICE_PNG", ["libpng/[>=1.6 <2]"]),
    "with_program": ("SLUICE_BUILD_APPS", ["cli11/[>=2.1 <3]"]),
    "with_tiff": ("SLUICE_TIFF", ["libtiff/[>=4.5 <5]"]),
    "with_webp": ("SLUICE_WEBP", ["libwebp/[>=1.2 <2]"]),
}


class Sluice(ConanFile):
    name = "sluice"
    description = "Turns image files into augmented batches for training and inference"
    license = "Apache-2.0"
    topics = ("augmentation", "deep-learning", "images", "jpeg")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {name: [True, False] for name in ("shared", "fPIC", "with_cuda", *PARTS)}
    default_options = {
        "shared": False,
        "fPIC": True,
        "with_cuda": False,
        **{name: name != "with_program" for name in PARTS},
        "libarchive/*:with_bzip2": True,
        "libarchive/*:with_lzma": True,
        "libarchive/*:with_zstd": True,
        "libtiff/*:jpeg": "libjpeg-turbo",  # one libjpeg in a program
    }
    implements = ["auto_shared_fpic"]

    def set_version(self):
        text = (pathlib.Path(self.recipe_folder) / "../../sluice.h").read_text()
        self.version = re.search('^#define SLUICE_VERSION "(.+)"', text, re.M)[1]

    def export_sources(self):
        root = pathlib.Path(self.recipe_folder).parents[1]
        for folder in (
            "runtime",
            "graph",
            "io",
            "ops",
            "cuda",
            "apps",
            "benchmarks/bench",
            "packaging/cmake",
            "python",
        ):
            copy(
                self, "*", root / folder, pathlib.Path(self.export_sources_folder) / folder, excludes="*/__pycache__/*"
            )
        for file in ("CMakeLists.txt", "LICENSE", "sluice.h"):
            copy(self, file, root, self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def requirements(self):
        # Headers of graph/flow/ include oneTBB's.
        self.requires("onetbb/[>=2021.8]", transitive_headers=True, transitive_libs=True)
        self.requires("eigen/[>=3.4 <6]")
        self.requires("fmt/[>=9]")
        self.requires("highway/[>=1.0.3 <2]")
        self.requires("libjpeg-turbo/[>=2.1 <4]")
        self.requires("nlohmann_json/[>=3.11 <4]")
        self.requires("xxhash/[>=0.8 <1]")
        for reference in sorted(
            {one for name, (_, needs) in PARTS.items() if self.options.get_safe(name) for one in needs}
        ):
            self.requires(reference)

    def build_requirements(self):
        self.tool_requires("cmake/[>=3.22 <5]")
        self.tool_requires("ninja/[>=1.10 <2]")
        self.tool_requires("pkgconf/[>=1.9 <3]")

    def validate(self):
        check_min_cppstd(self, 20)
        if self.settings.os != "Linux" or self.settings.arch != "x86_64":
            raise ConanInvalidConfiguration("this recipe is for Linux on x86-64 only")
        if self.options.with_cuda and not self.options.shared:
            raise ConanInvalidConfiguration(
                "with_cuda=True needs shared=True: the shared library contains CUDA's runtime"
            )

    def generate(self):
        toolchain = CMakeToolchain(self, generator="Ninja")
        for name, (variable, _) in PARTS.items():
            toolchain.cache_variables[variable] = bool(self.options.get_safe(name))
        toolchain.cache_variables["SLUICE_CUDA"] = bool(self.options.with_cuda)
        for name in ("SLUICE_BUILD_TESTS", "SLUICE_BUILD_BENCHMARKS", "SLUICE_PYTHON", "SLUICE_WARNINGS_AS_ERRORS"):
            toolchain.cache_variables[name] = False
        toolchain.cache_variables["CMAKE_UNITY_BUILD"] = True
        toolchain.cache_variables["CMAKE_UNITY_BUILD_BATCH_SIZE"] = "8"
        toolchain.generate()
        packages = CMakeDeps(self)
        # CMake asks for libcurl 7.85, and any later one will do.
        packages.set_property("libcurl", "cmake_config_version_compat", "AnyNewerVersion")
        packages.generate()
        PkgConfigDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, pathlib.Path(self.package_folder) / "licenses")
        # Conan makes its own files for CMake and pkg-config.
        for folder in ("lib/cmake", "lib/pkgconfig", "share/doc"):
            rmdir(self, pathlib.Path(self.package_folder) / folder)

    def package_info(self):
        self.cpp_info.libs = ["sluice"]
        self.cpp_info.system_libs = ["dl", "m", "pthread", "rt"]
        self.cpp_info.set_property("cmake_file_name", "sluice")
        self.cpp_info.set_property("cmake_target_name", "sluice::sluice")
        self.cpp_info.set_property("pkg_config_name", "sluice")
