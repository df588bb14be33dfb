# SPDX-License-Identifier: Apache-2.0
"""Sound: speech and music in WAV and SPHERE files."""

from __future__ import annotations

from mindspore._later import defined_classes

from ..core.checks import check_choice, one_of
from . import _layouts_audio as layouts
from ._parameters import DATASET_DIR, ROWS, TRAIN_TEST_VALID_ALL, TRAIN_VALID_TEST_ALL, Parameter, choice
from ._sources import TableDataset
from .datasets import AudioBaseDataset


class CMUArcticDataset(TableDataset, AudioBaseDataset):
    """English sentences read by one voice (CMU Arctic).

    Columns: `waveform` float32 (channels, time), `sample_rate` uint32, `transcript` string, `utterance_id`
    string.
    """

    _parameters = (
        DATASET_DIR,
        Parameter(
            "name", "str", "The voice.", None, "which is ``'aew'`` ", one_of(*layouts.CMU_ARCTIC_VOICES)
        ),
        *ROWS,
    )
    _listed_by = staticmethod(layouts.cmu_arctic)


class GTZANDataset(TableDataset, AudioBaseDataset):
    """Pieces of music of ten genres (GTZAN).

    Columns: `waveform` float32 (channels, time), `sample_rate` uint32, `label` string.
    """

    _parameters = (DATASET_DIR, TRAIN_VALID_TEST_ALL, *ROWS)
    _listed_by = staticmethod(layouts.gtzan)


class LibriTTSDataset(TableDataset, AudioBaseDataset):
    """English speech read from books (LibriTTS).

    Columns: `waveform` float32 (channels, time), `sample_rate` uint32, `original_text` string,
    `normalized_text` string, `speaker_id` uint32, `chapter_id` uint32, `utterance_id` string.
    """

    _parameters = (
        DATASET_DIR,
        Parameter(
            "usage",
            "str",
            "One part, as ``'dev-clean'`` or ``'train-clean-100'`` , or ``'all'`` , which ``None`` stands "
            "for.",
            None,
            rule=one_of(*layouts.LIBRI_TTS_PARTS, "all"),
        ),
        *ROWS,
    )
    _listed_by = staticmethod(layouts.libri_tts)


class LJSpeechDataset(TableDataset, AudioBaseDataset):
    """One speaker reading from seven books (LJSpeech).

    Columns: `waveform` float32 (channels, time), `sample_rate` int32, `transcription` string,
    `normalized_transcription` string.
    """

    _parameters = (DATASET_DIR, *ROWS)
    _listed_by = staticmethod(layouts.lj_speech)


class SpeechCommandsDataset(TableDataset, AudioBaseDataset):
    """Single spoken words (Speech Commands).

    Columns: `waveform` float32 (channels, time), `sample_rate` int32, `label` string, `speaker_id` string,
    `utterance_number` int32.
    """

    _parameters = (DATASET_DIR, TRAIN_TEST_VALID_ALL, *ROWS)
    _listed_by = staticmethod(layouts.speech_commands)


class TedliumDataset(TableDataset, AudioBaseDataset):
    """Talks with their transcripts, cut into segments (TED-LIUM).

    Columns: `waveform` float32 (channels, time), `sample_rate` int32, `transcript` , `talk_id` , `speaker_id`
    , `identifier` string.
    """

    _parameters = (
        DATASET_DIR,
        choice("release", "release1", "release2", "release3"),
        Parameter(
            "usage",
            "str",
            "Of release 1 and 2: ``'train'`` , ``'test'`` , ``'dev'`` or ``'all'`` ; of release 3: "
            "``'all'`` .",
            None,
        ),
        Parameter("extensions", "str", "Ending of the sound files.", None, "which is ``'.sph'`` "),
        *ROWS,
    )
    _listed_by = staticmethod(layouts.tedlium)

    def _prepare(self) -> None:
        parts = ("all",) if self.release == "release3" else ("train", "test", "dev", "all")
        if self.usage is not None:
            check_choice(self.usage, parts, "usage")


class YesNoDataset(TableDataset, AudioBaseDataset):
    """Yes and no in Hebrew, eight words in each file (YesNo).

    Columns: `waveform` float32 (channels, time), `sample_rate` int32, `label` int32 of shape (8,).
    """

    _parameters = (DATASET_DIR, *ROWS)
    _listed_by = staticmethod(layouts.yes_no)


__all__ = defined_classes(globals())
