# SPDX-License-Identifier: Apache-2.0
"""Where the files of published sound collections lie, and what their lists say."""

from __future__ import annotations

import os
import re
from typing import Any

from ._layouts_vision import files, folders, lines, required_folder
from ._published_lists import GTZAN_PARTS
from ._table import RowTable

CMU_ARCTIC_VOICES = tuple("aew ahw aup awb axb bdl clb eey fem gka jmk ksp ljm lnh rms rxr slp slt".split())  # noqa: SIM905
GTZAN_GENRES = ("blues", "classical", "country", "disco", "hiphop", "jazz", "metal", "pop", "reggae", "rock")
LIBRI_TTS_PARTS = (
    "dev-clean",
    "dev-other",
    "test-clean",
    "test-other",
    "train-clean-100",
    "train-clean-360",
    "train-other-500",
)
_WAV = (".wav",)


def cmu_arctic(root: str, name: str | None) -> dict[str, Any]:
    """cmu_us_<voice>_arctic: sentences in etc/txt.done.data as ( name "text" )."""
    table = RowTable(
        "CMUArcticDataset",
        root,
        {"waveform": "wave", "sample_rate": "rate_uint32", "transcript": "string", "utterance_id": "string"},
    )
    folder = os.path.join(root, f"cmu_us_{name or 'aew'}_arctic")
    required_folder(folder, "CMUArcticDataset")
    for number, line in enumerate(lines(os.path.join(folder, "etc", "txt.done.data")), 1):
        if not line.strip():
            continue
        found = re.fullmatch(r'\(\s*(\S+)\s+"(.*)"\s*\)\s*', line)
        if found is None:
            raise RuntimeError(
                f'Invalid file, line {number} of {folder}/etc/txt.done.data is not ( name "text" ).'
            )
        identifier, text = found.groups()
        table.add(
            waveform=os.path.join(folder, "wav", identifier + ".wav"),
            transcript=text,
            # The number of the sentence: "a0001" of "arctic_a0001".
            utterance_id=identifier.rsplit("_", 1)[-1],
        )
    return table.arguments()


def _gtzan_numbers(part: str, genre: str) -> set[int]:
    numbers: set[int] = set()
    for word in GTZAN_PARTS[part][genre].split():
        first, _, last = word.partition("-")
        numbers.update(range(int(first), int(last or first) + 1))
    return numbers


def gtzan(root: str, usage: str | None) -> dict[str, Any]:
    """Folders of genres with <genre>.<number>.wav."""
    table = RowTable(
        "GTZANDataset", root, {"waveform": "wave", "sample_rate": "rate_uint32", "label": "string"}
    )
    for genre in (name for name in folders(root) if name in GTZAN_GENRES):
        wanted = None if usage in (None, "all") else _gtzan_numbers(usage, genre)
        for path in files(os.path.join(root, genre), _WAV):
            number = os.path.basename(path)[len(genre) + 1 : -len(".wav")]
            if wanted is None or (number.isdigit() and int(number) in wanted):
                table.add(waveform=path, label=genre)
    return table.arguments()


def libri_tts(root: str, usage: str | None) -> dict[str, Any]:
    """<part>/<speaker>/<chapter>/<speaker>_<chapter>.trans.tsv with name, original and normalised text."""
    columns = {"waveform": "wave", "sample_rate": "rate_uint32", "original_text": "string"}
    columns.update(normalized_text="string", speaker_id="uint32", chapter_id="uint32", utterance_id="string")
    table = RowTable("LibriTTSDataset", root, columns)
    for part in LIBRI_TTS_PARTS if usage in (None, "all") else (usage,):
        for speaker in folders(os.path.join(root, part)) if os.path.isdir(os.path.join(root, part)) else ():
            for chapter in folders(os.path.join(root, part, speaker)):
                _libri_tts_chapter(table, os.path.join(root, part, speaker, chapter), speaker, chapter)
    return table.arguments()


def _libri_tts_chapter(table: RowTable, folder: str, speaker: str, chapter: str) -> None:
    listing = os.path.join(folder, f"{speaker}_{chapter}.trans.tsv")
    if not (speaker.isdigit() and chapter.isdigit()):
        raise RuntimeError(f"Invalid data, speaker and chapter of {folder} are not numbers.")
    for number, line in enumerate(lines(listing), 1):
        if not line:
            continue
        fields = line.split("\t")
        if len(fields) != 3:
            raise RuntimeError(
                f"Invalid file, line {number} of {listing} has {len(fields)} fields, expected 3."
            )
        table.add(
            waveform=os.path.join(folder, fields[0] + ".wav"),
            original_text=fields[1],
            normalized_text=fields[2],
            speaker_id=int(speaker),
            chapter_id=int(chapter),
            utterance_id=fields[0],
        )


