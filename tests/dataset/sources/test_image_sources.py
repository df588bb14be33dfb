# SPDX-License-Identifier: Apache-2.0
"""Folders of pictures and annotated pictures, and sound."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tiny_files import jpeg, rows, wave, write

import mindspore.dataset as ds


@pytest.fixture
def classes(tmp_path):
    for name, count in (("cat", 2), ("dog", 1)):
        for number in range(count):
            write(tmp_path / name / f"{number}.JPG", jpeg())
        write(tmp_path / name / "notes.txt", "no picture")
    return tmp_path


def test_image_folder(classes):
    data = ds.ImageFolderDataset(str(classes), shuffle=False)
    assert [(r["label"].dtype, int(r["label"])) for r in rows(data)] == [(np.int32, i) for i in (0, 0, 1)]
    assert bytes(rows(data)[0]["image"]) == jpeg()
    assert data.get_class_indexing() == {"cat": 0, "dog": 1} and data.num_classes() == 2
    chosen = ds.ImageFolderDataset(str(classes), shuffle=False, class_indexing={"dog": 7})
    assert [int(r["label"]) for r in rows(chosen)] == [7]


def test_image_folder_decodes(classes):
    (row, *_) = rows(ds.ImageFolderDataset(str(classes), shuffle=False, decode=True))
    assert row["image"].shape == (6, 8, 3) and abs(int(row["image"][0, 0, 0]) - 200) < 4


def test_image_folder_reads_encrypted_files(tmp_path):
    write(tmp_path / "cat" / "0.jpg", bytes(byte ^ 0x5A for byte in jpeg()))

    def decrypt(path):
        with open(path, "rb") as file:
            return bytes(byte ^ 0x5A for byte in file.read())

    (row,) = rows(ds.ImageFolderDataset(str(tmp_path), decode=True, decrypt=decrypt))
    assert row["image"].shape == (6, 8, 3)
    with pytest.raises(TypeError, match="decrypt should be a callable"):
        ds.ImageFolderDataset(str(tmp_path), decrypt="key")


def test_image_folder_errors(classes, tmp_path):
    with pytest.raises(ValueError, match="does not exist or is not a directory or permission denied"):
        ds.ImageFolderDataset(str(tmp_path / "none"))
    with pytest.raises(RuntimeError, match="ImageFolderDataset API can't read the data file"):
        rows(ds.ImageFolderDataset(str(classes), extensions=[".webp"]))
    with pytest.raises(TypeError, match=r"Argument decode with value 1 is not of type \[<class 'bool'>\]"):
        ds.ImageFolderDataset(str(classes), decode=1)
    with pytest.raises(TypeError, match="missing a required argument: 'dataset_dir'"):
        ds.ImageFolderDataset()
    (classes / "cat" / "inner").mkdir()
    with pytest.raises(RuntimeError, match="should be file, but got directory"):
        rows(ds.ImageFolderDataset(str(classes)))


@pytest.mark.parametrize("make", [ds.Cifar10Dataset, ds.ImageFolderDataset])
def test_arguments_about_rows(tmp_path, make):
    folder = str(tmp_path)
    sampler = ds.SequentialSampler()
    with pytest.raises(RuntimeError, match="sampler and shuffle cannot be specified at the same time"):
        make(folder, sampler=sampler, shuffle=False)
    with pytest.raises(RuntimeError, match="sampler and sharding cannot be specified at the same time"):
        make(folder, sampler=sampler, num_shards=2, shard_id=0)
    with pytest.raises(RuntimeError, match="num_shards is specified and currently requires shard_id as well"):
        make(folder, num_shards=2)
    with pytest.raises(RuntimeError, match="shard_id is specified but num_shards is not"):
        make(folder, shard_id=0)
    with pytest.raises(ValueError, match=r"Input shard_id is not within the required interval of \[0, 1\]"):
        make(folder, num_shards=2, shard_id=2)
    with pytest.raises(ValueError, match="num_parallel_workers exceeds"):
        make(folder, num_parallel_workers=0)
    with pytest.raises(TypeError, match="Argument shard_id"):
        make(folder, num_shards=2, shard_id="0")
    with pytest.raises(ValueError, match="num_samples exceeds the boundary between 0 and"):
        make(folder, num_samples=-1)


def write_coco(folder, **changes):
    content = {
        "images": [{"id": 1, "file_name": "a.jpg"}, {"id": 2, "file_name": "b.jpg"}],
        "categories": [{"id": 5, "name": "cat", "isthing": 1}],
        "annotations": [
            {
                "image_id": 1,
                "bbox": [1, 2, 3, 4.5],
                "category_id": 5,
                "iscrowd": 0,
                "segmentation": [[1, 2, 3, 4], [5, 6]],
                "keypoints": [1, 2, 0],
                "num_keypoints": 1,
                "caption": "a cat",
            },
        ],
    }
    content.update(changes)
    write(folder / "a.jpg", jpeg())
    return str(write(folder / "annotations.json", json.dumps(content)))


def test_coco_tasks(tmp_path):
    path = write_coco(tmp_path)

    def only_row(task):
        (row,) = rows(ds.CocoDataset(str(tmp_path), path, task, shuffle=False))
        return row

    detection = only_row("Detection")
    assert detection["bbox"].tolist() == [[1, 2, 3, 4.5]] and detection["category_id"].tolist() == [[5]]
    assert [detection[name].dtype for name in ("bbox", "iscrowd")] == [np.float32, np.uint32]
    assert only_row("Stuff")["segmentation"].tolist() == [[1, 2, 3, 4], [5, 6, -1, -1]]
    assert only_row("Keypoint")["num_keypoints"].tolist() == [[1]]
    assert only_row("Captioning")["captions"].tolist() == [["a cat"]]
    data = ds.CocoDataset(str(tmp_path), path)
    assert data.get_class_indexing() == {"cat": [5]}
    with pytest.raises(NotImplementedError, match="Only 'Detection' and 'Panoptic' support"):
        ds.CocoDataset(str(tmp_path), path, "Stuff").get_class_indexing()


def test_coco_panoptic(tmp_path):
    segment = {"bbox": [1, 2, 3, 4], "category_id": 5, "iscrowd": 0, "area": 12}
    path = write_coco(tmp_path, annotations=[{"image_id": 1, "segments_info": [segment, segment]}])
    (row,) = rows(ds.CocoDataset(str(tmp_path), path, "Panoptic", shuffle=False))
    assert row["area"].tolist() == [[12], [12]] and row["bbox"].shape == (2, 4)


@pytest.mark.parametrize(
    "changes, words",
    [
        ({"images": []}, "the attribute of 'image_id': 1 is missing"),
        ({"categories": []}, "the attribute of 'category_id': 5 is missing"),
        ({"annotations": [{"image_id": 1}]}, "the attribute of 'bbox' is missing"),
        ({"annotations": [{"image_id": 1, "bbox": [1], "category_id": 5}]}, "a 'bbox' has 1 values"),
        ({"annotations": 3}, "Invalid annotation file, Coco Dataset annotation file:"),
    ],
)
def test_coco_mistakes(tmp_path, changes, words):
    with pytest.raises(RuntimeError, match=words):
        rows(ds.CocoDataset(str(tmp_path), write_coco(tmp_path, **changes)))


def voc_object(name, box=(1, 2, 5, 7)):
    sides = "".join(
        f"<{side}>{v}</{side}>" for side, v in zip(("xmin", "ymin", "xmax", "ymax"), box, strict=True)
    )
    return f"<object><name>{name}</name><difficult>1</difficult><bndbox>{sides}</bndbox></object>"


def write_voc(folder, *objects):
    write(folder / "ImageSets" / "Main" / "train.txt", "x\n")
    write(folder / "ImageSets" / "Segmentation" / "train.txt", "x\n")
    write(folder / "JPEGImages" / "x.jpg", jpeg())
    write(folder / "SegmentationClass" / "x.png", jpeg())
    write(folder / "Annotations" / "x.xml", f"<annotation>{''.join(objects)}</annotation>")


def test_voc(tmp_path):
    write_voc(tmp_path, voc_object("dog"), voc_object("cat"))
    data = ds.VOCDataset(str(tmp_path), "Detection", shuffle=False)
    (row,) = rows(data)
    assert row["bbox"].tolist() == [[1, 2, 4, 5]] * 2 and row["label"].tolist() == [[1], [0]]
    assert row["difficult"].tolist() == [[1], [1]] and data.get_class_indexing() == {"cat": 0, "dog": 1}
    (row,) = rows(ds.VOCDataset(str(tmp_path), "Detection", class_indexing={"dog": 3}, shuffle=False))
    assert row["label"].tolist() == [[3]]
    assert list(rows(ds.VOCDataset(str(tmp_path), shuffle=False))[0]) == ["image", "target"]


def test_voc_mistakes(tmp_path):
    write_voc(tmp_path, voc_object("dog", (321, 121, 421, 120)))
    with pytest.raises(RuntimeError, match="should be greater than 0, but got {321, 121, 421, 120}"):
        rows(ds.VOCDataset(str(tmp_path), "Detection"))
    write_voc(tmp_path)
    with pytest.raises(RuntimeError, match="'object' is missing"):
        rows(ds.VOCDataset(str(tmp_path), "Detection"))
    write(tmp_path / "Annotations" / "x.xml", "<annotation>")
    with pytest.raises(RuntimeError, match="failed to parse the annotation file"):
        rows(ds.VOCDataset(str(tmp_path), "Detection"))
    with pytest.raises(ValueError, match="does not exist or permission denied"):
        ds.VOCDataset(str(tmp_path), "Detection", "other")


def test_manifest(tmp_path):
    def line(name, usage="train", **more):
        kind = {"type": "modelarts/image_classification", "name": name}
        entry = {"source": str(tmp_path / "a.jpg"), "usage": usage, "annotation": [kind], **more}
        return json.dumps(entry) + "\n"

    write(tmp_path / "a.jpg", jpeg())
    path = str(write(tmp_path / "m", line("dog") + line("cat", "TRAIN") + line("cat", "eval")))
    data = ds.ManifestDataset(path, shuffle=False)
    assert [int(r["label"]) for r in rows(data)] == [1, 0]
    assert data.get_class_indexing() == {"cat": 0, "dog": 1} and data.num_classes() == 2
    write(tmp_path / "m", '{"usage": "train"}\n')
    with pytest.raises(RuntimeError, match="Invalid manifest file, 'source' is missing in: .* at line 1"):
        rows(ds.ManifestDataset(path))


def test_celeba(tmp_path):
    values = " ".join("1" if i == 3 else "-1" for i in range(40))
    write(tmp_path / "list_attr_celeba.txt", f"2\nnames\na.jpg {values}\nb.jpg  {values}\n")
    write(tmp_path / "list_eval_partition.txt", "a.jpg 0\nb.jpg 2\n")
    for name in ("a.jpg", "b.jpg"):
        write(tmp_path / name, jpeg())
    assert len(rows(ds.CelebADataset(str(tmp_path), shuffle=False))) == 2
    (row,) = rows(ds.CelebADataset(str(tmp_path), shuffle=False, usage="test"))
    assert row["attr"].sum() == row["attr"][3] == 1 and row["attr"].dtype == np.uint32
    write(tmp_path / "list_attr_celeba.txt", "1\nnames\na.jpg 1 1\n")
    with pytest.raises(RuntimeError, match="line 3: expected 40 attributes, but got 2"):
        rows(ds.CelebADataset(str(tmp_path)))


def test_missing_picture_is_told(tmp_path):
    path = write_coco(tmp_path)
    (tmp_path / "a.jpg").unlink()
    with pytest.raises(RuntimeError, match="a.jpg"):
        rows(ds.CocoDataset(str(tmp_path), path))


def test_listed_collections(tmp_path):
    for path in ("images/pie/0.jpg", "a/abbey/sun_1.jpg", "images_background/A/c1/1.png", "val_256/a.jpg"):
        write(tmp_path / path, jpeg())
    write(tmp_path / "meta/train.txt", "pie/0\n")
    write(tmp_path / "ClassName.txt", "/a/abbey\n")
    write(tmp_path / "places365_val.txt", "a.jpg 17\n")
    (row,) = rows(ds.Food101Dataset(str(tmp_path), "train"))
    assert str(row["label"]) == "pie"
    assert int(rows(ds.SUN397Dataset(str(tmp_path)))[0]["label"]) == 0
    assert int(rows(ds.OmniglotDataset(str(tmp_path)))[0]["label"]) == 0
    assert int(rows(ds.Places365Dataset(str(tmp_path), "val"))[0]["label"]) == 17


def test_kitti_and_wider_face(tmp_path):
    write(tmp_path / "data_object_image_2/training/image_2/000000.png", jpeg())
    label = tmp_path / "data_object_label_2/training/label_2/000000.txt"
    write(label, "Car 0 1 -0.2 1 2 3 4 5 6 7 8 9 10 0.5\nBus 0 0 0 1 2 3 4 5 6 7 8 9 10 0\n")
    (row,) = rows(ds.KITTIDataset(str(tmp_path), "train"))
    assert (
        row["label"].tolist() == [[1], [0]]
        and row["bbox"].shape == (2, 4)
        and row["location"].shape == (2, 3)
    )
    write(label, "Car 0 1\n")
    with pytest.raises(RuntimeError, match="line 1 .* has not 14 numbers"):
        rows(ds.KITTIDataset(str(tmp_path), "train"))
    write(tmp_path / "WIDER_train/images/0/a.jpg", jpeg())
    split = tmp_path / "wider_face_split/wider_face_train_bbx_gt.txt"
    write(split, "0/a.jpg\n1\n1 2 3 4 5 6 7 8 9 10\n")
    (row,) = rows(ds.WIDERFaceDataset(str(tmp_path), "train"))
    assert row["bbox"].tolist() == [[1, 2, 3, 4]] and row["invalid"].tolist() == [10]
    write(split, "0/a.jpg\nmany\n")
    with pytest.raises(RuntimeError, match="Invalid annotation file"):
        rows(ds.WIDERFaceDataset(str(tmp_path), "train"))


@pytest.mark.parametrize(
    "samples, tag, expected",
    [
        (np.array([[32767], [-32767]], np.int16), 1, [[1.0, -1.0]]),
        (np.array([[0.5, -0.25]], np.float32), 3, [[0.5], [-0.25]]),
        (np.array([[2**31 - 1]], np.int32), 1, [[1.0]]),
        (np.array([[128], [255]], np.uint8), 1, [[0.0, 127 / 128]]),
    ],
)
def test_yes_no_waves(tmp_path, samples, tag, expected):
    write(tmp_path / "0_0_1_0_1_1_1_0.wav", wave(samples, 4000, tag))
    (row,) = rows(ds.YesNoDataset(str(tmp_path)))
    np.testing.assert_allclose(row["waveform"], expected, rtol=1e-6)
    assert int(row["sample_rate"]) == 4000 and row["label"].tolist() == [0, 0, 1, 0, 1, 1, 1, 0]


@pytest.mark.parametrize("content, words", [(b"RIFF", "neither with RIFF"), (b"RIFF0000WAVE", "no 'fmt '")])
def test_waves_that_are_none(tmp_path, content, words):
    write(tmp_path / "0_0_1_0_1_1_1_0.wav", content)
    with pytest.raises(RuntimeError, match=words):
        rows(ds.YesNoDataset(str(tmp_path)))


def test_speech_collections(tmp_path):
    sound = wave(np.zeros((4, 1), np.int16))
    write(tmp_path / "yes/ab_nohash_3.wav", sound)
    write(tmp_path / "testing_list.txt", "yes/ab_nohash_3.wav\n")
    (row,) = rows(ds.SpeechCommandsDataset(str(tmp_path), "test"))
    assert (str(row["label"]), str(row["speaker_id"]), int(row["utterance_number"])) == ("yes", "ab", 3)
    write(tmp_path / "metadata.csv", "a|1 cat|one cat\n")
    write(tmp_path / "wavs/a.wav", sound)
    (row,) = rows(ds.LJSpeechDataset(str(tmp_path)))
    assert str(row["normalized_transcription"]) == "one cat"
    write(tmp_path / "dev-clean/12/34/12_34.trans.tsv", "12_34_0\tHi!\thi\n")
    write(tmp_path / "dev-clean/12/34/12_34_0.wav", sound)
    (row,) = rows(ds.LibriTTSDataset(str(tmp_path), "dev-clean"))
    assert int(row["speaker_id"]) == 12 and str(row["utterance_id"]) == "12_34_0"
    write(tmp_path / "cmu_us_aew_arctic/etc/txt.done.data", '( arctic_a0001 "A dog." )\n')
    write(tmp_path / "cmu_us_aew_arctic/wav/arctic_a0001.wav", sound)
    (row,) = rows(ds.CMUArcticDataset(str(tmp_path)))
    assert str(row["transcript"]) == "A dog."
