"""Hand-ins as systems and people name them: each is taken, or named with the reason."""

from __future__ import annotations

import io
import os
import tarfile
import zipfile
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from dlgo.errors import DlgoError
from experiments.classroom.collecting import collect
from experiments.classroom.dates import deadline, moment_text, time_zone
from experiments.classroom.hand_ins import hand_ins, submissions
from tests.command import assert_one_line, dlgo_here

NAMES = ["ko", "liberties", "alpha_beta"]
# Files of a class's folder (archives as their entries); the text of ko.py that counts, by student
# (None: nothing of theirs can be graded); words of the notes.
CLASSES: dict[str, tuple[dict[str, str | dict[str, str]], dict[str, str | None], list[str]]] = {
    "copies of a browser": ({"ann/ko (1).py": "1", "ann/ko (2).py": "2", "bo/x.py": ""},
                            {"ann": "2", "bo": None},
                            ["ko (1).py is ignored", "ko (2).py is taken as ko.py",
                             "no file is named after an exercise; files: x.py"]),
    "notebooks of another name": (
        {"ann/ko.py": "a", "ann/Untitled.ipynb": '{"cells": []}',
         "bo/Homework.ipynb": '{"cells": []}'}, {"ann": "a", "bo": None},
        ["no file is named after an exercise; files: Homework.ipynb"]),
    "a copy beside the file": ({"ann/ko.py": "own", "ann/ko - Copy.py": "copy", "bo/ko-1.py": "b"},
                               {"ann": "own", "bo": "b"},
                               ["ko - Copy.py is ignored", "ko-1.py is taken as ko.py"]),
    "capitals and endings": ({"ann/Ko.py": "a", "bo/KO.PY": "b", "cy/ko.py.txt": "c"},
                             {"ann": "a", "bo": "b", "cy": "c"}, ["Ko.py is taken as ko.py"]),
    "names in files": ({"ann/ann_ko.py": "a", "bo/ko_final.py": "b", "cy/test_ko.py": "t"},
                       {"ann": "a", "bo": "b", "cy": None},
                       ["ann_ko.py is taken", "ko_final.py is taken"]),
    "endings twice": ({"ann/ko.py.py": "a", "bo/ko.py.ipynb": "b = 1", "cy/ko.pyw": "c"},
                      {"ann": "a", "bo": "b = 1", "cy": "c"},
                      ["ko.py.py is taken as ko.py", "ko.ipynb is not a notebook"]),
    "copies in other languages": (
        {"ann/Copy of ko.py": "a", "bo/Kopie von Copy of ko.py": "b", "cy/ko - Kopie (2).py": "c",
         "di/ko copy 2.py": "d", "ed/ko(1)(1).py": "e"},
        {"ann": "a", "bo": "b", "cy": "c", "di": "d", "ed": "e"},
        ["Copy of ko.py is taken as ko.py"]),
    "versions and capitals within": (
        {"ann/ko2.py": "2", "ann/koV3.py": "3", "bo/AlphaBeta.py": "", "bo/ko.final.py": "b"},
        {"ann": "3", "bo": "b"}, ["ko2.py is ignored", "AlphaBeta.py is taken as alpha_beta.py"]),
    "copies of nobody": ({"Copy of ko.py": "a"}, {"class": "a"}, ["Copy of ko.py is taken as"]),
    "words": ({"ann/alpha-beta.py": "", "ann/ko.py": "a", "bo/Alpha Beta (1).py": "", "bo/ko.py":
               "b"}, {"ann": "a", "bo": "b"}, ["alpha-beta.py is taken as alpha_beta.py"]),
    "files in the class's folder": (
        {"bob_ko.py": "b", "bob_liberties.py": "", "ko_eve.py": "e", "notes.txt": "", "x.rar": ""},
        {"bob": "b", "eve": "e"}, ["bob_ko.py is taken as ko.py of bob", "notes.txt is ignored",
                                   "x.rar is not a zip or tar file"]),
    "a file of nobody": ({"ko.py": "?", "ann/ko.py": "a", "bo/liberties.py": ""},
                         {"ann": "a", "bo": None}, ["ko.py is not in any student's folder"]),
    "Moodle's folders": (
        {"Ann Lee_123_assignsubmission_file_/ko.py": "a",
         "Bo_Li_124_assignsubmission_file/x.zip": {"ko.py": "b"},
         "Cy_125_assignsubmission_onlinetext_/onlinetext.html": ""},
        {"Ann Lee_123": "a", "Bo_Li_124": "b"}, ["Cy_125_assignsubmission_onlinetext_ was typed"]),
    "Moodle's files": ({"Ann Lee_123_assignsubmission_file_ko.py": "a",
                        "Bo_124_assignsubmission_file_all.zip": {"all/ko.py": "b"}},
                       {"Ann Lee_123": "a", "Bo_124": "b"}, []),
    "Canvas's files": (
        {"leeann_4711_81_ko-1.py": "a", "leeann_4711_82_liberties.py": "",
         "libo_LATE_4712_83_work.zip": {"ko.py": "b"}, "anon_x7_4713_84_ko.py": "c"},
        {"leeann_4711": "a", "libo_4712": "b", "anon_x7_4713": "c"}, ["ko-1.py is taken as ko.py"]),
    "archives": ({"ann.ZIP": {"ko.py": "a"}, "bo.tar.gz": {"bo/ko.py": "b"},
                  "cy.tgz": {"./ko.py": "c"}, "di.TAR": {"ko.py": "d"}},
                 {"ann": "a", "bo": "b", "cy": "c", "di": "d"}, []),
    "backslashes": ({"ann.zip": {"work\\ko.py": "a"}, "bo.zip": {"..\\..\\ko.py": "b"}},
                    {"ann": "a", "bo": None}, ["work\\ko.py is taken as work/ko.py",
                                               "../../ko.py is outside"]),
    "one name twice": ({"ann.zip": {"ko.py": "1", "./ko.py": "2"}, "bo/ko.py": "b"},
                       {"ann": "1", "bo": "b"}, ["ko.py occurs twice; the first one counts"]),
    "versions": ({"ann/v1/ko.py": "1", "ann/v2/ko.py": "2", "bo/submission_1/ko.py": "b",
                  "cy/Attempt 9/ko.py": "9", "cy/Attempt 10.zip": {"ko.py": "10"}},
                 {"ann": "2", "bo": "b", "cy": "10"}, []),
    "a zip file beside a folder": ({"ann/ko.py": "old", "ann.zip": {"ko.py": "new"}},
                                   {"ann": "new"}, ["ann handed in several files (ann, ann.zip)"]),
    "an archive in a folder": ({"ann/ko.zip": {"ko.py": "a"}, "bo/ko.rar": "", "bo/x.zip":
                                {"y.zip": "PK"}}, {"ann": "a", "bo": None},
                               ["ko.rar is not unpacked", "y.zip is not unpacked"]),
    "two files of one name": ({"ann/a/ko.py": "a", "ann/a/b/ko.py": "b", "bo/ko.py": "x",
                               "bo/old/ko.py": "x"}, {"ann": "a", "bo": "x"},
                              ["a/b/ko.py is ignored: a/ko.py counts"]),
}


