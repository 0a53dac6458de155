"""The recipes of packages name all that the build needs and nothing else, and the version of sluice.h."""

import ast
import json
import pathlib
import re
import runpy
import subprocess
import sys
import tomllib

import pytest

ROOT = pathlib.Path(__file__).parents[2]
PACKAGING = ROOT / "packaging"

# What CMake looks for, and its name in scripts/deps, as run-time packages of Debian 12 and Ubuntu 24.04, in
# vcpkg, Conan and conda. A row is a new dependency: name it in every recipe.
NAMES = ("cmake", "deps", "debian", "ubuntu", "vcpkg", "conan", "conda")
LIBRARIES = [
    dict(zip(NAMES, line.split(), strict=True))
    for line in """
    TBB            libtbb-dev            libtbb12         libtbb12         tbb            onetbb         tbb-devel
    JPEG           libjpeg-dev           libjpeg62-turbo  libjpeg-turbo8   libjpeg-turbo  libjpeg-turbo  libjpeg-turbo
    PNG            libpng-dev            libpng16-16      libpng16-16t64   libpng         libpng         libpng
    WEBP           libwebp-dev           libwebp7         libwebp7         libwebp        libwebp        libwebp-base
    GIF            libgif-dev            libgif7          libgif7          giflib         giflib         giflib
    TIFF           libtiff-dev           libtiff6         libtiff6         tiff           libtiff        libtiff
    ARCHIVE        libarchive-dev        libarchive13     libarchive13t64  libarchive     libarchive     libarchive
    CURL           libcurl4-openssl-dev  libcurl4         libcurl4t64      curl           libcurl        libcurl
    OpenSSL        libssl-dev            libssl3          libssl3t64       openssl        openssl        openssl
    ZLIB           zlib1g-dev            zlib1g           zlib1g           zlib           zlib           zlib
    HWY            libhwy-dev            libhwy1          libhwy1t64       highway        highway        libhwy
    fmt            libfmt-dev            libfmt9          libfmt9          fmt            fmt            fmt
    Eigen3         libeigen3-dev         -                -                eigen3         eigen          eigen
    nlohmann_json  nlohmann-json3-dev    -                -                nlohmann-json  nlohmann_json  nlohmann_json
    CLI11          libcli11-dev          -                -                cli11          cli11          cli11
    SLUICE_XXHASH  libxxhash-dev         -                -                xxhash         xxhash         xxhash
    """.strip().splitlines()
]
# Packages that are no libraries of Sluice.
TOOLS = {
    "cmake": {"Threads", "PkgConfig", "CUDAToolkit"},
    "deps": {
        "g++",
        "cmake",
        "ninja-build",
        "pkg-config",
        "libgtest-dev",
        "libbenchmark-dev",
        "python3-dev",
        "python3-venv",
    },
    "docker": {"ca-certificates", "libstdc++6"},
    "vcpkg": {"vcpkg-cmake", "vcpkg-cmake-config", "cuda"},
    "conan": {"cmake", "ninja", "pkgconf"},
    "conda": {"nanobind", "pip", "python", "scikit-build-core"},
}
VERSION = re.search('^#define SLUICE_VERSION "(.+)"', (ROOT / "sluice.h").read_text(), re.M)[1]
CMAKE = {
    path: (ROOT / path).read_text()
    for path in (
        "CMakeLists.txt",
        "apps/CMakeLists.txt",
        "cuda/CMakeLists.txt",
        "io/http/CMakeLists.txt",
        "io/images/CMakeLists.txt",
        "io/readers/CMakeLists.txt",
        "python/CMakeLists.txt",
    )
}


def named(system):
    return {library[system] for library in LIBRARIES} - {"-"}


def read(path):
    return (PACKAGING / path).read_text()


def yaml_file(path):
    return pytest.importorskip("yaml").safe_load((ROOT / path).read_text())


def options():
    """The options that the CMake files declare."""
    text = "\n".join(CMAKE.values())
    found = set(re.findall(r"^\s*(?:option|set)\((SLUICE_[A-Z_]+)\b", text, re.M))
    return found | {f"SLUICE_{one}" for one in re.search(r"foreach\(format ([A-Z ]+)\)", text)[1].split()}


