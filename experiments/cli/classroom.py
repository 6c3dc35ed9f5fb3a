"""`dlgo class ...`: exercises for students, and their grades."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from experiments.command import log
from experiments.options import (
    FILE,
    FOLDER,
    PATH,
    Number,
    cluster_option,
    seed_option,
    workers_option,
)

_trust_option = click.option(
    "--trust", is_flag=True,
    help="Run students' code without a sandbox; it can then read and change your files.")


@click.group(name="class")
def classroom() -> None:
    """Teach a class: hand out exercises, grade submissions, play a league."""


@classroom.command(name="list")
def list_exercises() -> None:
    """List the exercises, by the book's chapters. A * marks those that `dlgo class new
    --seed-by-student` varies from student to student."""
    from experiments.classroom.exercise import exercises

    for exercise in exercises().values():
        mark = "*" if exercise.varies else " "
        click.echo(f"{exercise.chapter:2} {mark}{exercise.name:20} {exercise.title}")


_roster_option = click.option(
    "--roster", type=FILE,
    help="CSV file of the class with a column `student`, or a gradebook exported by Moodle or "
    "Canvas; tables keep its rows.")
_seed_by_student_option = click.option(
    "--seed-by-student", type=FILE, metavar="SEED_FILE",
    help="Individual exercises: own constants, positions and faults for each student, drawn from "
    "the secret seed in this file.")


@classroom.command()
@click.argument("names", nargs=-1, required=True, metavar="EXERCISE...")
@click.option("--out", type=FOLDER, default=Path(),
              help="Folder to write to. Default: the working folder.")
@_seed_by_student_option
@_roster_option
@click.option("--notebook", is_flag=True, help="Write notebooks instead of .py files.")
@click.option("--solution", is_flag=True, help="Write the solutions; keep them from students.")
def new(
    names: tuple[str, ...], out: Path, seed_by_student: Path | None, roster: Path | None,
    notebook: bool, solution: bool,
) -> None:
    """Write the files of exercises for students: the task, and gaps to fill in.

    With --seed-by-student and --roster, each student gets a folder. A missing seed file is written;
    keep it secret, and grade with it.
    """
    from dlgo.files import make_folder, write_file
    from experiments.classroom.exercise import get_exercise
    from experiments.classroom.gradebooks import read_roster
    from experiments.classroom.variants import class_seed, student_seed

    if notebook and solution:
        raise click.UsageError("--solution writes .py files; leave out --notebook")
    if (seed_by_student is None) != (roster is None):
        raise click.UsageError("individual exercises need --seed-by-student and --roster")
    selection = [get_exercise(name) for name in names]
    for exercise in selection:
        if seed_by_student and not exercise.varies:
            log(f"{exercise.name} is the same for all students", err=True)
    if seed_by_student is None or roster is None:
        files = {out: selection}
    else:
        students = read_roster(roster).students
        if not students:
            raise click.UsageError(f"{roster} names no students; add a row for each")
        seed = class_seed(seed_by_student, create=True)
        files = {out / student: [exercise.individual(student_seed(seed, student))
                                 for exercise in selection] for student in students}
    targets = {folder / f"{exercise.name}{'.ipynb' if notebook else '.py'}": exercise
               for folder, exercises in files.items() for exercise in exercises}
    for target in targets:
        if target.exists():
            raise click.UsageError(f"{target} exists already; choose another folder with --out")
    for target, exercise in targets.items():
        if notebook:
            text = exercise.notebook()
        else:
            text = exercise.solution() if solution else exercise.student_version()
        make_folder(target.parent)
        write_file(target, text)
        click.echo(f"wrote {target}")


@classroom.command()
@click.argument("pages", nargs=-1, metavar="[PAGE]...")
@click.option("--level", "levels", multiple=True, type=click.Choice(["easy", "medium", "hard"]),
              help="Level of the questions; may be repeated. Default: all.")
@click.option("--count", type=Number(int, 1), help="Number of questions to draw. Default: all.")
@click.option("--seed", type=Number(int, 0), default=1, show_default=True, help="Seed of the draw.")
@click.option("--on-paper", is_flag=True, help="Leave out questions that need a computer.")
@click.option("--answers", is_flag=True, help="Write the answers, too; keep them from students.")
@click.option("--out", type=FILE, default=Path("questions.html"), show_default=True,
              help="HTML file to write.")
def questions(
    pages: tuple[str, ...], levels: tuple[str, ...], count: int | None, seed: int,
    on_paper: bool, answers: bool, out: Path,
) -> None:
    """Write a sheet of exam questions on pages of the course, such as 04_search; default: all.

    The same seed draws the same questions, with or without answers.
    """
    from dlgo.text import number_of
    from experiments.classroom.exam import bank, choose, write_exam

    chosen = choose(bank(pages), levels, count, seed, on_paper)
    write_exam(out, chosen, answers)
    click.echo(f"wrote {out}: {number_of(len(chosen), 'question')}, "
               f"{sum(question.minutes for question in chosen)} minutes")


@classroom.command()
@click.argument("folder", type=PATH)
@click.option("--exercise", "exercises", multiple=True, metavar="NAME",
              help="Exercise to grade; may be repeated. Default: the exercises of the plan and of "
              "the roster's column `exercises` (names with spaces between them); without them, all "
              "that were handed in.")
@click.option("--out", type=FOLDER, default=Path("out/class"), show_default=True,
              help="Folder to write the table, the pages and the grades to.")
@click.option("--plan", type=FILE, help="TOML file of the class: weights, deadline, lateness, your "
              "points and comments; see docs/teach.md. Options replace its keys.")
@_roster_option
@_seed_by_student_option
@click.option("--gradebook", type=FILE, help="Write the roster with grades to this file, for "
              "Moodle or Canvas.")
@click.option("--assignment", metavar="NAME", help="Canvas's column for --gradebook.")
@click.option("--gradescope", type=FILE,
              help="Write the results.json of one submission for Gradescope to this file.")
@click.option("--classroom50", type=FILE,
              help="Write the result.json of one submission for Classroom 50 to this file.")
@click.option("--due", metavar="DATE",
              help="Mark submissions after this moment as late: 2026-11-20T18:00, or 2026-11-20 "
              "for the end of that day.")
@click.option("--zone", metavar="NAME",
              help="Time zone of all dates, such as Europe/Berlin. Default: this machine's.")
@click.option("--regrade-timeouts", is_flag=True,
              help="Grade again what did not end in time in an earlier run.")
@_trust_option
@workers_option
def grade(folder: Path, out: Path, plan: Path | None, **options: Any) -> None:
    """Grade one submission, or a class: FOLDER holds a folder, an archive or files per student."""
    from experiments.classroom.class_grading import Settings, grade_class
    from experiments.classroom.outputs import Outputs
    from experiments.classroom.policy import read_policy

    policy = {key: options.pop(key) for key in ("roster", "due", "zone", "seed_by_student")}
    files = {key: options.pop(key)
             for key in ("gradebook", "assignment", "gradescope", "classroom50")}
    grade_class(folder, read_policy(plan, **policy), Settings(Outputs(out, **files), **options))
    click.echo(f"wrote {out / 'grades.csv'} and {out / 'grades.html'}")


@classroom.command()
@click.argument("folder", type=PATH)
@click.option("--exercise", "names", multiple=True, metavar="NAME",
              help="Exercise to compare; may be repeated. Default: all exercises.")
@_seed_by_student_option
@_roster_option
@click.option("--out", type=FILE, default=Path("similarity.csv"), show_default=True,
              help="Table of the pairs of students whose code is alike, by group.")
def similarity(folder: Path, names: tuple[str, ...], out: Path, **options: Any) -> None:
    """List hand-ins whose code is alike, names aside. Read both before you judge."""
    from dlgo.files import write_csv
    from dlgo.text import listing, number_of
    from experiments.classroom.exercise import exercises, get_exercise
    from experiments.classroom.gradebooks import harmless
    from experiments.classroom.hand_ins import hand_ins
    from experiments.classroom.policy import read_policy
    from experiments.classroom.similarity import similar_groups

    policy = read_policy(None, **options)
    selection = [get_exercise(name) for name in names] or list(exercises().values())
    sources, remarks = hand_ins(folder, [exercise.name for exercise in selection])
    for remark in remarks:
        log(remark, err=True)
    groups = similar_groups(sources, selection, policy)
    write_csv(out, ["exercise", "group", "student", "other", "shared", "share"], [
        [pair.exercise, number, harmless(pair.student), harmless(pair.classmate), pair.shared,
         f"{pair.share:.2f}"]
        for number, group in enumerate(groups, 1) for pair in group.pairs
    ])
    for number, group in enumerate(groups[:10], 1):
        least, most = f"{group.pairs[-1].share:.0%}", f"{group.pairs[0].share:.0%}"
        shares = most if least == most else f"{least} to {most}"
        log(f"group {number}, {group.exercise}: {listing(group.students, 10)} share {shares} of "
            "the shorter code")
    click.echo(f"wrote {out}: {number_of(len(groups), 'group')} of students whose code is alike; "
               "none is a verdict")


@classroom.command(name="try")
@click.argument("bot", type=PATH)
@click.option("--plan", "rules", required=True, type=FILE, help="TOML file of the league's rules.")
@click.option("--against", metavar="NAME",
              help="Staff bot, as the plan calls it. Default: the first one.")
@click.option("--second", is_flag=True, help="The bot moves second.")
@_trust_option
@seed_option
def try_(
    bot: Path, rules: Path, against: str | None, second: bool, trust: bool, seed: int
) -> None:
    """Show one game of a bot against a staff bot: BOT is a file, a folder or an archive."""
    from experiments.classroom.league_plan import read_league_plan
    from experiments.classroom.trying import try_bot

    record = try_bot(bot, read_league_plan(rules), against, second, trust, seed)
    moves = record.moves.split()
    for ply, state in enumerate(record.positions()):
        click.echo(f"{f'{ply}. {moves[ply - 1]}' if ply else 'start'}\n{state}\n")
    won = {0.0: record.second, 1.0: record.first}.get(record.result)
    log(f"{record.first} against {record.second}: {f'{won} wins' if won else 'a draw'}; "
        f"{record.reason_text}")


@classroom.command()
@click.argument("names", nargs=-1, required=True, metavar="EXERCISE...")
@click.option("--out", type=FILE, default=Path("autograder.zip"), show_default=True,
              help="File to write.")
def gradescope(names: tuple[str, ...], out: Path) -> None:
    """Write an autograder for Gradescope, which grades these exercises."""
    from experiments.classroom.exercise import get_exercise
    from experiments.classroom.gradescope import write_autograder

    write_autograder(out, [get_exercise(name) for name in names])
    click.echo(f"wrote {out}; upload it to Gradescope, under Configure Autograder")


@classroom.command()
@click.argument("folder", type=PATH)
@click.option("--plan", "rules", required=True, type=FILE, help="TOML file of the league's rules.")
@click.option("--out", type=FOLDER, default=Path("out/league"), show_default=True,
              help="Folder of games, pages and marks; run again with the same folder to continue.")
@click.option("--minutes", type=Number(float, 0),
              help="Start no game after this; run again to continue.")
@click.option("--final", is_flag=True,
              help="Publish the seed of the games on the leaderboard: the league has ended.")
@_trust_option
@workers_option
@cluster_option
def league(
    folder: Path, rules: Path, out: Path, minutes: float | None, final: bool, trust: bool,
    workers: int | None, cluster: str | None,
) -> None:
    """Play the bots of a class against staff bots and each other; rate and mark them.

    If the command is interrupted, run it again to continue. After a resubmission, it plays only
    the new version. See docs/teach.md.
    """
    from dlgo.files import make_folder
    from experiments.arena.reporter import default_reporter
    from experiments.classroom.grading import TRUST_WARNING
    from experiments.classroom.hand_ins import hand_ins
    from experiments.classroom.league import play_league
    from experiments.classroom.league_plan import read_league_plan
    from experiments.classroom.pages import pseudonyms, write_league
    from experiments.classroom.standings import Standings
    from experiments.cluster import executor_on

    if trust and cluster:
        raise click.UsageError("--trust does not work on a cluster, whose machines all use a "
                               "sandbox; leave out --trust or --cluster")
    plan = read_league_plan(rules)
    for sentence in plan.out_of_reach():
        log(sentence, err=True)
    sources, remarks = hand_ins(folder, [plan.bot.partition(".")[0]])
    for remark in remarks:
        log(remark, err=True)
    if trust:
        click.echo(TRUST_WARNING, err=True)
    make_folder(out)
    public_names = dict(zip(sources, sources, strict=True))
    if plan.pseudonyms:
        public_names = pseudonyms(out / "pseudonyms.csv", sources)
    with executor_on(cluster, workers=workers) as executor:
        outcome = play_league(
            plan, {**sources}, out, default_reporter(), trust, minutes, executor or workers)
    standings = Standings(outcome)
    if final and not outcome.complete:
        log("games remain, so the seed stays secret; run the same command again", err=True)
        final = False
    write_league(out, standings, public_names, final)
    if final:
        click.echo(f"seed of the games: {outcome.seed}")
    for name in standings.write_marks(out / "marks.csv"):
        log(f"{name} is not on the roster; their row is the last of the table", err=True)
    click.echo(f"wrote {out / 'leaderboard.html'}, {out / 'lecturer.html'} and {out / 'marks.csv'}")