def write(folder: Path, files: dict[str, str | dict[str, str]]) -> Path:
    for number, (name, content) in enumerate(files.items()):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, str):
            path.write_text(content)
        elif name.lower().endswith(".zip"):
            with zipfile.ZipFile(path, "w") as archive:
                for entry, text in content.items():
                    archive.writestr(entry, text)
        else:
            with tarfile.open(path, "w:gz" if "gz" in name else "w") as archive:
                for entry, text in content.items():
                    info = tarfile.TarInfo(entry)
                    info.size = len(text)
                    archive.addfile(info, io.BytesIO(text.encode()))
        os.utime(path, (1e9 + number, 1e9 + number))
    return folder


@pytest.mark.parametrize("title", CLASSES)
def test_each_is_taken_or_named(title: str, tmp_path: Path) -> None:
    files, wanted, words = CLASSES[title]
    sources, notes = hand_ins(write(tmp_path / "class", files), NAMES)
    found: dict[str, str | None] = {}
    for student, source in sources.items():
        for number, one in enumerate(reversed(submissions(source))):
            place = tmp_path / f"{student}-{number}"
            place.mkdir()
            collected = collect(one.parts, place, NAMES)
            path = collected.exercises.get("ko")
            if found.get(student) is None:
                found[student] = path.read_text() if path else None
            if not collected.exercises:
                notes.append("no file is named after an exercise; files: "
                             + ", ".join(collected.names))
            notes += collected.notes
    assert found == wanted
    for part in words:
        assert any(part in note for note in notes), (part, notes)
    assert words or not notes


