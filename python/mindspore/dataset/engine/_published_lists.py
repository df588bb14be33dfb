# SPDX-License-Identifier: Apache-2.0
"""Lists that were published with a collection but are not in its files."""

# Numbers of the recordings in the filtered parts of GTZAN, which leave out repetitions and damage.
GTZAN_PARTS = {
    "train": {
        "blues": "29-49 73-97",
        "classical": "30-33 43-48 50-67 80-99",
        "country": "19-26 28-29 65-99",
        "disco": "5 15-20 22-37 39-45 47 49 53-54 56-57 59 61 70 73-74 89",
        "hiphop": "2-25 28-29 31-38 41-42 55-61 77-80",
        "jazz": "0-1 11-24 41 47-72",
        "metal": "2-3 5 21 24 35 46-57 59-66 69 71-72 79-80 84 86 89-99",
        "pop": "2-9 11-12 16-20 23-29 31-36 38-42 44 46 49-50 80 97-99",
        "reggae": "0-2 4 6 9 11-12 14-32 42-45 49-51 54-60 63 69",
        "rock": "0-9 16-26 57-70 91-99",
    },
    "valid": {
        "blues": "0-11 50-60",
        "classical": "0-10 68-76",
        "country": "0-7 9-18 27 41-42 45 49",
        "disco": "0 2-4 6-14 46 48 52 67-68 72 75 90 95",
        "hiphop": "81-98",
        "jazz": "2-10 25-32",
        "metal": "0-1 6-11 16-20 36-37 68 76-77 81-82",
        "pop": "10 53 55 58-62 81 83-86",
        "reggae": "61-62 70 72 74 76-78 85 92-99",
        "rock": "38 49-56 71-85",
    },
    "test": {
        "blues": "12-28 61-72 98-99",
        "classical": "11-29 34-41 49 77-79",
        "country": "30-40 43-44 46-48 50-51 53-64",
        "disco": "1 21 58 62-66 69 76-88 91-94 96-97 99",
        "hiphop": "0 26-27 30 40 43-45 51-54 62-75 99",
        "jazz": "73-99",
        "metal": "12-15 22-23 25-33 38-39 67 70 73-75 78 83 85 87-88",
        "pop": "0-1 13-14 43 63-66 69-79 82 88-96",
        "reggae": "34-40 46-48 52-53 64-68 71 79 82-84 87-90",
        "rock": "10-15 27-37 39-48 86-90",
    },
}

# The kinds of Oxford Flowers, in the order of their numbers.
_FLOWERS = """
pink primrose; hard-leaved pocket orchid; canterbury bells; sweet pea; english marigold; tiger lily;
moon orchid; bird of paradise; monkshood; globe thistle; snapdragon; colt's foot; king protea; spear
thistle; yellow iris; globe-flower; purple coneflower; peruvian lily; balloon flower; giant white arum
lily; fire lily; pincushion flower; fritillary; red ginger; grape hyacinth; corn poppy; prince of wales
feathers; stemless gentian; artichoke; sweet william; carnation; garden phlox; love in the mist; mexican
aster; alpine sea holly; ruby-lipped cattleya; cape flower; great masterwort; siam tulip; lenten rose;
barbeton daisy; daffodil; sword lily; poinsettia; bolero deep blue; wallflower; marigold; buttercup;
oxeye daisy; common dandelion; petunia; wild pansy; primula; sunflower; pelargonium; bishop of llandaff;
gaura; geranium; orange dahlia; pink-yellow dahlia?; cautleya spicata; japanese anemone; black-eyed
susan; silverbush; californian poppy; osteospermum; spring crocus; bearded iris; windflower; tree poppy;
gazania; azalea; water lily; rose; thorn apple; morning glory; passion flower; lotus; toad lily;
anthurium; frangipani; clematis; hibiscus; columbine; desert-rose; tree mallow; magnolia; cyclamen;
watercress; canna lily; hippeastrum; bee balm; ball moss; foxglove; bougainvillea; camellia; mallow;
mexican petunia; bromelia; blanket flower; trumpet creeper; blackberry lily
"""
FLOWER_NAMES = tuple(" ".join(name.split()) for name in _FLOWERS.split(";"))

# The classes of Caltech-101, in the order of their numbers.
_CALTECH = """
Faces Faces_easy Leopards Motorbikes accordion airplanes anchor ant barrel bass beaver binocular bonsai
brain brontosaurus buddha butterfly camera cannon car_side ceiling_fan cellphone chair chandelier
cougar_body cougar_face crab crayfish crocodile crocodile_head cup dalmatian dollar_bill dolphin
dragonfly electric_guitar elephant emu euphonium ewer ferry flamingo flamingo_head garfield gerenuk
gramophone grand_piano hawksbill headphone hedgehog helicopter ibis inline_skate joshua_tree kangaroo
ketch lamp laptop llama lobster lotus mandolin mayfly menorah metronome minaret nautilus octopus okapi
pagoda panda pigeon pizza platypus pyramid revolver rhino rooster saxophone schooner scissors scorpion
sea_horse snoopy soccer_ball stapler starfish stegosaurus stop_sign strawberry sunflower tick trilobite
umbrella watch water_lilly wheelchair wild_cat windsor_chair wrench yin_yang
"""
CALTECH_NAMES = tuple(_CALTECH.split())
