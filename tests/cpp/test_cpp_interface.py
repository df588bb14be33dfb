# SPDX-License-Identifier: Apache-2.0
"""Programs in C++ that use the package as it is installed, compiled as such programs are."""

from __future__ import annotations

import itertools
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import mindspore as ms
from mindspore import Tensor, nn, ops
from mindspore.tools import cpp
from mindspore.train._onnx.importer import load_onnx

PROGRAMS = Path(__file__).parent / "programs"
EXAMPLE = Path(__file__).parents[2] / "examples" / "cpp"
PACKAGE = Path(ms.__file__).resolve().parent
LIBRARIES = PACKAGE / "lib"
WARNINGS = ["-Wall", "-Wextra", "-Wshadow", "-Werror"]
LANGUAGES = list(itertools.product([14, 17, 20], [0, 1]))

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="no C++ compiler")


def run(*command: object, status: int = 0, **options: object) -> str:
    """Output of a program that has to end with the status."""
    arguments = [str(part) for part in command]
    done = subprocess.run(arguments, capture_output=True, text=True, **options)
    assert done.returncode == status, f"{arguments}\nstatus {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def compiled(folder: Path, source: str, standard: int, layout: int, *libraries: object) -> Path:
    """A program of `programs/`, with a standard of C++ and one of the two layouts of strings."""
    program = folder / f"{Path(source).stem}_{standard}_{layout}"
    language = [f"-std=c++{standard}", f"-D_GLIBCXX_USE_CXX11_ABI={layout}", "-fPIE", *WARNINGS]
    search = [f"-I{PACKAGE}", f"-I{PACKAGE / 'include'}", f"-Wl,-rpath,{LIBRARIES}:{PACKAGE}"]
    linked = [LIBRARIES / "libmindspore.so", *libraries, "-Wl,--allow-shlib-undefined", "-pthread"]
    run("g++", *language, *search, PROGRAMS / source, "-o", program, *linked)
    return program


def ramp(*shape: int) -> np.ndarray:
    """What the programs fill their inputs with."""
    return (np.float32(0.1) * np.arange(np.prod(shape), dtype=np.float32)).reshape(shape)


class Perceptron(nn.Cell):
    """Works for any number of rows."""

    def __init__(self):
        super().__init__()
        self.first = nn.Dense(10, 16, activation="relu")
        self.second = nn.Dense(16, 4)

    def construct(self, x):
        return self.second(self.first(x))