def test_table_is_that_of_the_build():
    found = set()
    for path, text in CMAKE.items():
        if path != "python/CMakeLists.txt":
            text = re.sub(r"#.*", "", text)
            found |= set(re.findall(r"(?:find_package|find_path|pkg_check_modules)\((\w+)", text))
    formats = re.search(r"foreach\(format ([A-Z ]+)\)", CMAKE["io/images/CMakeLists.txt"])[1].split()
    assert found | set(formats) == named("cmake") | TOOLS["cmake"]
    packages = re.search(r"^packages=\(([^)]*)\)", (ROOT / "scripts/deps").read_text(), re.M)[1].split()
    assert set(packages) == named("deps") | TOOLS["deps"]


def docker_stages():
    """The instructions of each stage of the Dockerfile, with continued lines joined."""
    text = re.sub(r"^#.*\n", "", read("docker/Dockerfile"), flags=re.M).replace("\\\n", " ")
    _, *stages = re.split(r"^FROM ", text, flags=re.M)
    return {re.match(r"\S+ AS (\S+)", stage)[1]: stage for stage in stages}


@pytest.mark.parametrize(("stage", "system"), [("runtime", "debian"), ("cuda", "ubuntu")])
def test_docker_has_the_run_time_packages(stage, system):
    packages = re.search(r"--no-install-recommends ([^&]*)&&", docker_stages()[stage])[1].split()
    assert packages == sorted(packages, key=lambda one: (one != "ca-certificates", one))
    assert set(packages) == named(system) | TOOLS["docker"]


