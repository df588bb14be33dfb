# SPDX-License-Identifier: Apache-2.0
"""The table of settings is complete, and nothing in it is without an effect, a reason or a refusal."""

from __future__ import annotations

import importlib.util
import inspect
from pathlib import Path

import pytest
import readers

from mindspore._settings import families
from mindspore._settings.environment import ENVIRONMENT
from mindspore._settings.family import Store
from mindspore._settings.pipeline_keys import PIPELINES, SETTINGS_FILE
from mindspore._settings.setting import State

ROOT = Path(__file__).resolve().parents[2]
FAMILIES = {family.call: family for family in families()}
TOLD = [
    pytest.param(family, setting, id=f"{family.call}-{setting.name}")
    for family in FAMILIES.values()
    for setting in family.settings.values()
    if setting.about
]
TARGETS = [
    pytest.param(family, name, function, id=f"{family.call}-{name}")
    for family in FAMILIES.values()
    for target in family.targets
    if not target.endswith(("*.*", ".*", "_*"))
    for name, function in readers.functions_of(target)
]


@pytest.mark.parametrize(("family", "name", "function"), TARGETS)
def test_every_argument_is_in_the_table(family, name, function):
    assert set(readers.arguments_of(function)) <= set(family.settings)


@pytest.mark.parametrize(("family", "name", "function"), TARGETS)
def test_an_argument_that_works_is_looked_at(family, name, function):
    works = {each for each, setting in family.settings.items() if setting.state is State.WORKS}
    assert not readers.idle_arguments(function) & works


def test_every_method_that_sets_something_is_in_the_table():
    for family in FAMILIES.values():
        for target in family.targets:
            if target.endswith(".*"):
                methods = {name for name, _ in readers.functions_of(target)}
                assert methods <= set(family.settings), family.call


def test_collected_keywords_are_in_the_table():
    from mindspore.nn.optim.adam import Adam
    from mindspore.profiler import profiling
    from mindspore.train import _model_checks, amp

    assert set(_model_checks._KEYWORDS) <= set(FAMILIES["Model"].settings)
    assert {"use_lazy", "use_offload"} <= set(FAMILIES["optimizer"].settings)
    assert "use_lazy" in inspect.getsource(Adam._take_keywords)
    assert {*profiling._OPTIONS, "profiler_level"} == set(FAMILIES["Profiler"].settings)
    for word in ("cast_model_type", "keep_batchnorm_fp32", "loss_scale_manager"):
        assert word in inspect.getsource(amp._check_keywords)
        assert word in FAMILIES["build_train_network"].settings


def test_every_function_of_the_pipelines_is_in_the_table():
    from mindspore.dataset import config

    setters = {name.removeprefix("set_") for name in config.__all__ if name.startswith("set_")}
    assert setters == set(PIPELINES.settings)
    assert set(config._FILE_KEYS) <= set(SETTINGS_FILE.settings)


@pytest.mark.parametrize(("family", "setting"), TOLD)
def test_every_entry_says_why(family, setting):
    assert setting.about and not setting.about.endswith("."), "the text is continued by messages"
    if setting.state is not State.REFUSED:
        assert setting.error is None


@pytest.mark.parametrize(
    ("family", "setting"),
    [case for case in TOLD if case.values[1].state is State.WORKS and case.values[1].reader],
)
def test_a_setting_that_works_has_a_reader(family, setting):
    file = setting.reader
    name = setting.name.removeprefix("multiprocessing_") if "start_method" in setting.name else setting.name
    assert name in readers.text_of(file)
    stores = (
        "_settings/context_keys.py",
        "_settings/parallel_keys.py",
        "context.py",
        "_auto_parallel_context.py",
    )
    assert family is ENVIRONMENT or file not in stores


@pytest.mark.parametrize("family", [family for family in FAMILIES.values() if isinstance(family, Store)])
def test_a_stored_setting_that_works_is_applied_or_read(family):
    for setting in family.settings.values():
        if setting.state is State.WORKS:
            assert setting.apply is not None or setting.reader, setting.name


def test_every_variable_that_is_read_is_in_the_table():
    read = readers.variables_of_package() | readers.variables_of_library()
    assert read <= set(ENVIRONMENT.settings)
    works = {name for name, setting in ENVIRONMENT.settings.items() if setting.state is State.WORKS}
    assert works <= read


def test_the_page_is_the_table():
    spec = importlib.util.spec_from_file_location("settings_page", ROOT / "tools/generate/settings_page.py")
    generator = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generator)
    assert (ROOT / "docs/guide/settings.md").read_text() == generator.page(), (
        "make it anew: python tools/generate/settings_page.py > docs/guide/settings.md"
    )