class Convolutions(nn.Cell):
    """Two inputs, two results, a decision by a value."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)
        self.norm = nn.BatchNorm2d(8)
        self.dense = nn.Dense(8, 5)

    def construct(self, x, y):
        x = nn.ReLU()(self.norm(self.conv(x)))
        return self.dense(x.mean((2, 3))) * y, x.sum()


@pytest.fixture(scope="module")
def perceptron() -> Perceptron:
    ms.set_seed(1)
    return Perceptron().set_train(False)


@pytest.fixture(scope="module")
def model(tmp_path_factory, perceptron) -> Path:
    path = tmp_path_factory.mktemp("models") / "perceptron.mindir"
    ms.export(perceptron, Tensor(ramp(2, 10)), file_name=str(path), file_format="MINDIR")
    return path


@pytest.fixture(scope="module", params=LANGUAGES, ids=lambda chosen: f"c++{chosen[0]}-layout{chosen[1]}")
def recipes(request, tmp_path_factory) -> Path:
    return compiled(tmp_path_factory.mktemp("recipes"), "recipes.cc", *request.param)


def numbers(text: str) -> np.ndarray:
    return np.array([float.fromhex(word) for word in text.split()], np.float32)


@pytest.mark.parametrize(
    "recipe", ["load_build_predict", "from_path", "from_memory", "without_copy", "worker_pool"]
)
def test_recipe_gives_the_bits_that_python_gives(recipes, model, perceptron, recipe):
    expected = perceptron(Tensor(ramp(2, 10))).asnumpy()
    assert np.array_equal(numbers(run(recipes, recipe, model)), expected.ravel())


def test_recipe_of_other_shapes(recipes, model, perceptron):
    expected = perceptron(Tensor(ramp(8, 10))).asnumpy()
    assert np.array_equal(numbers(run(recipes, "other_shapes", model)), expected.ravel())


def test_recipe_of_threads(recipes, model):
    run(recipes, "threads", model)


def test_recipe_of_errors(recipes, model):
    environment = {name: value for name, value in os.environ.items() if name != "MINDSPORE_CPP_DEVICE"}
    assert "MINDSPORE_CPP_DEVICE" in run(recipes, "errors", model, env=environment)


def test_recipe_that_describes(recipes, model):
    assert run(recipes, "describe", model).splitlines() == ["x 43 80 2 10", "output0"]


@pytest.fixture(scope="module")
def plain_recipes(tmp_path_factory) -> Path:
    return compiled(tmp_path_factory.mktemp("plain_recipes"), "recipes.cc", 17, 1)


@pytest.mark.parametrize(
    ("mode", "length"), [("AES-GCM", 16), ("AES-GCM", 24), ("AES-GCM", 32), ("AES-CBC", 16), ("SM4-CBC", 16)]
)
def test_encrypted_models(plain_recipes, tmp_path, perceptron, mode, length):
    key = b"0123456789abcdefghijklmnopqrstuv"[:length]
    path = tmp_path / "secret.mindir"
    ms.export(
        perceptron, Tensor(ramp(2, 10)), file_name=str(path), file_format="MINDIR", enc_key=key, enc_mode=mode
    )
    expected = perceptron(Tensor(ramp(2, 10))).asnumpy().ravel()
    assert np.array_equal(numbers(run(plain_recipes, "encrypted", path, key.decode(), mode)), expected)
    run(plain_recipes, "encrypted", path, "x" * length, mode, status=1)
    other = "AES-CBC" if mode == "AES-GCM" else "AES-GCM"
    run(plain_recipes, "encrypted", path, key.decode(), other, status=1)
    without_key = subprocess.run([plain_recipes, "encrypted", path, "", mode], capture_output=True, text=True)
    assert without_key.returncode == 1
    assert "be encrypted" in without_key.stderr


def test_key_for_a_plain_model(plain_recipes, model):
    run(plain_recipes, "encrypted", model, "0123456789abcdef", "AES-GCM", status=1)


def test_damaged_models(plain_recipes, model, tmp_path):
    content = model.read_bytes()
    for end in (0, 1, len(content) // 2, len(content) - 1):
        damaged = tmp_path / f"cut_{end}.mindir"
        damaged.write_bytes(content[:end])
        run(plain_recipes, "load_build_predict", damaged, status=1)


def test_networks_with_several_inputs_and_results(plain_recipes, tmp_path):
    ms.set_seed(2)
    network = Convolutions().set_train(False)
    inputs = [Tensor(ramp(1, 3, 6, 6)), Tensor(ramp(5))]
    path = tmp_path / "convolutions.mindir"
    ms.export(network, *inputs, file_name=str(path), file_format="MINDIR")
    loaded = nn.GraphCell(ms.load(str(path)))
    lines = run(plain_recipes, "load_build_predict", path).splitlines()
    for line, expected in zip(lines, loaded(*inputs), strict=True):
        assert np.array_equal(numbers(line), expected.asnumpy().ravel())


class Repeated(nn.Cell):
    """A cell of an LSTM for as many turns as a tensor says, then a decision."""

    def __init__(self):
        super().__init__()
        self.gates = nn.Dense(12, 16)

    def construct(self, x, turns):
        hidden, state = ops.zeros((2, 4), ms.float32), ops.zeros((2, 4), ms.float32)
        i = Tensor(0, ms.int32)
        while i < turns:
            parts = ops.split(self.gates(ops.concat((x, hidden), 1)), 4, 1)
            state = ops.sigmoid(parts[0]) * state + ops.sigmoid(parts[1]) * ops.tanh(parts[2])
            hidden = ops.sigmoid(parts[3]) * ops.tanh(state)
            i = i + 1
        if hidden.sum() > 0:
            hidden = hidden * 2
        return hidden, hidden > 0


FORMATS = ["MINDIR", "ONNX"]


def exported(folder: Path, file_format: str, network: nn.Cell, *inputs: Tensor) -> tuple[Path, nn.Cell]:
    """The file of a network, and the network that Python makes of it."""
    path = folder / f"network.{file_format.lower()}"
    ms.export(network.set_train(False), *inputs, file_name=str(path), file_format=file_format)
    return path, load_onnx(str(path)) if file_format == "ONNX" else nn.GraphCell(ms.load(str(path)))


def assert_equal_bits(
    program: Path, folder: Path, file_format: str, network: nn.Cell, *inputs: Tensor
) -> None:
    """A network gives the same bytes in C++, twice, as its file does when Python compiles it."""
    path, loaded = exported(folder, file_format, network, *inputs)
    files = []
    for i, value in enumerate(inputs):
        files.append(folder / f"input_{i}.bin")
        files[-1].write_bytes(value.asnumpy().tobytes())
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        results = loaded(*inputs)
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    results = results if isinstance(results, tuple) else (results,)
    expected = [result.asnumpy().tobytes().hex() for result in results]
    assert run(program, "from_files", path, *files).splitlines() == expected * 2


@pytest.mark.parametrize("file_format", FORMATS)
@pytest.mark.parametrize("turns", [0, 1, 7, 300])
def test_loops_and_decisions(plain_recipes, tmp_path, turns, file_format):
    ms.set_seed(5)
    inputs = Tensor(ramp(2, 8)), Tensor(turns, ms.int32)
    assert_equal_bits(plain_recipes, tmp_path, file_format, Repeated(), *inputs)


@pytest.mark.parametrize("file_format", FORMATS)
def test_resnet50(plain_recipes, tmp_path, monkeypatch, file_format):
    monkeypatch.syspath_prepend(str(EXAMPLE.parent))
    import resnet50

    ms.set_seed(6)
    picture = Tensor(ramp(1, 3, 64, 64) / 1000)
    assert_equal_bits(plain_recipes, tmp_path, file_format, resnet50.ResNet50(10), picture)


def test_onnx_models_are_used_as_others_are(plain_recipes, tmp_path, perceptron):
    """By their path, from memory, and from threads."""
    path, loaded = exported(tmp_path, "ONNX", perceptron, Tensor(ramp(2, 10)))
    expected = loaded(Tensor(ramp(2, 10))).asnumpy().ravel()
    for recipe in ("load_build_predict", "from_path", "from_memory", "worker_pool"):
        assert np.array_equal(numbers(run(plain_recipes, recipe, path)), expected)
    run(plain_recipes, "threads", path)
    assert run(plain_recipes, "describe", path).splitlines() == ["x 43 80 2 10", *loaded.output_names]
    for end in (0, 1, path.stat().st_size // 2):
        damaged = tmp_path / f"cut_{end}.onnx"
        damaged.write_bytes(path.read_bytes()[:end])
        run(plain_recipes, "load_build_predict", damaged, status=1)


@pytest.mark.parametrize("file_format", FORMATS)
def test_models_of_one_file_hold_its_weights_once(plain_recipes, tmp_path, file_format):
    network = nn.SequentialCell(nn.Dense(2048, 4096), nn.BatchNorm1d(4096), nn.Dense(4096, 2048))
    path, _ = exported(tmp_path, file_format, network, Tensor(ramp(1, 2048) / 100))
    lines = run(plain_recipes, "four_models", path).splitlines()
    assert len(set(lines[:4])) == 1
    first, others = (int(pages) * os.sysconf("SC_PAGE_SIZE") for pages in lines[4].split())
    weights = 2 * 2048 * 4096 * 4
    assert first > weights
    assert others < 0.75 * weights  # the pool keeps what the largest weight was read into


class Counting(nn.Cell):
    """Remembers how often it was called; large enough to be shared if it were not written."""

    def __init__(self):
        super().__init__()
        self.count = ms.Parameter(ops.zeros((2000,), ms.float32), name="count", requires_grad=False)

    def construct(self, x):
        ops.assign_add(self.count, ops.ones_like(self.count))
        return x + self.count[:2]


def test_models_that_write_their_weights_keep_them_to_themselves(plain_recipes, tmp_path):
    path, _ = exported(tmp_path, "MINDIR", Counting(), Tensor(ramp(2)))
    lines = run(plain_recipes, "four_models", path).splitlines()
    for line in lines[:4]:  # the second call of each
        assert np.array_equal(numbers(line), ramp(2) + 2)


def test_onnx_models_of_open_lengths_are_resized(plain_recipes, tmp_path, perceptron):
    path = tmp_path / "open.onnx"
    rows = Tensor(shape=[None, 10], dtype=ms.float32)
    ms.export(perceptron, rows, file_name=str(path), file_format="ONNX")
    described = run(plain_recipes, "describe", path).splitlines()
    assert described[0] == "x 43 0 -1 10"
    shown = numbers(run(plain_recipes, "other_shapes", path))
    assert np.array_equal(shown, perceptron(Tensor(ramp(4, 10))).asnumpy().ravel())


def test_open_lengths(plain_recipes, tmp_path, perceptron):
    path = tmp_path / "open.mindir"
    ms.export(
        perceptron, Tensor(shape=[None, 10], dtype=ms.float32), file_name=str(path), file_format="MINDIR"
    )
    assert run(plain_recipes, "describe", path).splitlines() == ["x 43 0 -1 10", "output0"]


@pytest.mark.parametrize(("standard", "layout"), [(14, 0), (20, 1)])
def test_every_header_compiles_alone(tmp_path, standard, layout):
    root = PACKAGE / "include"
    for header in sorted(path.relative_to(PACKAGE) for path in root.rglob("*.h")):
        source = tmp_path / "alone.cc"
        source.write_text(f'#include "{header}"\n#include "{header}"\n', encoding="utf-8")
        options = [f"-std=c++{standard}", f"-D_GLIBCXX_USE_CXX11_ABI={layout}", *WARNINGS]
        run("g++", *options, f"-I{PACKAGE}", "-fsyntax-only", source)


def test_headers_compile_for_those_who_look_inside(tmp_path):
    source = tmp_path / "inside.cc"
    source.write_text('#define private public\n#include "include/api/serialization.h"\n', encoding="utf-8")
    run("g++", "-std=c++17", f"-I{PACKAGE}", "-fsyntax-only", source)


def test_headers_need_neither_exceptions_nor_type_information(tmp_path):
    source = tmp_path / "plain.cc"
    source.write_text('#include "include/api/serialization.h"\nint main() { return 0; }\n', encoding="utf-8")
    run(
        "g++",
        "-std=c++17",
        "-fno-exceptions",
        "-fno-rtti",
        *WARNINGS,
        f"-I{PACKAGE}",
        "-fsyntax-only",
        source,
    )


@pytest.mark.parametrize("layout", [0, 1])
def test_every_method_links(tmp_path, layout):
    program = tmp_path / "every_method"
    options = ["-std=c++17", f"-D_GLIBCXX_USE_CXX11_ABI={layout}", "-fkeep-inline-functions", *WARNINGS]
    linked = [LIBRARIES / "libmindspore.so", PACKAGE / "_c_dataengine.so", "-Wl,--allow-shlib-undefined"]
    search = [f"-I{PACKAGE}", f"-Wl,-rpath,{LIBRARIES}:{PACKAGE}"]
    run("g++", *options, *search, PROGRAMS / "every_method.cc", "-o", program, *linked)
    assert int(run(program)) > 100


@pytest.mark.parametrize("layout", [0, 1])
def test_pictures_are_prepared_as_in_python(tmp_path, layout):
    from mindspore.dataset import vision

    pixels = np.random.default_rng(3).integers(0, 256, (20, 30, 3), np.uint8)
    picture = tmp_path / "picture.png"
    vision.write_png(str(picture), pixels)
    program = compiled(tmp_path, "image.cc", 17, layout, PACKAGE / "_c_dataengine.so")
    expected = pixels
    for transform in (
        vision.Resize((12, 10)),
        vision.CenterCrop(8),
        vision.Normalize([120.0, 110.0, 100.0], [60.0, 55.0, 50.0]),
        vision.HWC2CHW(),
    ):
        expected = transform(expected)
    assert np.array_equal(numbers(run(program, picture)), expected.ravel())
    text = tmp_path / "text.png"
    text.write_text("no picture", encoding="utf-8")
    run(program, text, status=2)


def pictures_of(folder: Path) -> tuple[list[Path], np.ndarray]:
    from mindspore.dataset import vision

    pixels = np.random.default_rng(8).integers(0, 256, (2, 20, 30, 3), np.uint8)
    files = [folder / f"picture_{i}.png" for i in range(2)]
    for file, each in zip(files, pixels, strict=True):
        vision.write_png(str(file), each)
    return files, pixels


def with_preprocessing(folder: Path, *transforms) -> tuple[Path, nn.Cell]:
    """A network for pictures of 8 x 8, and its file, which holds the transforms."""
    from mindspore import dataset as ds

    raw = [np.fromfile(file, np.uint8) for file in folder.glob("*.png")][:1]
    dataset = ds.NumpySlicesDataset({"image": raw}, shuffle=False).map(list(transforms), "image")
    network = nn.SequentialCell(nn.Conv2d(3, 4, 3, stride=4), nn.Flatten(), nn.Dense(16, 3)).set_train(False)
    path = folder / "prepared.mindir"
    picture = Tensor(ramp(2, 3, 8, 8))
    ms.export(network, picture, file_name=str(path), file_format="MINDIR", dataset=dataset)
    return path, network


def test_preprocessing_of_the_file_is_run(plain_recipes, tmp_path):
    from mindspore.dataset import transforms, vision

    files, pixels = pictures_of(tmp_path)
    steps = [
        vision.Resize((12, 10), vision.Inter.AREA),
        vision.CenterCrop(8),
        vision.Normalize([120.0, 110.0, 100.0], [60.0, 55.0, 50.0]),
        vision.HWC2CHW(),
        transforms.TypeCast(ms.float32),
    ]
    path, network = with_preprocessing(tmp_path, vision.Decode(), *steps)
    expected = []
    for each in pixels:
        for step in steps:
            each = step(each)
        expected.append(each)
    shown = run(plain_recipes, "preprocessed", path, *files).splitlines()
    assert np.array_equal(numbers(shown[0]), np.stack(expected).ravel())
    result = network(Tensor(np.stack(expected))).asnumpy()
    assert np.allclose(numbers(shown[1]), result.ravel(), rtol=1e-5, atol=1e-6)


def test_preprocessing_that_needs_python_is_named(plain_recipes, tmp_path):
    from mindspore.dataset import vision

    files, _ = pictures_of(tmp_path)
    path, _ = with_preprocessing(tmp_path, vision.Decode(), vision.RandomResizedCrop(8), vision.HWC2CHW())
    done = subprocess.run([plain_recipes, "preprocessed", path, *files], capture_output=True, text=True)
    assert done.returncode == 4
    assert "RandomResizedCrop: a transform that cannot be run without Python" in done.stderr


def test_no_python_below(plain_recipes):
    for file in [plain_recipes, *LIBRARIES.glob("libmindspore*.so"), PACKAGE / "_c_dataengine.so"]:
        assert "libpython" not in run("readelf", "-d", file)
        assert "libpython" not in run("ldd", file)


def test_one_file_is_found_as_the_library_of_transforms():
    found = [path for path in PACKAGE.rglob("_c_dataengine*") if path.is_file()]
    assert found == [PACKAGE / "_c_dataengine.so"]


def test_exported_symbols_hold_no_strings():
    names = run("nm", "-DC", "--defined-only", LIBRARIES / "libmindspore.so").splitlines()
    interface = [name for name in names if name.endswith("MINDSPORE_2.3") and "::Impl::" not in name]
    assert len(interface) > 200
    assert not [name for name in interface if re.search(r"mindspore::.*\(.*basic_string<", name)]
    assert not [
        name for name in names if "mycel" not in name and "mindspore::" not in name and " A " not in name
    ]


@pytest.mark.skipif(shutil.which("cmake") is None, reason="no CMake")
def test_example_is_built_by_its_own_file(tmp_path):
    from mindspore.dataset import vision

    prefix = cpp.answers()["cmakedir"]
    run("cmake", "-S", EXAMPLE, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", tmp_path / "build")
    network = nn.SequentialCell(nn.Conv2d(3, 4, 3, stride=8), nn.Flatten(), nn.Dense(64, 3)).set_train(False)
    ms.export(network, Tensor(ramp(1, 3, 32, 32)), file_name=str(tmp_path / "small"), file_format="MINDIR")
    pixels = np.random.default_rng(4).integers(0, 256, (50, 60, 3), np.uint8)
    vision.write_jpeg(str(tmp_path / "picture.jpg"), pixels)
    (tmp_path / "names.txt").write_text("cat\ndog\nhorse\n", encoding="utf-8")
    program = tmp_path / "build" / "classify_image"
    shown = run(
        program, tmp_path / "small.mindir", tmp_path / "picture.jpg", tmp_path / "names.txt"
    ).splitlines()
    assert sorted(line.split()[1] for line in shown) == ["cat", "dog", "horse"]
    assert sum(float(line.split()[0]) for line in shown) == pytest.approx(1, abs=1e-4)


@pytest.mark.skipif(shutil.which("cmake") is None, reason="no CMake")
def test_programs_find_the_package_by_its_path_alone(tmp_path):
    shutil.copy(PROGRAMS / "image.cc", tmp_path / "main.cc")
    (tmp_path / "CMakeLists.txt").write_text(
        """cmake_minimum_required(VERSION 3.14)