def lj_speech(root: str) -> dict[str, Any]:
    """metadata.csv: name|text|normalised text."""
    columns = {"waveform": "wave", "sample_rate": "rate_int32"}
    columns.update(transcription="string", normalized_transcription="string")
    table = RowTable("LJSpeechDataset", root, columns)
    for number, line in enumerate(lines(os.path.join(root, "metadata.csv")), 1):
        if not line:
            continue
        fields = line.split("|")
        if len(fields) != 3:
            raise RuntimeError(f"Invalid file, line {number} of {root}/metadata.csv has not three fields.")
        table.add(
            waveform=os.path.join(root, "wavs", fields[0] + ".wav"),
            transcription=fields[1],
            normalized_transcription=fields[2],
        )
    return table.arguments()


def _speech_lists(root: str) -> dict[str, set[str]]:
    lists = {}
    for part, name in (("test", "testing_list.txt"), ("valid", "validation_list.txt")):
        path = os.path.join(root, name)
        lists[part] = (
            {line.strip() for line in lines(path) if line.strip()} if os.path.isfile(path) else set()
        )
    return lists


def speech_commands(root: str, usage: str | None) -> dict[str, Any]:
    """Folders of words with <speaker>_nohash_<number>.wav; two lists pick the files to test and validate."""
    columns = {"waveform": "wave", "sample_rate": "rate_int32", "label": "string"}
    columns.update(speaker_id="string", utterance_number="int32")
    table = RowTable("SpeechCommandsDataset", root, columns)
    lists = _speech_lists(root)
    for word in folders(root):
        for path in files(os.path.join(root, word), _WAV):
            name = f"{word}/{os.path.basename(path)}"
            speaker, separator, number = os.path.basename(path)[: -len(".wav")].partition("_nohash_")
            if not separator or not number.isdigit():
                continue  # background noise
            part = next((part for part, names in lists.items() if name in names), "train")
            if usage in (None, "all", part):
                table.add(waveform=path, label=word, speaker_id=speaker, utterance_number=int(number))
    return table.arguments()


def yes_no(root: str) -> dict[str, Any]:
    """The name of a file is its label: eight numbers between underscores."""
    table = RowTable(
        "YesNoDataset", root, {"waveform": "wave", "sample_rate": "rate_int32", "label": "int32[8]"}
    )
    for path in files(root, _WAV):
        words = os.path.basename(path)[: -len(".wav")].split("_")
        if len(words) != 8 or not all(word.isdigit() for word in words):
            raise RuntimeError(f"Invalid data, the name of {path} is not eight numbers.")
        table.add(waveform=path, label=[int(word) for word in words])
    return table.arguments()


_STM_LINE = re.compile(r"(\S+)\s+(\S+)\s+(\S+)\s+([0-9.]+)\s+([0-9.]+)\s+(<\S+>)\s*(.*)")


def tedlium(root: str, release: str, usage: str | None, extension: str | None) -> dict[str, Any]:
    """Talks in sph/, their segments in stm/: talk, channel, speaker, start, end, <identifier>, text."""
    if extension not in (None, ".sph"):
        raise RuntimeError(f"TedliumDataset: extension {extension} is not supported.")
    parts = ("data",) if release == "release3" else ("train", "test", "dev")
    if release != "release3" and usage not in (None, "all"):
        parts = (usage,)
    columns = {"waveform": "wave", "sample_rate": "rate_int32", "transcript": "string"}
    columns.update(talk_id="string", speaker_id="string", identifier="string")
    table = RowTable("TedliumDataset", root, columns)
    ranges: list[float] = []
    for part in parts:
        for path in files(os.path.join(root, part, "stm"), (".stm",)):
            sound = os.path.join(root, part, "sph", os.path.basename(path)[: -len(".stm")] + ".sph")
            for number, line in enumerate(lines(path), 1):
                if not line.strip():
                    continue
                found = _STM_LINE.fullmatch(line.strip())
                if found is None:
                    raise RuntimeError(f"Invalid file, line {number} of {path} is not a segment.")
                talk, _, speaker, start, end, identifier, text = found.groups()
                ranges += [float(start), float(end)]
                table.add(
                    waveform=sound, transcript=text, talk_id=talk, speaker_id=speaker, identifier=identifier
                )
    if not ranges:
        raise RuntimeError(
            f"Invalid data, no valid data matching the dataset API TedliumDataset. Check file path: {root}"
        )
    return {**table.arguments(), "waveform.seconds": ranges}
