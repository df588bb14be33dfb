# SPDX-License-Identifier: Apache-2.0
"""Sound: speech and music in WAV and SPHERE files."""

from __future__ import annotations

from typing import Any

from ..core.checks import check_choice, one_of, text
from . import _layouts_audio as layouts
from ._sources import TableDataset, constructor
from .datasets import AudioBaseDataset

__all__ = [
    "CMUArcticDataset",
    "GTZANDataset",
    "LJSpeechDataset",
    "LibriTTSDataset",
    "SpeechCommandsDataset",
    "TedliumDataset",
    "YesNoDataset",
]


class CMUArcticDataset(TableDataset, AudioBaseDataset):
    """English sentences read by one voice (CMU Arctic).

    Columns: `waveform` float32 (channels, time), `sample_rate` uint32, `transcript` string, `utterance_id`
    string.

    Args:
        dataset_dir (str): Folder that holds the data.
        name (str, optional): The voice. Default: ``None`` , which is ``'aew'`` .
    """

    @constructor(name=one_of(*layouts.CMU_ARCTIC_VOICES))
    def __init__(
        self,
        dataset_dir,
        name=None,
        num_samples=None,
        num_parallel_workers=None,
        shuffle=None,
        sampler=None,
        num_shards=None,
        shard_id=None,
        cache=None,
    ) -> None:
        pass

    def _layout(self) -> dict[str, Any]:
        return layouts.cmu_arctic(self.dataset_dir, self.name)


class GTZANDataset(TableDataset, AudioBaseDataset):
    """Pieces of music of ten genres (GTZAN).

    Columns: `waveform` float32 (channels, time), `sample_rate` uint32, `label` string.

    Args:
        dataset_dir (str): Folder that holds the data.
        usage (str, optional): ``'train'`` , ``'valid'`` , ``'test'`` or ``'all'`` , which ``None`` stands
            for. Default: ``None`` .
    """

    @constructor(usage=one_of("train", "valid", "test", "all"))
    def __init__(
        self,
        dataset_dir,
        usage=None,
        num_samples=None,
        num_parallel_workers=None,
        shuffle=None,
        sampler=None,
        num_shards=None,
        shard_id=None,
        cache=None,
    ) -> None:
        pass

    def _layout(self) -> dict[str, Any]:
        return layouts.gtzan(self.dataset_dir, self.usage)


class LibriTTSDataset(TableDataset, AudioBaseDataset):
    """English speech read from books (LibriTTS).

    Columns: `waveform` float32 (channels, time), `sample_rate` uint32, `original_text` string,
    `normalized_text` string, `speaker_id` uint32, `chapter_id` uint32, `utterance_id` string.

    Args:
        dataset_dir (str): Folder that holds the data.
        usage (str, optional): One part, as ``'dev-clean'`` or ``'train-clean-100'`` , or ``'all'`` , which
            ``None`` stands for. Default: ``None`` .
    """

    @constructor(usage=one_of(*layouts.LIBRI_TTS_PARTS, "all"))
    def __init__(
        self,
        dataset_dir,
        usage=None,
        num_samples=None,
        num_parallel_workers=None,
        shuffle=None,
        sampler=None,
        num_shards=None,
        shard_id=None,
        cache=None,
    ) -> None:
        pass

    def _layout(self) -> dict[str, Any]:
        return layouts.libri_tts(self.dataset_dir, self.usage)


class LJSpeechDataset(TableDataset, AudioBaseDataset):
    """One speaker reading from seven books (LJSpeech).

    Columns: `waveform` float32 (channels, time), `sample_rate` int32, `transcription` string,
    `normalized_transcription` string.

    Args:
        dataset_dir (str): Folder that holds the data.
    """

    @constructor()
    def __init__(
        self,
        dataset_dir,
        num_samples=None,
        num_parallel_workers=None,
        shuffle=None,
        sampler=None,
        num_shards=None,
        shard_id=None,
        cache=None,
    ) -> None:
        pass

    def _layout(self) -> dict[str, Any]:
        return layouts.lj_speech(self.dataset_dir)


class SpeechCommandsDataset(TableDataset, AudioBaseDataset):
    """Single spoken words (Speech Commands).

    Columns: `waveform` float32 (channels, time), `sample_rate` int32, `label` string, `speaker_id` string,
    `utterance_number` int32.

    Args:
        dataset_dir (str): Folder that holds the data.
        usage (str, optional): ``'train'`` , ``'test'`` , ``'valid'`` or ``'all'`` , which ``None`` stands
            for. Default: ``None`` .
    """

    @constructor(usage=one_of("train", "test", "valid", "all"))
    def __init__(
        self,
        dataset_dir,
        usage=None,
        num_samples=None,
        num_parallel_workers=None,
        shuffle=None,
        sampler=None,
        num_shards=None,
        shard_id=None,
        cache=None,
    ) -> None:
        pass

    def _layout(self) -> dict[str, Any]:
        return layouts.speech_commands(self.dataset_dir, self.usage)


class TedliumDataset(TableDataset, AudioBaseDataset):
    """Talks with their transcripts, cut into segments (TED-LIUM).

    Columns: `waveform` float32 (channels, time), `sample_rate` int32, `transcript` , `talk_id` , `speaker_id`
    , `identifier` string.

    Args:
        dataset_dir (str): Folder that holds the data.
        release (str): ``'release1'`` , ``'release2'`` or ``'release3'`` .
        usage (str, optional): Of release 1 and 2: ``'train'`` , ``'test'`` , ``'dev'`` or ``'all'`` ; of
            release 3: ``'all'`` . Default: ``None`` .
        extensions (str, optional): Ending of the sound files. Default: ``None`` , which is ``'.sph'`` .
    """

    @constructor(release=one_of("release1", "release2", "release3"), usage=text, extensions=text)
    def __init__(
        self,
        dataset_dir,
        release,
        usage=None,
        extensions=None,
        num_samples=None,
        num_parallel_workers=None,
        shuffle=None,
        sampler=None,
        num_shards=None,
        shard_id=None,
        cache=None,
    ) -> None:
        if usage is not None:
            check_choice(
                usage, ("all",) if release == "release3" else ("train", "test", "dev", "all"), "usage"
            )

    def _layout(self) -> dict[str, Any]:
        return layouts.tedlium(self.dataset_dir, self.release, self.usage, self.extensions)


class YesNoDataset(TableDataset, AudioBaseDataset):
    """Yes and no in Hebrew, eight words in each file (YesNo).

    Columns: `waveform` float32 (channels, time), `sample_rate` int32, `label` int32 of shape (8,).

    Args:
        dataset_dir (str): Folder that holds the data.
    """

    @constructor()
    def __init__(
        self,
        dataset_dir,
        num_samples=None,
        num_parallel_workers=None,
        shuffle=None,
        sampler=None,
        num_shards=None,
        shard_id=None,
        cache=None,
    ) -> None:
        pass

    def _layout(self) -> dict[str, Any]:
        return layouts.yes_no(self.dataset_dir)
