# SPDX-License-Identifier: Apache-2.0
"""A bidirectional LSTM tags the words of sentences: sentences of any length, `TrainOneStepCell` in a loop."""

import argparse

import numpy as np

import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn, ops

PADDING = -100  # a tag that counts for nothing


class Tagger(nn.Cell):
    """Words, their neighbours in both directions, tags."""

    def __init__(self, words, tags, width=32):
        super().__init__()
        self.words = nn.Embedding(words, width, padding_idx=0)
        self.lstm = nn.LSTM(width, width, num_layers=1, batch_first=True, bidirectional=True, dropout=0.0)
        self.tags = nn.Dense(2 * width, tags)

    def construct(self, words, sizes):
        """Scores of the tags of each word, for sentences of which the first `sizes` places are used."""
        features, _ = self.lstm(self.words(words), None, sizes)
        return self.tags(features)


class TaggerWithLoss(nn.Cell):
    """The mean loss of the words that are there."""

    def __init__(self, tagger):
        super().__init__(auto_prefix=False)
        self.tagger = tagger
        self.loss = nn.CrossEntropyLoss(ignore_index=PADDING)

    def construct(self, words, tags, sizes):
        """A number."""
        scores = self.tagger(words, sizes)
        return self.loss(scores.reshape(-1, scores.shape[-1]), tags.reshape(-1))


def synthetic_sentences(count=256, words=30):
    """Words are numbers; the tag says whether a number is greater than both neighbours, than one, or none."""
    rng = np.random.default_rng(0)
    for size in rng.integers(4, 13, count):
        sentence = rng.integers(1, words, size)
        around = np.pad(sentence, 1)
        tags = (sentence > around[:-2]).astype(np.int32) + (sentence > around[2:])
        yield [str(word) for word in sentence], [str(tag) for tag in tags]


def read_sentences(path):
    """Lines "word ... tag", with an empty line after each sentence."""
    words, tags = [], []
    with open(path, encoding="utf-8") as lines:
        for line in [*lines, ""]:
            parts = line.split()
            if parts:
                words.append(parts[0].lower())
                tags.append(parts[-1])
            elif words:
                yield words, tags
                words, tags = [], []


def numbered(values, first):
    """A number for each value, in order of appearance."""
    return {value: number for number, value in enumerate(dict.fromkeys(values), start=first)}


class Sentences:
    """Rows of a data set: words and tags as numbers, and how many there are."""

    def __init__(self, sentences):
        self.words = numbered((word for words, _ in sentences for word in words), first=1)
        self.tags = numbered((tag for _, tags in sentences for tag in tags), first=0)
        self.sentences = sentences

    def __len__(self):
        return len(self.sentences)

    def __getitem__(self, place):
        words, tags = self.sentences[place]
        row = [self.words[word] for word in words], [self.tags[tag] for tag in tags]
        return np.array(row[0], np.int32), np.array(row[1], np.int32), np.int32(len(words))


def main(argv=None):
    """Trains and evaluates; gives the loss of every step."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mode", choices=("graph", "pynative"), default="graph")
    parser.add_argument("--epochs", type=int, default=15)
    parser.add_argument("--steps", type=int, help="take only this many batches per epoch")
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--length", type=int, default=None, help="longest sentence; default: as in the data")
    parser.add_argument("--rate", type=float, default=0.01)
    parser.add_argument("--data", help="file of lines 'word ... tag', an empty line after each sentence")
    options = parser.parse_args(argv)

    ms.set_context(mode=ms.GRAPH_MODE if options.mode == "graph" else ms.PYNATIVE_MODE)
    ms.set_seed(1)
    sentences = list(read_sentences(options.data) if options.data else synthetic_sentences())
    length = options.length or max(len(words) for words, _ in sentences)
    source = Sentences([one for one in sentences if len(one[0]) <= length])
    data = ds.GeneratorDataset(source, ["words", "tags", "size"], shuffle=True)
    shapes = {"words": ([length], 0), "tags": ([length], PADDING)}
    data = data.padded_batch(options.batch_size, drop_remainder=True, pad_info=shapes)
    data = data.take(options.steps or -1)

    tagger = Tagger(len(source.words) + 1, len(source.tags))
    optimizer = nn.Adam(tagger.trainable_params(), options.rate)
    train_step = nn.TrainOneStepCell(TaggerWithLoss(tagger), optimizer).set_train()
    losses = []
    rows = data.create_tuple_iterator(num_epochs=options.epochs)
    for epoch in range(1, options.epochs + 1):
        losses += [float(train_step(words, tags, sizes)) for words, tags, sizes in rows]
        print(f"epoch {epoch}: loss {losses[-1]:.4f}")

    tagger.set_train(False)
    right = total = 0
    for words, tags, sizes in data.create_tuple_iterator(num_epochs=1):
        known = tags != PADDING
        found = tagger(words, sizes).argmax(-1).astype(ms.int32)
        right += int(ops.logical_and(found == tags, known).sum())
        total += int(known.sum())
    print(f"right tags: {right / total:.2%} of {total}")
    return losses


if __name__ == "__main__":
    main()