def test_canvas_says_who_is_late(tmp_path: Path) -> None:
    sources, _ = hand_ins(write(tmp_path, {"li_LATE_4_5_ko.py": "", "lee_6_7_ko.py": ""}), NAMES)
    late = {student: submissions(source)[0].is_late(None) for student, source in sources.items()}
    assert late == {"li_4": True, "lee_6": False}


def test_one_students_folder_and_an_archive_of_a_class(tmp_path: Path) -> None:
    write(tmp_path, {"ann/v1/ko.py": "", "ann/v2/ko.py": "", "bo/ko.py": "", "bo/a/ko.py": "",
                     "cy/a/ko.py": "", "cy/b/ko.py": "", "new.zip": {"ko.py": ""},
                     "all.zip": {"A_1_assignsubmission_file_/ko.py": "",
                                 "B_2_assignsubmission_file_/ko.py": ""}})
    for name in ("ann", "bo", "new.zip"):
        assert list(hand_ins(tmp_path / name, NAMES)[0]) == [name.removesuffix(".zip")]
    (tmp_path / "cy/b/ko.py").rename(tmp_path / "cy/b/liberties.py")
    assert list(hand_ins(tmp_path / "cy", NAMES, single=True)[0]) == ["cy"]
    assert list(hand_ins(tmp_path / "cy", NAMES)[0]) == ["a", "b"]
    with pytest.raises(DlgoError, match="all.zip holds a class: unpack it"):
        hand_ins(tmp_path / "all.zip", NAMES)


def test_a_tar_file_that_unpacks_to_gigabytes_is_cut(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "eve.tgz", "w:gz", compresslevel=1) as archive:
        for name, size in (("ko.py", 1), ("zeros", 80 << 20)):
            info = tarfile.TarInfo(name)
            info.size = size
            archive.addfile(info, io.BytesIO(bytes(size)))
    (tmp_path / "taken").mkdir()
    collected = collect(tmp_path / "eve.tgz", tmp_path / "taken", NAMES)
    assert collected.exercises.get("ko") and "unpacks to more than" in collected.notes[0]


def test_a_day_ends_in_its_time_zone(tmp_path: Path, capfd) -> None:
    berlin = time_zone("Europe/Berlin")
    due = deadline("2026-11-20", berlin)
    assert due == datetime(2026, 11, 20, 23, 59, 59)
    assert moment_text(due, berlin) == "2026-11-20 23:59:59 Europe/Berlin"
    assert deadline("2026-11-20T12:00+00:00", berlin) == datetime(2026, 11, 20, 13)
    path = write(tmp_path, {"ann/2026-11-20T2330+0000/ko.py": "", "bo/ko.py": ""})
    assert submissions(path / "ann", berlin)[0].is_late(due), "half past midnight there"
    written = datetime(2026, 11, 20, 23, 30, tzinfo=ZoneInfo("UTC")).timestamp()
    os.utime(path / "bo/ko.py", (written, written))
    assert submissions(path / "bo", berlin)[0].is_late(due)
    assert not submissions(path / "bo", time_zone("UTC"))[0].is_late(due)
    assert_one_line(dlgo_here(capfd, "class", "grade", path, "--zone", "Berlin"),
                    "time zone 'Berlin' is unknown; write a name such as Europe/Berlin")


def test_the_roster_says_which_exercises_count(tmp_path: Path, capfd) -> None:
    write(tmp_path, {"class/ann/ko.py": "", "class/ann/liberties.py": "",
                     "roster.csv": "student,exercises\nann,ko elo\nbo,ko\n"})
    done = dlgo_here(capfd, "class", "grade", tmp_path / "class", "--trust", "--out",
                     tmp_path / "out", "--roster", tmp_path / "roster.csv", "--due", "2026-11-20",
                     "--zone", "Europe/Berlin")
    assert done.returncode == 0, done.stderr
    header = (tmp_path / "out/grades.csv").read_text().split("\n")[0]
    assert header.strip() == "student,exercises,ko,elo,total,late"
    assert "late: after 2026-11-20 23:59:59 Europe/Berlin" in done.stdout
