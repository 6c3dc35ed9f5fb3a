"""Properties of searches: what a right one does on a crafted tree, whatever its constants.

A property yields findings: a tag, which tells how the fault shows, and a sentence. Each tree is
tried as it is written and with the players exchanged, since many faults show with one colour.
"""

from __future__ import annotations

from collections.abc import Iterator

from experiments.museum.subject import SIMULATIONS, UNSEEN, Answer, Findings, Subject
from experiments.museum.traces import Trace, best_fit, dominated
from experiments.museum.tree_game import parse

_BUSHES = ("x?1", "x?2", "x?3", "x?-5")
# Share of the choices that a rule must explain: ties may be broken in any way.
_EXPLAINED = 0.95
_LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"

# Trees in which one move is right: property -> (the action, why, tree).
MOVES: dict[str, tuple[tuple[int, str, str], ...]] = {
    "reply": (
        (0, "B is bad", "x(o~.6 o~-.6)"),
        (1, "A is bad", "x(o~-.6 o~.6)"),
    ),
    "win in one": (
        (0, "A wins at once", "x(.1:+1 .5:o~.1 .4:o~-.1)"),
        (2, "C wins at once", "x(.5:o~.1 .4:o~-.1 .1:+1)"),
    ),
    "lost move": ((1, "A loses at once", "x(.8:-1 .2:o~-.6)"),),
    "loss in one": (
        (1, "A lets the opponent win at once", "x(.9:o=.6(.1:-1 .9:x~.6) .1:o~-.2)"),
    ),
    "draw beats loss": (
        (1, "B draws and the rest is bad", "x(o~-.6 0 o~-.5)"),
        (1, "B draws and the rest is bad", "x(o~-.6 o(0 0) o~-.5)"),
    ),
    "win beats draw": (
        (1, "A is a draw and B is good", "x(0 o~.6)"),
        (1, "A is a draw and B is good", "x(o(0 0) o~.6)"),
    ),
    "double move": (
        (0, "A is good, and the same player moves again", "x(x~.6 o~-.6)"),
        (1, "A is bad, and the same player moves again", "x(x~-.6 o~.2)"),
        (1, "B wins with the next move of the same player", "x(o~.3 x(-1 +1))"),
    ),
    "double reply": (
        (1, "after A the opponent moves twice and wins", "x(o=.4(o=.4(-1 x~.4) x~.4) o~0)"),
    ),
    "two plies": (
        (1, "A has a bad reply", "x(o(x~.8 x~-.7) o(x~.1 x~.2))"),
        (1, "A has a bad reply", "x(o(x~.5 x~.5 x~.5 x~.5 x~.5 x~.5 x~-.7) o~.1)"),
    ),
    "three plies": (
        (0, "A is good with the right second move", "x(o(x(o~-.5 o~.8) x(o~.8 o~-.3)) o~.1)"),
        (1, "A is a trap that closes with the fourth ply",
         "x(.7:o=.4(x=.4(o(-1 x~.5) o(-1 x~.5)) x~.4) .3:o~0)"),
    ),
    "late knowledge": (
        (0, "A looks bad and is good", "x(o=-.5(x~.7 x~.7) o~.1)"),
        (1, "A looks good and is bad", "x(o=.8(x~-.3 x~-.3) o~.1)"),
    ),
    "illegal moves": (
        (3, "D is the only good move", "x(_ o~-.4 _ o~.6 _ o~-.5)"),
        (3, "D is the only good move", "x(_ _ o(_ x~-.5) o(_ _ x~.5))"),
    ),
    "long line": ((0, "A wins by force in five plies", "x(o(x(o(x(+1)))) o~.3)"),),
    "candidates": (
        (1, "A is a little likelier and B much better", "x(.6:o~-.2 .4:o~.2)"),
        (1, "A and B are equally likely, and B is better", "x(o~-.2 o~.2)"),
        (0, "A is as good as B and likelier", "x(.7:o~.1 .3:o~.1)"),
    ),
}


def both(
    subject: Subject, part: str, tree: str, simulations: int = SIMULATIONS
) -> Iterator[tuple[str, Answer]]:
    """The answers to a tree and to its mirror image, with the player who chooses."""
    for player, text in (("black", tree), ("white", str(parse(tree).mirrored()))):
        yield player, subject.ask(part, text, simulations)


def right_moves(subject: Subject, part: str, name: str) -> Findings:
    """The right move is played in each tree of `MOVES[name]`."""
    simulations = 17 if name == "candidates" else SIMULATIONS
    if name == "long line" and part == "select_move" and not subject.counts_simulations or (
        name == "candidates" and subject.kind != "gumbel"
    ):
        return
    for right, why, tree in MOVES[name]:
        for player, answer in both(subject, part, tree, simulations):
            if not answer.decided and sum(answer.visits.values()) < simulations / 2:
                yield UNSEEN, ("it stops early and does not say which move it plays; let search "
                               "return (visits, move)")
            elif answer.move != right:
                yield player, (f"in {answer.tree} {why}, but after {simulations} simulations "
                               f"{answer.text}")


