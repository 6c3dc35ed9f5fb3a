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


def number_of(content: np.ndarray, bits: int) -> np.ndarray:
    """The numbers of neighbourhoods; the inverse of `contents`."""
    numbers: np.ndarray = (content << (bits * np.arange(content.shape[1]))).sum(axis=1)
    return numbers


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
    first = np.min([number_of(content[:, list(image)], bits) for image in images], axis=0)
    table = np.zeros(len(content), np.int16)
    kinds, members = np.unique(first[possible], return_inverse=True)
    table[possible] = 1 + members
    return table, 1 + len(kinds)