def test_docker_stages_copy_what_is_there():
    stages = docker_stages()
    assert list(stages) == ["tools", "build", "development", "runtime", "cuda-build", "cuda"]
    presets = {one["name"] for one in json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"]}
    for stage in stages.values():
        assert set(re.findall(r"--from=(\S+)", stage)) <= {"build", "cuda-build"}
        assert set(re.findall(r"--preset (\S+)", stage)) <= presets
        assert set(re.findall(r"-D(SLUICE_\w+)=", stage)) <= options()
    # What the build reads is not ignored.
    ignored = set(re.findall(r"^[^#\n].*", read("docker/Dockerfile.dockerignore"), re.M))
    folders = "apps benchmarks cuda graph io ops packaging python runtime scripts"
    assert not ignored & set(folders.split())
    assert {"build", "out"} <= ignored


def test_vcpkg():
    port = json.loads(read("vcpkg/vcpkg.json"))
    assert port["version"] == VERSION
    features = port["features"]
    assert sorted(port["default-features"]) == sorted(set(features) - {"cuda", "tools"})
    entries = [*port["dependencies"], *(entry for one in features.values() for entry in one["dependencies"])]
    assert {one if isinstance(one, str) else one["name"] for one in entries} == named("vcpkg") | TOOLS["vcpkg"]
    portfile = read("vcpkg/portfile.cmake")
    switches = dict(re.findall(r"^    ([a-z]+) (SLUICE_[A-Z_]+)", portfile, re.M))
    assert set(switches) == set(features)
    assert set(switches.values()) | set(re.findall(r"-D(SLUICE_\w+)=", portfile)) <= options()
    assert (PACKAGING / "vcpkg/usage").stat().st_size > 0


def test_conan():
    trees = [ast.parse(read(f"conan/{path}")) for path in ("conanfile.py", "test_package/conanfile.py")]
    texts = {
        node.value for node in ast.walk(trees[0]) if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    references = {one.partition("/")[0] for one in texts if re.fullmatch(r"[a-z0-9_-]+/\[.*\]", one)}
    assert references == named("conan") | TOOLS["conan"]
    assert {one for one in texts if re.fullmatch("SLUICE_[A-Z_]+", one)} <= options()
    # It reads the version, and exports files that exist.
    pattern = next(one for one in texts if one.startswith("^#define"))
    assert re.search(pattern, (ROOT / "sluice.h").read_text(), re.M)[1] == VERSION
    assert f"`sluice/{VERSION}`" in (ROOT / "docs/embedding.md").read_text()
    copied = next(node for node in ast.walk(trees[0]) if getattr(node, "name", "") == "export_sources")
    for loop in (node for node in ast.walk(copied) if isinstance(node, ast.For)):
        for path in ast.literal_eval(loop.iter):
            assert (ROOT / path).exists(), path


def test_conda():
    recipe = yaml_file("packaging/conda/recipe.yaml")
    assert recipe["context"]["version"] == VERSION
    library, module = recipe["outputs"]
    host = [{one.split()[0] for one in output["requirements"]["host"]} for output in (library, module)]
    assert host[0] == named("conda") - {"cli11"}  # for the program, which is in the other output
    assert host[1] == named("conda") | TOOLS["conda"]
    for output in (library, module):
        text = " ".join(output["build"]["script"])
        assert set(re.findall(r"(?:-D|define\.)(SLUICE_\w+)=", text)) <= options()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    versioned = {one.replace(" ", "") for one in module["requirements"]["host"] if " " in one}
    assert versioned == set(project["build-system"]["requires"])
    run = {one.replace(" ", "") for one in module["requirements"]["run"]}
    assert run == {*project["project"]["dependencies"], "python" + project["project"]["requires-python"]}


def test_workflows():
    known = re.search(r"^case .*?^esac", (ROOT / "scripts/package").read_text(), re.M | re.S)[0]
    for name in ("ci", "release"):
        workflow = yaml_file(f".github/workflows/{name}.yml")
        assert workflow["permissions"] == {"contents": "read"}
        for title, job in workflow["jobs"].items():
            needs = job.get("needs", [])
            assert set([needs] if isinstance(needs, str) else needs) <= set(workflow["jobs"])
            assert ("permissions" in job) == (title == "release")
            for step in job["steps"]:
                if "uses" in step:
                    assert re.fullmatch(r"actions/[a-z-]+@v\d+", step["uses"])
                    continue
                assert "${{" not in step["run"], "an expression in a script can be code: use the environment"
                for script, argument in re.findall(r"((?:scripts|\.ci)/[a-z]+)(?: ([a-z]+))?", step["run"]):
                    assert (ROOT / script).is_file()
                    assert script != "scripts/package" or f"  {argument})" in known, (
                        f"scripts/package makes no {argument}"
                    )


def test_wheels_name_the_repository(tmp_path):
    (tmp_path / "docs").mkdir()
    for file in ("pyproject.toml", "docs/a.md", "docs/a.svg"):
        (tmp_path / file).write_text('[project]\nname = "sluice"\n')
    (tmp_path / "README.md").write_text(
        "![An image](docs/a.svg) [a chapter](docs/a.md#here), [`a folder`](docs/), [here](#here), "
        "[there](https://x.org/a)\n"
        "```md\n[code](docs/a.md)\n```\n"
    )
    program = [sys.executable, PACKAGING / "wheel/metadata.py", tmp_path, "https://example.org/sluice", "v1.2"]
    subprocess.run(program, check=True)
    assert (tmp_path / "README.md").read_text() == (
        "![An image](https://example.org/sluice/raw/v1.2/docs/a.svg) "
        "[a chapter](https://example.org/sluice/blob/v1.2/docs/a.md#here), "
        "[`a folder`](https://example.org/sluice/tree/v1.2/docs/), [here](#here), [there](https://x.org/a)\n"
        "```md\n[code](docs/a.md)\n```\n"
    )
    urls = tomllib.loads((tmp_path / "pyproject.toml").read_text())["project"]["urls"]
    assert urls["Source"] == "https://example.org/sluice"
    (tmp_path / "README.md").write_text("[gone](docs/gone.md)\n")
    failed = subprocess.run(program, check=False, capture_output=True, text=True)
    assert failed.returncode == 1 and "docs/gone.md" in failed.stderr


def test_readme_has_no_link_that_an_index_would_break():
    convert = runpy.run_path(str(PACKAGING / "wheel/metadata.py"))["readme_for_index"]
    text = convert((ROOT / "README.md").read_text(), ROOT, "https://example.org/sluice", "v1")
    text = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    targets = re.findall(r"\]\(([^)]+)\)", text)
    assert len(targets) > 20
    assert [one for one in targets if not one.startswith(("https://", "#"))] == []
