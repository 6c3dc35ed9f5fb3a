"""Properties of searches: what a right one does on a crafted tree, whatever its constants.

A property yields findings: a tag, which tells how the fault shows, and a sentence. Each tree is
tried as it is written and with the players exchanged, since many faults show with one colour.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from typing import Any

from dlgo.api import COLUMN_LETTERS
from dlgo.conformance.kit import rules_by_name
from experiments.museum.models import fault_of_search
from experiments.museum.subject import SIMULATIONS, UNSEEN, Answer, Findings, Subject
from experiments.museum.traces import RULES, Trace, best_fit
from experiments.museum.tree_game import TREES, UNFINISHED, best, mirrored

_BUSHES = ("x?1", "x?2", "x?3", "x?-5")
# Share of the choices that a rule must explain at each stage, since ties may be broken in any way;
# of fewer choices, nothing is said.
_EXPLAINED, _CHOICES = 0.95, 20
# Kinds of search that look at all moves, and play one with many visits.
_TRY_ALL = "puct", "uct"
# The share of the most visits that a move needs to be played for its lower bound (KataGo's).
_SURE = 0.15


def both(
    subject: Subject, part: str, tree: str, simulations: int = SIMULATIONS
) -> Iterator[tuple[str, Answer]]:
    """The answers to a tree and to its mirror image, with the player who chooses."""
    for player, text in (("black", tree), ("white", mirrored(tree))):
        yield player, subject.ask(part, text, simulations)


def right_moves(subject: Subject, part: str, name: str) -> Findings:
    """The right move is played in each tree of this name."""
    simulations = 17 if name == "candidates" else SIMULATIONS
    if name == "long line" and not subject.counts_simulations(part) or (
        name == "candidates" and subject.kind != "gumbel"
    ):
        return
    for right, reason, tree in TREES["moves"][name]:
        for player, answer in both(subject, part, tree, simulations):
            if not answer.decided and subject.kind != "other" and (
                sum(answer.visits.values()) < simulations / 2
            ):
                yield UNSEEN, ("it stops early and does not say which move it plays; let search "
                               "return (visits, move)")
            elif COLUMN_LETTERS[answer.move] != right and not _as_good(subject, part, answer):
                yield player, (f"in {answer.tree} {reason}, but after {simulations} simulations "
                               f"{answer.text}")


def _as_good(subject: Subject, part: str, answer: Answer) -> bool:
    """Whether a player that knows results only plays a move that is best by perfect play."""
    nodes, player = answer.game.nodes, 1 - 2 * answer.game.nodes[0].mover
    worth = best(nodes, start=nodes[0].children[answer.move])
    return subject.knows_ends_only(part) and worth * player >= best(nodes) * player


def value(subject: Subject, part: str) -> Findings:
    """The value that is reported is about right, and no estimate is a proof; who proves results
    does not try a lost move again."""
    proves = False
    for tree, expected in TREES["values"].items():
        for player, answer in both(subject, part, tree):
            if answer.value is None:
                yield UNSEEN, "the value of a position, which it does not report"
            elif "~" in answer.tree and (
                abs(answer.value - expected.get("value", answer.value)) > 0.25
            ):
                yield player, (f"in {answer.tree} the value is {answer.value:+.2f} and should be "
                               f"{expected['value']:+.1f} for the player to move")
            proves |= answer.proven is not None
            if answer.proven not in (None, expected.get("proven")):
                yield f"{player}, proof", (f"in {answer.tree} it calls the result "
                                           f"{answer.proven:+d} certain for the player to move")
    for player, answer in both(subject, part, "x(-1 o~.1 o~.1 o~.1)", 80) if proves else ():
        if answer.visits.get(0, 0) > 2:
            yield f"{player}, proof", f"in {answer.tree} A is lost, but {answer.text}"


def visits(subject: Subject, part: str) -> Findings:
    """There are as many visits as simulations, also if asked again; many moves are tried; they are
    evaluated, but ends are not."""
    for player, answer in both(subject, part, f"x(o(-1 0 x~0) 0 {'o~0 ' * 20})", 80):
        total, breadth = sum(answer.visits.values()), sum(map(bool, answer.visits.values()))
        ended = sum(answer.game.nodes[node].result != UNFINISHED for node in answer.asked)
        if not (counted := answer.visits and subject.kind != "other"):
            yield UNSEEN, "the visits of its moves"
        told = counted and subject.counts_simulations(part)
        counts = told and 40 <= total <= 100
        again = sum(subject.ask(part, answer.tree, 80).visits.values()) if counts else 0
        few = subject.ask(part, answer.tree, 15) if counts else answer
        nodes = [few.game.nodes[0].children[action] for action in few.visits if few.visits[action]]
        unasked = sum(few.game.nodes[node].result == UNFINISHED for node in {*nodes} - {*few.asked})
        for tag, wrong, text in (
            ("sum", told and not counts, f"the visits sum to {total:g}"),
            ("again", told and again > 1.4 * total,
             f"the visits sum to {again:g} when it is asked again"),
            ("leaf", counts and few.asked and unasked > 1,
             f"{unasked} moves have visits after 15, but the evaluator was not asked about them"
             + f", but {few.asked.count(0)} times about the one before" * (few.asked.count(0) > 2)),
            ("breadth", counted and breadth < (2 if subject.kind == "gumbel" else 11),
             f"{breadth} are tried"),
            ("ends", ended, f"the evaluator is asked about finished games ({ended} times)"),
        ):
            if wrong:
                yield f"{player}, {tag}", f"with 80 simulations and 22 moves, {text}"


def all_moves(subject: Subject, part: str) -> Findings:
    """Of equal moves, each is tried, if they are good or if they are bad."""
    if subject.kind not in _TRY_ALL or subject.knows_ends_only(part):
        return
    tries, tree = [], ""
    for value in (0.8, -0.8):
        tree = f"x({' '.join([f'o~{value}'] * 4)} _ x({' '.join([f'o~{value}'] * 3)}))"
        tries.append(subject.ask(part, tree))
    never = [COLUMN_LETTERS[action] for action in (0, 1, 2, 3, 5)
             if not any(answer.visits.get(action, 1) for answer in tries)]
    if never:
        yield "", f"in {tree}, it never tries {' and '.join(never)}; {tries[1].text}"


def exploration(subject: Subject, part: str) -> Findings:
    """With more simulations, a bad move gets a smaller share, and a near one more visits; of leaves
    that are evaluated at once, each gets its own answer, also if another one is a finished game."""
    for tag, tree, right in (
        ("does not fade", "x(.5:o~.5 .5:o~-.5)", lambda few, many: many / 16 <= 0.7 * few + 0.125),
        ("ends", "x(.5:o~.1 .5:o~-.1)", lambda few, many: many > few + 1),
    ) if subject.kind in _TRY_ALL and subject.counts_simulations(part) else ():
        few, many = (subject.ask(part, tree, number).visits.get(1, 0) for number in (100, 1600))
        if few and not right(few, many):
            yield tag, f"in {tree}, B gets {few:g} of 100 simulations and {many:g} of 1600"
    for player, answer in both(subject, part, "x(.5:0 .5:o~-.9)") if (
        part == "search" and subject.kind in _TRY_ALL
    ) else ():
        other = subject.ask(part, answer.tree.replace(":0", ":o~0"))
        few, many = other.visits.get(1, 0), answer.visits.get(1, 0)
        if len(other.calls) < len(other.asked) and 2 * few + 10 < many < SIMULATIONS / 2:
            yield f"{player}, batches", (
                "a finished game in a batch changes the answers of the others: in "
                f"in {answer.tree} {answer.text}; if A is not an end, but worth 0, {other.text}")


def priors_steer(subject: Subject, part: str) -> Findings:
    """Of equal moves, the likelier one gets more visits; without noise, always equally many."""
    if subject.kind not in ("puct", "gumbel") or part != "search":
        return
    wrong, noisy = [], False
    for tree, likely in (("x(.15:o~0 .6:o~0 .25:o~0)", (1, 2, 0)),
                         ("x(_ .6:o~0 .15:o~0 .25:o~0)", (1, 3, 2))):
        for player, answer in both(subject, part, tree, 200):
            counts, again = ([search.visits.get(action, 0) for action in likely]
                             for search in (answer, subject.ask(part, answer.tree, 200)))
            noisy |= any(abs(count - repeat) > 5
                         for count, repeat in zip(counts, again, strict=True))
            if any(counts) and (
                counts != sorted(counts, reverse=True) or counts[0] == counts[2]
                or (subject.kind == "puct" and not 0.45 < counts[0] / sum(counts) < 0.75)
            ):
                wrong.append((player, f"all moves of {answer.tree} are equal but for their priors; "
                                      f"{answer.text}"))
    if noisy != subject.self_play and not answer.threaded:
        yield "noise", (
            f"asked twice about the same position, its visits {'differ' if noisy else 'are alike'}"
            "; a search for play has no noise, one for self-play (SELF_PLAY = True) has")
    yield from () if noisy else wrong


def _traces(subject: Subject, part: str) -> Iterator[tuple[str, Answer, Trace]]:
    for tree in _BUSHES if part == "search" else ():
        for player, answer in both(subject, part, tree, 120):
            yield player, answer, Trace(answer.game.nodes, answer.simulations)


def one_rule(subject: Subject, part: str, kinds: tuple[str, ...]) -> Findings:
    """One constant explains the choices between moves: nearly all, and at each stage. In Gumbel's
    search: those below the root, where the candidates of a round may come in any order."""
    if subject.kind not in kinds:
        return
    if part != "search":
        yield UNSEEN, "the order in which it looks at positions, so its rule of selection"
    elif subject.self_play:
        yield UNSEEN, "its choices at the root, which noise decides: switch it off to see them"
    traces, fault = [*_traces(subject, part)], None
    for player, answer, trace in traces:
        choices = [choice for choice in trace.choices
                   if choice.node or not (subject.self_play or subject.kind == "gumbel")]
        fit = best_fit(choices, subject.kind)
        stages: dict[Any, Any] = {}
        for number, fits in fit.held.items():
            stages.setdefault(choices[number].stage, {})[number] = fits
        if len(fit.held) < _CHOICES:
            yield UNSEEN, (f"the rule by which it selects moves: fewer than {_CHOICES} choices "
                           "come before a simulation without a new position; a search in batches "
                           "must call evaluate([state, ...]), with repeated leaves, too")
        for stage, fits in {**stages, "all": fit.held}.items():
            share = sum(fits.values()) / max(len(fits), 1)
            if len(fits) >= _CHOICES and share < _EXPLAINED + 0.02 * (stage == "all"):
                example = next(choices[number] for number in fits if not fits[number])
                text = (
                    f"in {answer.tree}, no constant c lets {RULES[subject.kind][0]} explain the "
                    f"choices: {fit.constant:.2f} explains {share:.0%} of {len(fits)} ({stage}), "
                    f"but not {example}")
                if fault is None and subject.kind != "gumbel":
                    named = fault_of_search([(answer.game.nodes, answer.simulations)
                                             for _, answer, _ in traces[:4]], subject.kind)
                    batched = len(answer.calls) < len(answer.asked)
                    fault, as_if = named or ("batch" if batched else "", "")
                    if fault:
                        yield f"={fault}", (f"it chooses as if {as_if}: " if as_if else "") + text
                yield player, text


def values_are_means(subject: Subject, part: str) -> Findings:
    """The value that is reported is the mean of the evaluations; visits are their number. Leaves
    that are evaluated at once differ: a virtual loss makes each less attractive."""
    for player, answer, trace in _traces(subject, part) if subject.kind != "other" else ():
        further = len(answer.asked) - len(answer.calls)  # leaves of a batch after the first one
        again = len(answer.asked) - len(set(answer.asked))
        if again > 0.8 * further > 0:
            yield f"{player}, batches", (
                f"in {answer.tree}, {again} of {further} further leaves of batches were in them "
                "before: a virtual loss must make a leaf worse for who chooses it")
        root = answer.game.nodes[0]
        if trace.visits[0] < sum(answer.visits.values()):
            continue  # some simulations have reached an end
        root_visits = dict(enumerate(trace.visits[root.children].tolist()))
        if answer.visits and any(abs(root_visits[action] - answer.visits.get(action, 0)) > 1
                                 for action in root_visits):
            yield f"{player}, visits", (
                f"it reports visits of {answer.visits}; it has made {root_visits}")
        means = trace.mean(root.mover, [0, root.children[answer.move]])
        if answer.value is not None and min(abs(means - answer.value)) > 0.05:
            yield player, (f"in {answer.tree} it reports the value {answer.value:+.2f}; the mean "
                           f"of its evaluations is {means[0]:+.2f}, after its move {means[1]:+.2f}")


def most_visited_is_played(subject: Subject, part: str) -> Findings:
    """The move with the most visits is played; or one with many (KataGo plays the one with the best
    lower bound), but not always the one with the best mean."""
    found, always = "", True
    for tree, simulations in itertools.product(
        ("x?1", "x?2", "x?6") if subject.kind in _TRY_ALL else (), range(11, 60, 4)
    ):
        answer = subject.ask(part, tree, simulations)
        most, count = max(answer.visits.values(), default=0), answer.visits.get(answer.move, 0)
        if not (answer.decided and answer.visits):
            return
        means = Trace(answer.game.nodes, answer.simulations).mean(0, answer.game.nodes[0].children)
        always &= part != "search" or answer.move == max(answer.visits, key=means.__getitem__)
        if count < most:
            found = found or f"in {tree}, with {simulations} simulations, {answer.text}"
            if count < _SURE * most:
                always = True
                break
    if found and always:
        yield "", found


def halving(subject: Subject, part: str) -> Findings:
    """Gumbel: equally many visits for all candidates, then for the better half, and so on."""
    tree = f"x({' '.join(f'o~{step / 10:g}' for step in range(-4, 4))})"
    budgets = {97: (28, 28, 12, 12, 4, 4, 4, 4), 47: (17, 17, 4, 4, 1, 1, 1, 1),
               17: (4, 4, 2, 2, 1, 1, 1, 1)}
    for simulations, right in budgets.items() if subject.kind == "gumbel" else ():
        for player, answer in both(subject, part, tree, simulations):
            counts = sorted(answer.visits.items(), key=lambda item: item[1], reverse=True)
            if counts and not all(count for _, count in counts[:8]):
                yield UNSEEN, "halving of eight candidates: it considers fewer"
                continue
            differences = [abs(count - expected)
                           for (_, count), expected in zip(counts, right, strict=False)]
            best = {action for action, _ in counts[:2]}
            if counts and (max(differences) > 1 + (simulations > 20) or best != {6, 7}):
                yield player, (f"of eight candidates, G and H are best; with {simulations} "
                               f"simulations, {answer.text}")


PROPERTIES = {
    **rules_by_name(visits),
    **{name: functools.partial(right_moves, name=name) for name in TREES["moves"]},
    **rules_by_name(value, all_moves, exploration, priors_steer),
    "one rule": functools.partial(one_rule, kinds=("puct", "uct")),
    "improved policy": functools.partial(one_rule, kinds=("gumbel",)),
    **rules_by_name(values_are_means, most_visited_is_played, halving),
}