project(app CXX)
set(CMAKE_CXX_STANDARD 17)
include_directories(${MINDSPORE_PATH} ${MINDSPORE_PATH}/include)
add_compile_definitions(_GLIBCXX_USE_CXX11_ABI=0)
find_library(MS_LIB libmindspore.so ${MINDSPORE_PATH}/lib)
file(GLOB_RECURSE MD_LIB ${MINDSPORE_PATH}/_c_dataengine*)
add_executable(app main.cc)
set(CMAKE_EXE_LINKER_FLAGS "-fPIE -Wl,--allow-shlib-undefined")
target_link_libraries(app ${MS_LIB} ${MD_LIB})
""",
        encoding="utf-8",
    )
    run("cmake", "-S", tmp_path, "-B", tmp_path / "build", f"-DMINDSPORE_PATH={PACKAGE}")
    run("cmake", "--build", tmp_path / "build")
    run(tmp_path / "build" / "app", status=100)


@pytest.mark.skipif(shutil.which("pkg-config") is None, reason="no pkg-config")
def test_pkg_config_knows_the_package(tmp_path, model):
    environment = {**os.environ, "PKG_CONFIG_PATH": cpp.answers()["pkgconfigdir"]}
    assert run("pkg-config", "--modversion", "mindspore", env=environment).strip() == "2.3.0"
    flags = run("pkg-config", "--cflags", "--libs", "mindspore", env=environment).split()
    program = tmp_path / "recipes"
    run("g++", "-std=c++17", PROGRAMS / "recipes.cc", "-o", program, *flags, "-pthread")
    run(program, "load_build_predict", model)


def test_command_tells_where_things_are(capsys):
    for option in ("cflags", "libs", "includedir", "libdir", "cmakedir", "pkgconfigdir", "version"):
        assert cpp.main([f"--{option}"]) == 0
        assert capsys.readouterr().out.count("\n") == 1
    assert cpp.main(["--cflags", "--libs"]) == 0
    assert capsys.readouterr().out == f"{cpp.answers()['cflags']} {cpp.answers()['libs']}\n"
    assert (Path(cpp.answers()["cmakedir"]) / "mindsporeConfig.cmake").is_file()


def test_programs_of_the_guide(tmp_path):
    """Its blocks, as they stand: Python, C++ and the shell, and then the server with the same commands."""
    guide = (EXAMPLE.parents[1] / "docs" / "guide" / "cpp.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```(python|cpp|sh)\n(.*?)```", guide, re.DOTALL)
    first = dict(reversed(blocks))
    first_program, server = (text for kind, text in blocks if kind == "cpp" and "int main" in text)
    search = f"{PACKAGE.parent}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    environment = {**os.environ, "PYTHONPATH": search}
    run(sys.executable, "-c", first["python"], cwd=tmp_path, env=environment)
    commands = first["sh"].replace("python -m", f"{sys.executable} -m")
    (tmp_path / "main.cc").write_text(first_program, encoding="utf-8")
    shown = run("bash", "-ec", commands, cwd=tmp_path, env=environment)
    assert len(shown.split()) == 10
    (tmp_path / "main.cc").write_text(server, encoding="utf-8")
    run("bash", "-ec", commands.replace("main.cc", "main.cc -pthread"), cwd=tmp_path, env=environment)


def test_command_without_headers_says_so(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(cpp, "ROOT", tmp_path)
    assert cpp.main(["--libs"]) == 1
    assert "no headers" in capsys.readouterr().err