def value(subject: Subject, part: str) -> Findings:
    """The value that is reported is about right, also where all games are drawn."""
    for tree, right in (("x(o~.6 o~.6)", 0.6), ("x(o~0 o~0)", 0.0), ("x(o~-.5 o~-.5)", -0.5)):
        for player, answer in both(subject, part, tree, 200):
            if answer.value is None:
                yield UNSEEN, "the value of a position, which it does not report"
                return
            if abs(answer.value - right) > 0.25:
                yield player, (f"in {answer.tree} the value is {answer.value:+.2f} and should be "
                               f"{right:+.1f} for the player to move")


def proofs(subject: Subject, part: str) -> Findings:
    """A result that is called certain is right: no estimate is a proof."""
    for tree, right in (("x(o~.3 o~.1)", None), ("x(o~.3 o(-1 x~.1))", None), ("x(o(0 -1) 0)", 0),
                        ("x(o(x(-1 -1)) -1)", -1), ("x(o(x(+1 0) +1) -1)", 1)):
        for player, answer in both(subject, part, tree):
            if answer.proven not in (None, right):
                yield player, (f"in {answer.tree} it calls the result {answer.proven:+d} certain "
                               "for the player to move")


def forgets(subject: Subject, part: str) -> Findings:
    """A search knows nothing of the position that it was asked about before."""
    for tree, right in (("x(o~.6 o~-.6)", 0), ("x(o~-.6 o~.6)", 1)) * 2:
        answer = subject.ask(part, tree)
        if answer.move != right:
            yield "", f"asked about {tree} after another position of this size, {answer.text}"
            return


def budget(subject: Subject, part: str) -> Findings:
    """The visits of the moves sum to the number of simulations."""
    for player, answer in both(subject, part, "x(o~.2 o~0 o~-.1)", 100):
        total = sum(answer.visits.values())
        if answer.visits and not 50 <= total <= 101:
            yield player, f"with 100 simulations, the visits sum to {total:g}"
        if len(answer.asked) > 103:
            yield player, f"with 100 simulations, {len(answer.asked)} positions are evaluated"


def breadth(subject: Subject, part: str) -> Findings:
    """Of twenty equal moves, at least half are tried soon: a move without visits is not lost."""
    for player, answer in both(subject, part, f"x({' '.join(['o~0'] * 20)})", 60):
        tried = sum(count > 0 for count in answer.visits.values())
        if answer.visits and tried < 10:
            yield player, f"of twenty equal moves, 60 simulations try {tried}"


def ends_are_not_evaluated(subject: Subject, part: str) -> Findings:
    """The evaluator is not asked about finished games: no network has learned any."""
    for player, answer in both(subject, part, "x(o(-1 0 x~.2) 0 o~.1)", 60):
        if ended := sum(answer.game.ended(node) for node in answer.asked):
            yield player, f"it asks the evaluator about finished games ({ended} times)"


def exploration(subject: Subject, part: str) -> Findings:
    """With more simulations, a bad move gets a smaller share, and a near one more visits."""
    if subject.kind == "gumbel":
        return
    shares = []
    for tree in ("x(.5:o~.5 .5:o~-.5)", "x(.5:o~.1 .5:o~-.1)"):
        for simulations in (100, 1600):
            visits = subject.ask(part, tree, simulations).visits
            if not visits:
                yield UNSEEN, "the visits of its moves"
                return
            shares.append(visits.get(1, 0) / sum(visits.values()))
    bad, bad_later, near, near_later = shares
    if bad_later > 0.7 * bad + 2 / 1600:
        yield "does not fade", (f"a bad move gets {bad:.1%} of 100 simulations and {bad_later:.1%} "
                                "of 1600; its share must fall")
    if 1600 * near_later <= 100 * near + 1:
        yield "ends", (f"a slightly worse move gets {100 * near:.0f} of 100 simulations and "
                       f"{1600 * near_later:.0f} of 1600")


def priors_steer(subject: Subject, part: str) -> Findings:
    """Of equal moves, the likelier one gets more visits."""
    if subject.kind == "uct" or part != "search":
        return
    for tree in ("x(.15:o~0 .6:o~0 .25:o~0)", "x(_ .6:o~0 .15:o~0 .25:o~0)"):
        priors = parse(tree).priors
        for player, answer in both(subject, part, tree, 200):
            counts = [answer.visits[action]
                      for action in sorted(answer.visits, key=lambda action: -priors[action])]
            if counts != sorted(counts, reverse=True) or counts[0] == counts[-1]:
                yield player, f"all moves of {tree} are equal but for their priors; {answer.text}"
            elif subject.kind == "puct" and not 0.45 < counts[0] / sum(counts) < 0.75:
                yield "share", (f"all moves of {tree} are equal; the one with prior .6 gets "
                                f"{counts[0] / sum(counts):.0%} of the visits")


def _traces(
    subject: Subject, part: str, simulations: int = 120
) -> Iterator[tuple[str, Answer, Trace]]:
    for tree in _BUSHES if part == "search" else ():
        for player, answer in both(subject, part, tree, simulations):
            yield player, answer, Trace(answer.game, answer.asked)


