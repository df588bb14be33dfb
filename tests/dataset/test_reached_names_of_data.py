# SPDX-License-Identifier: Apache-2.0
"""Names of the data packages that programs reach though no list of the interface has them."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

import mindspore as ms
import mindspore.dataset as ds
from mindspore.dataset import vision
from mindspore.dataset.core import datatypes, validator_helpers
from mindspore.dataset.transforms import validators

REACHED = {
    "mindspore._c_dataengine": "DataType",
    "mindspore.dataset": (
        "AudioBaseDataset BatchDataset BucketBatchByLengthDataset ConcatDataset Dataset DictIterator "
        "FilterDataset Implementation Implementation.C Iterator MapDataset MappableDataset "
        "PaddedBatchDataset ProjectDataset RenameDataset RepeatDataset Sampler ShuffleDataset SkipDataset "
        "SourceDataset SyncWaitDataset TakeDataset TextBaseDataset TupleIterator UnionBaseDataset "
        "VisionBaseDataset ZipDataset config context context.GRAPH_MODE context.PYNATIVE_MODE "
        "context.set_context ds ds.GeneratorDataset"
    ),
    "mindspore.dataset.core.datatypes": "mstype_to_detype mstypelist_to_detypelist nptype_to_detype",
    "mindspore.dataset.core.validator_helpers": (
        "INT32_MAX INT32_MIN INT64_MAX UINT8_MAX UINT32_MAX FLOAT_MAX_INTEGER check_columns check_dir "
        "check_file check_num_samples check_positive check_value parse_user_args type_check type_check_list"
    ),
    "mindspore.dataset.engine": "TakeDataset __all__ config config.set_seed samplers datasets",
    "mindspore.dataset.engine.datasets": (
        "BatchDataset Cifar10Dataset CocoDataset GeneratorDataset ImageFolderDataset MindDataset "
        "MnistDataset TFRecordDataset TransferDataset"
    ),
    "mindspore.dataset.transforms": "PyTensorOperation TensorOperation c_transforms py_transforms vision",
    "mindspore.dataset.transforms.validators": "check_random_transform_ops check_transform_op_type",
    "mindspore.dataset.transforms.vision": "Inter c_transforms py_transforms",
    "mindspore.dataset.vision": (
        "MixUpBatch NormalizePad c_transforms py_transforms py_transforms_util read_video "
        "read_video_timestamps transforms utils"
    ),
    "mindspore.dataset.vision.c_transforms": "ImageTensorOperation MixUpBatch NormalizePad TensorOperation",
    "mindspore.dataset.vision.py_transforms": "DE_PY_BORDER_TYPE DE_PY_INTER_MODE NormalizePad",
    "mindspore.dataset.vision.py_transforms_util": (
        "adjust_brightness adjust_contrast adjust_saturation augment_error_message.format hwc_to_chw "
        "is_numpy is_pil random_crop rotate"
    ),
    "mindspore.dataset.vision.transforms": "ImageTensorOperation PyTensorOperation TensorOperation",
}
# Modules that come later: they can be imported, and say of each name that it is not there.
LATER = {
    "mindspore.dataset.audio": "Resample Spectrogram",
    "mindspore.dataset.audio.transforms": "MelScale",
    "mindspore.dataset.audio.utils": "MelType create_dct",
    "mindspore.dataset.text": "BertTokenizer Lookup Vocab to_str",
    "mindspore.dataset.text.transforms": "JiebaTokenizer",
    "mindspore.dataset.text.utils": "SentencePieceVocab",
    "mindspore.mint": "add baddbmm",
    "mindspore.mint.linalg": "inv",
    "mindspore.mint.nn": "Linear",
    "mindspore.mint.nn.functional": "linear",
    "mindspore.mint.optim": "AdamW",
    "mindspore.scipy": "misc",
    "mindspore.scipy.linalg": "lu",
    "mindspore.scipy.optimize": "minimize",
}


@pytest.mark.parametrize("module", REACHED)
def test_reached_names_are_there(module):
    found = importlib.import_module(module)
    for path in REACHED[module].split():
        value = found
        for part in path.split("."):
            value = getattr(value, part)


@pytest.mark.parametrize("module", LATER)
def test_modules_to_come_are_imported_and_say_so(module):
    found = importlib.import_module(module)
    for name in LATER[module].split():
        assert not hasattr(found, name)
        with pytest.raises(AttributeError, match=rf"'{module}\.{name}' is not in this version"):
            getattr(found, name)


@pytest.mark.parametrize(
    "module", ["array_creations", "array_ops", "dtypes", "logic_ops", "math_ops", "utils"]
)
def test_modules_of_numpy_give_what_the_package_has(module):
    found = importlib.import_module(f"mindspore.numpy.{module}")
    if module == "dtypes":
        assert found.float32 is ms.float32
    else:
        assert found.arange is ms.numpy.arange
    with pytest.raises(AttributeError, match="not in this version"):
        found.no_such_function  # noqa: B018


def rows():
    return ds.NumpySlicesDataset({"x": np.arange(6)}, shuffle=False)


@pytest.mark.parametrize(
    ("made", "name"),
    [
        (lambda: rows().batch(2), "BatchDataset"),
        (lambda: rows().padded_batch(2), "PaddedBatchDataset"),
        (lambda: rows().repeat(2), "RepeatDataset"),
        (lambda: rows().take(2), "TakeDataset"),
        (lambda: rows().skip(2), "SkipDataset"),
        (lambda: rows().shuffle(2), "ShuffleDataset"),
        (lambda: rows().map(lambda x: x, "x"), "MapDataset"),
        (lambda: rows().filter(lambda x: True), "FilterDataset"),
        (lambda: rows().rename("x", "y"), "RenameDataset"),
        (lambda: rows().project("x"), "ProjectDataset"),
        (lambda: rows() + rows(), "ConcatDataset"),
        (lambda: rows().zip(rows().rename("x", "y")), "ZipDataset"),
        (
            lambda: rows().bucket_batch_by_length(["x"], [2], [1, 1], lambda x: 1),
            "BucketBatchByLengthDataset",
        ),
    ],
)
def test_operations_give_their_classes(made, name):
    dataset = made()
    for owner in (ds, ds.engine.datasets):
        assert isinstance(dataset, getattr(owner, name))
    assert isinstance(dataset, ds.UnionBaseDataset)
    assert not isinstance(dataset, ds.SourceDataset)


def test_sources_have_the_bases_of_their_kind():
    assert issubclass(ds.MappableDataset, ds.SourceDataset)
    kinds = (ds.VisionBaseDataset, ds.TextBaseDataset, ds.AudioBaseDataset, ds.UnionBaseDataset)
    expected = {
        ds.ImageFolderDataset: (ds.MappableDataset, ds.VisionBaseDataset),
        ds.Cifar10Dataset: (ds.MappableDataset, ds.VisionBaseDataset),
        ds.TextFileDataset: (ds.SourceDataset, ds.TextBaseDataset),
        ds.GTZANDataset: (ds.MappableDataset, ds.AudioBaseDataset),
        ds.GeneratorDataset: (ds.MappableDataset, ds.UnionBaseDataset),
        ds.MindDataset: (ds.MappableDataset, ds.UnionBaseDataset),
        ds.TFRecordDataset: (ds.SourceDataset, ds.UnionBaseDataset),
    }
    for source, bases in expected.items():
        assert issubclass(source, bases[0])
        assert [kind for kind in kinds if issubclass(source, kind)] == [bases[1]]


def test_star_import_gives_the_public_names_alone():
    names: dict = {}
    exec("from mindspore.dataset import *", names)
    assert {"ImageFolderDataset", "GeneratorDataset", "zip", "Schema"} <= names.keys()
    assert not {"vision", "np", "context"} & names.keys()


def test_types_of_columns():
    detype = datatypes.mstype_to_detype
    assert str(detype(ms.int32)) == "int32"
    assert str(detype(ms.string)) == "string"
    assert detype(ms.float16) == datatypes.nptype_to_detype(np.float16)
    assert datatypes.nptype_to_detype(np.complex64) is None
    types = [ms.bool_, None]
    assert datatypes.mstypelist_to_detypelist(types) is types
    assert [str(one) for one in types] == ["bool", "unknown"]
    with pytest.raises(NotImplementedError):
        detype("int32")


def test_checks_of_arguments():
    checks = validator_helpers
    assert (checks.INT32_MAX, checks.INT32_MIN) == (2147483647, -2147483648)
    with pytest.raises(
        ValueError, match=r"Input size is not within the required interval of \[1, 4294967295\]"
    ):
        checks.check_pos_uint32(0, "size")
    with pytest.raises(TypeError, match="Argument size with value True is not of type"):
        checks.type_check(True, (int,), "size")
    with pytest.raises(ValueError, match=r"of \[-16777216, 0\) and \(0, 16777216\]"):
        checks.check_float32_not_zero(0, "rate")

    def method(self, a, b=2):
        del self, a, b

    assert checks.parse_user_args(method, 1)[0] == [1, 2]


def test_lists_of_transforms_are_checked_for_classes_of_users():
    class Pick:
        @validators.check_random_transform_ops
        def __init__(self, transforms, prob=0.5):
            self.transforms = transforms

    assert len(Pick([abs]).transforms) == 1
    with pytest.raises(ValueError, match="can not be empty"):
        Pick([])
    with pytest.raises(ValueError, match="missing parentheses"):
        Pick([vision.HWC2CHW])
    with pytest.raises(TypeError, match=r"transforms\[0\] is neither"):
        Pick([3])
    with pytest.raises(ValueError, match="prob"):
        Pick([abs], 1.5)


@pytest.mark.parametrize("count", [3, -1])
def test_dataset_size_is_there_once_it_was_asked_for(count):
    rows = ds.NumpySlicesDataset(np.arange(6), ["x"]).batch(2).repeat(count)
    assert rows.dataset_size is None
    assert rows.get_dataset_size() == rows.dataset_size == 3 * abs(count)


def test_dataset_size_is_counted_anew_with_another_sampler():
    rows = ds.NumpySlicesDataset(np.arange(6), ["x"])
    assert rows.get_dataset_size() == rows.dataset_size == 6
    rows.use_sampler(ds.SubsetSampler([1, 2]))
    assert rows.dataset_size is None and rows.get_dataset_size() == 2
