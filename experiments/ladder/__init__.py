"""The ladder: fixed scales of the built-in games, and the rating of an engine on one of them.

    dlgo ladder connect4 my_bot.py

* `scales.py` reads the scales, one file each in `scales/`; `anchors.py` makes new ones.
* `rating.py` chooses opponents and plays until the rating is known well enough.
* `record.py` writes what was played as a record, and verifies records of others.
* `baselines.py` gives anchors to programs of others.
* `page.py` shows a rating as a page and a badge.

The statistics are in `reports/scale.py`.
"""
