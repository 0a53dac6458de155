"""Builds the program of tests/house/consumer with the package, and runs it."""

from conan import ConanFile
from conan.tools.build import can_run
from conan.tools.cmake import CMake, cmake_layout


class TestSluice(ConanFile):
    settings = "os", "arch", "compiler", "build_type"
    generators = "CMakeDeps", "CMakeToolchain"

    def requirements(self):
        self.requires(self.tested_reference_str)

    def build_requirements(self):
        self.tool_requires("cmake/[>=3.22 <5]")

    def layout(self):
        cmake_layout(self)

    def build(self):
        cmake = CMake(self)
        cmake.configure(build_script_folder="../../../tests/house/consumer")
        cmake.build()

    def test(self):
        if can_run(self):
            self.run(f"{self.cpp.build.bindir}/consumer", env="conanrun")
