"""Numbers for small neighbourhoods of a board, and classes of those that are mirror images.

A neighbourhood has a few places, each with one of a few kinds of content. In a number, the first
place has the lowest bits. Move features (`kernels.move_features`) look the number up in a table of
classes, so that a shape and its mirror image are learned as one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def contents(places: int, bits: int) -> np.ndarray:
    """The content of each place of every neighbourhood: int64[2 ** (places * bits), places]."""
    numbers = np.arange(1 << (places * bits), dtype=np.int64)[:, None]
    return (numbers >> (bits * np.arange(places))) & ((1 << bits) - 1)


def classes(
    content: np.ndarray, bits: int, images: Sequence[Sequence[int]], possible: np.ndarray
) -> tuple[np.ndarray, int]:
    """Number the classes of neighbourhoods that are images of each other.

    Args:
        content: the result of `contents`.
        images: the symmetries, the identity included; place i of an image has the content of place
            `images[k][i]`.
        possible: bool, which neighbourhoods a board can show.

    Returns:
        int16, the class of each neighbourhood, from 1; 0 for those that no board can show. And the
        number of classes, class 0 included.
    """
    # The factor of each place in the number of each image.
    factors = np.zeros((content.shape[1], len(images)), np.int64)
    for k, image in enumerate(images):
        factors[list(image), k] = 1 << (bits * np.arange(len(image)))
    first = (content @ factors).min(axis=1)
    table = np.zeros(len(content), np.int16)
    kinds, members = np.unique(first[possible], return_inverse=True)
    table[possible] = 1 + members
    return table, 1 + len(kinds)