def no_dominated_choice(subject: Subject, part: str) -> Findings:
    """No move is chosen that has a worse mean, a lower prior and more visits than another."""
    for player, answer, trace in _traces(subject, part):
        found = list(dominated(trace, subject.kind != "uct", subject.kind == "gumbel"))
        if len(found) > 0.02 * len(trace.choices):
            choice, *options = found[0][0], found[0][0].chosen, found[0][1]
            mine, other = (f"{_LETTERS[one.action]} with mean {one.mean:+.2f}, prior "
                           f"{one.prior:.2f}, {one.visits} visits" for one in options)
            yield f"{player}, {'below' if choice.node else 'root'}", (
                f"in {answer.tree}, {len(found)} of {len(trace.choices)} choices are for a worse, "
                f"less likely and more visited move. Simulation {choice.simulation}, node "
                f"{choice.node}: move {mine} instead of {other}")


def one_rule(subject: Subject, part: str) -> Findings:
    """One constant explains the choices between moves."""
    if part != "search":
        yield UNSEEN, "the order in which it looks at positions, so its rule of selection"
        return
    constants = []
    for player, answer, trace in _traces(subject, part, 60 if subject.kind == "gumbel" else 120):
        fit = best_fit(trace, subject.kind)
        if fit.choices >= 30 and fit.explained < _EXPLAINED:
            yield player, (f"in {answer.tree}, no constant c lets {fit.rule} explain more than "
                           f"{fit.explained:.0%} of {fit.choices} choices (c = {fit.constant:.2f})")
        if fit.choices >= 50:
            constants.append(fit.constant)
    if constants and subject.kind != "gumbel" and max(constants) > 1.35 * min(constants):
        yield "constant", (f"the constant of the rule seems to change, from {min(constants):.2f} "
                           f"to {max(constants):.2f}")


def values_are_means(subject: Subject, part: str) -> Findings:
    """The value that is reported is the mean of the evaluations; visits are their number."""
    for player, answer, trace in _traces(subject, part):
        if not trace.complete or len(answer.asked) < sum(answer.visits.values()):
            continue  # some simulations have reached an end
        made = trace.share(0)
        if answer.visits and any(abs(count - answer.visits.get(action, 0)) > 1
                                 for action, count in made.items()):
            yield "visits", f"it reports visits of {answer.visits}; it has made {made}"
        sign, child = 1 - 2 * answer.game.mover(0), answer.game.children(0)[answer.move]
        means = [sign * trace.totals[node] / max(trace.visits[node], 1) for node in (0, child)]
        if answer.value is not None and min(abs(answer.value - mean) for mean in means) > 0.05:
            yield player, (f"in {answer.tree} it reports the value {answer.value:+.2f}; the mean "
                           f"of its evaluations is {means[0]:+.2f}, after its move {means[1]:+.2f}")


def most_visited_is_played(subject: Subject, part: str) -> Findings:
    """The move with the most visits is played."""
    for tree in ("x?1", "x?2", "x?6") if subject.kind != "gumbel" else ():
        for simulations in range(11, 60, 4):
            answer = subject.ask(part, tree, simulations)
            if not answer.decided or not answer.visits:
                return
            if answer.visits.get(answer.move, 0) < max(answer.visits.values()):
                yield "", f"in {tree}, with {simulations} simulations, {answer.text}"
                return


def halving(subject: Subject, part: str) -> Findings:
    """Gumbel: equally many visits for all candidates, then for the better half, and so on."""
    if subject.kind != "gumbel":
        return
    tree = f"x({' '.join(f'o~{step / 10:g}' for step in range(-4, 4))})"
    for player, answer in both(subject, part, tree, 97):
        order = sorted(answer.visits, key=lambda action: -answer.visits[action])
        counts = [answer.visits[action] for action in order]
        if any(abs(count - right) > 2 for count, right in zip(
                counts, (28, 28, 12, 12, 4, 4, 4, 4), strict=False)):
            yield f"{player}, shares", f"eight candidates, 97 simulations: visits {counts}"
        elif {*order[:2]} != {6, 7}:
            yield f"{player}, order", f"of eight likely moves, G and H are best; {answer.text}"


PROPERTIES = {
    **{name: lambda subject, part, name=name: right_moves(subject, part, name) for name in MOVES},
    **{function.__name__.replace("_", " "): function for function in (
        value, proofs, forgets, budget, breadth, ends_are_not_evaluated, exploration, priors_steer,
        no_dominated_choice, one_rule, values_are_means, most_visited_is_played, halving)},
}
# The kind of a fault that breaks a property, where no fault of the museum is like it.
KINDS = {
    "reply": "view", "win in one": "results", "lost move": "results", "loss in one": "results",
    "draw beats loss": "results", "win beats draw": "results", "double move": "double move",
    "double reply": "double move", "two plies": "view", "three plies": "view",
    "late knowledge": "mean", "value": "mean", "proofs": "proof", "budget": "mean",
    "breadth": "selection",
    "ends are not evaluated": "results", "exploration": "selection", "priors steer": "prior",
    "no dominated choice": "selection", "one rule": "selection", "values are means": "mean",
    "most visited is played": "choice", "halving": "gumbel", "candidates": "gumbel",
}
