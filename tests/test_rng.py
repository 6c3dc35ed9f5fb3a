"""Random numbers: what shuffling must make of them."""

from __future__ import annotations

from collections import Counter

from dlgo.rng import make_rng, shuffled


def test_each_order_of_three_items_is_as_likely() -> None:
    rng = make_rng(1)
    orders = Counter(tuple(shuffled("abc", rng)) for _ in range(6000))
    assert len(orders) == 6
    assert all(abs(count - 1000) < 4 * 29 for count in orders.values())  # standard deviation 29
