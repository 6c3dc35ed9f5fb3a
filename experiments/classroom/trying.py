"""One game of a bot against a staff bot, shown at once, under the rules of the class's league."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from dlgo.errors import DlgoError
from dlgo.records.game_record import GameRecord
from dlgo.system.folders import private_folder
from engines.programs.sandbox import let_other_user_in
from experiments.arena.engine_cache import EngineCache
from experiments.arena.referee import play_game
from experiments.arena.schedule import Plan, tasks
from experiments.classroom.hand_ins import Part
from experiments.classroom.league import limits_of
from experiments.classroom.league_bots import Entry
from experiments.classroom.league_plan import LeaguePlan, StaffBot


def try_bot(
    bot: Path, plan: LeaguePlan, against: str | None, second: bool, trust: bool, seed: int
) -> GameRecord:
    """Play a game of the bot in a file or hand-in.

    Args:
        against: the staff bot, by its name or specification; by default the first of the plan.
        second: whether the bot moves second. trust: whether it runs without a sandbox.

    Raises DlgoError if the bot cannot play, or there is no such staff bot; SandboxError if there
    is no working sandbox here.
    """
    staff = _staff(plan, against)
    name = plan.bot.partition(":")[0] if bot.suffix == ".py" else ""
    with private_folder("try-") as folder:
        if trust:
            let_other_user_in(folder)
        entry = Entry(plan, folder, trust, folder / "games.sqlite")
        student_bot = entry.bot_of(bot.resolve().stem, [Part(bot, name)], lambda note: None)
        if student_bot.folder is None:
            raise DlgoError(f"{bot}: {student_bot.notes[-1]}")
        game = Plan(games=(plan.game,), entrants=(student_bot.entrant, staff.entrant), pairs=1,
                    opening_plies=plan.opening_plies, seed=seed)
        names = {student_bot.entrant: bot.resolve().stem, staff.entrant: staff.name}
        limits = limits_of(plan)
        launch = entry.launch(student_bot.folder)
        engines = EngineCache(limits, launches={student_bot.entrant: launch})
        try:
            first_task, second_task = tasks(game)
            is_first = first_task.players[0] == student_bot.entrant
            record = play_game(second_task if is_first == second else first_task, engines,
                               limits=limits)
            return replace(record, first=names[record.first], second=names[record.second])
        finally:
            engines.close()


def _staff(plan: LeaguePlan, name: str | None) -> StaffBot:
    for bot in plan.staff:
        if name in (None, bot.name, bot.entrant):
            return bot
    names = ", ".join(bot.name for bot in plan.staff) or "none"
    raise DlgoError(f"there is no staff bot {name!r}; the plan's staff bots are: {names}")
