"""What a ledger says of the tournament besides its games: the plan, and who plays no more."""

from __future__ import annotations

from collections.abc import Mapping

from dlgo.errors import LedgerError
from dlgo.records.ledger import Ledger
from experiments.arena.schedule import Plan

# Names of settings in the ledger.
_PLAN, _STOPPED = "plan", "stopped"


class PlanBook:
    """The plan of a ledger and of this run.

    Args:
        ledger: where it stands.
        plan: of this run, canonical.

    Attributes:
        stored: the plan of earlier runs; None if there were none.

    Raises:
        LedgerError: if it is damaged, or its openings are not those of `plan`.
    """

    def __init__(self, ledger: Ledger, plan: Plan) -> None:
        self._ledger = ledger
        self.stored = self._read()
        self._union = self.stored.union(plan) if self.stored else plan
        for name in ("seed", "opening_plies") if self.stored else ():
            was, asked = getattr(self.stored, name), getattr(plan, name)
            if was != asked:
                was, asked = ("default" if value is None else value for value in (was, asked))
                raise LedgerError(
                    f"ledger {ledger.path} was made with {name}={was}, not {asked}; "
                    f"use {name}={was} or another ledger"
                )

    def _read(self) -> Plan | None:
        data = self._ledger.get_meta(_PLAN)
        try:
            return None if data is None else Plan.from_json(data)
        except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as error:
            raise LedgerError(
                f"ledger {self._ledger.path}: its plan is damaged ({error!r}); name another file"
            ) from error

    def stopped(self) -> dict[tuple[str, str], str]:
        """Who was stopped in earlier runs: (game, entrant) -> why. Raises LedgerError."""
        data = self._ledger.get_meta(_STOPPED) or []
        try:
            return {(str(game), str(entrant)): str(why) for game, entrant, why in data}
        except (TypeError, ValueError) as error:
            raise LedgerError(
                f"ledger {self._ledger.path}: {_STOPPED!r} is damaged ({error!r}); name another "
                "file"
            ) from error

    def keep(self, stopped: Mapping[tuple[str, str], str]) -> None:
        """Write the plan, together with that of earlier runs, and who is stopped. Reports print the
        plan, so both are in it."""
        self._ledger.set_meta(_STOPPED, [[*key, why] for key, why in stopped.items()])
        sentences = {_STOPPED: stopped_sentences(stopped)} if stopped else {}
        self._ledger.set_meta(_PLAN, {**self._union.to_json(), **sentences})


def stopped_sentences(stopped: Mapping[tuple[str, str], str]) -> list[str]:
    """Who was stopped and why, a sentence each."""
    return [f"{entrant} on {game} {why}" for (game, entrant), why in stopped.items()]
