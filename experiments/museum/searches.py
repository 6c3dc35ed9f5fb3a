"""Properties of searches: what a right one does on a crafted tree, whatever its constants.

A property is a generator of findings. Each tree is tried as it is written and with the players
exchanged; the tag of a finding says with which of them it shows, since many faults show with one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from experiments.museum.subject import SIMULATIONS, UNSEEN, Answer, Findings, Subject
from experiments.museum.traces import Trace, best_fit, dominated
from experiments.museum.tree_game import parse

Property = Callable[[Subject, str], Findings]
_BUSHES = ("x?1", "x?2", "x?3", "x?-5")
_SIMULATIONS_OF_A_TRACE = 120
# Share of choices that the rule of a kind must explain: ties may be broken in any way.
_EXPLAINED = 0.95


def _both(
    subject: Subject, part: str, tree: str, simulations: int = SIMULATIONS
) -> Iterator[tuple[str, Answer]]:
    """The answers to a tree and to its mirror image, with the player who chooses."""
    root = parse(tree)
    for player, text in (("black", tree), ("white", str(root.mirrored()))):
        yield player, subject.ask(part, text, simulations)


def _plays(
    subject: Subject, part: str, right: int, why: str, *trees: str, simulations: int = SIMULATIONS
) -> Findings:
    """The search must play the action `right` in each tree."""
    for tree in trees:
        for player, answer in _both(subject, part, tree, simulations):
            if answer.move != right:
                yield player, (f"in {answer.game.settings['tree']} {why}, but after "
                               f"{simulations} simulations {answer.text}")


def win_in_one(subject: Subject, part: str) -> Findings:
    """A move that wins at once is played, though the evaluator does not know it."""
    yield from _plays(subject, part, 0, "A wins at once", "x(.05:+1 .5:o~.1 .45:o~-.1)")
    yield from _plays(subject, part, 2, "C wins at once", "x(.5:o~.1 .45:o~-.1 .05:+1)")


def loss_in_one(subject: Subject, part: str) -> Findings:
    """A move is not played if the opponent can win at once, though the evaluator likes it."""
    yield from _plays(subject, part, 1, "A lets the opponent win at once",
                      "x(.9:o=.6(.1:-1 .9:x~.6) .1:o~-.2)")


def lost_move(subject: Subject, part: str) -> Findings:
    """A move that loses at once is not played."""
    yield from _plays(subject, part, 1, "A loses at once", "x(.8:-1 .2:o~-.6)")


def draw_beats_loss(subject: Subject, part: str) -> Findings:
    """A draw is better than a bad position, one ply away and two."""
    yield from _plays(subject, part, 1, "B draws and the rest is bad", "x(o~-.6 0 o~-.5)",
                      "x(o~-.6 o(0 0) o~-.5)")


def win_beats_draw(subject: Subject, part: str) -> Findings:
    """A good position is better than a draw, and a draw not worse than a balanced one's loss."""
    yield from _plays(subject, part, 1, "A is a draw and B is good", "x(0 o~.6)",
                      "x(o(0 0) o~.6)")


def double_move(subject: Subject, part: str) -> Findings:
    """A player who moves twice keeps the view: of an estimate, and of a result."""
    yield from _plays(subject, part, 0, "A is good, and the same player moves again",
                      "x(x~.6 o~-.6)")
    yield from _plays(subject, part, 1, "A is bad, and the same player moves again",
                      "x(x~-.6 o~.2)")
    yield from _plays(subject, part, 1, "B wins with the next move of the same player",
                      "x(o~.3 x(-1 +1))")


def double_reply(subject: Subject, part: str) -> Findings:
    """The opponent moves twice: the second move is the opponent's choice, too."""
    yield from _plays(subject, part, 1, "after A the opponent moves twice and wins",
                      "x(o=.4(o=.4(-1 x~.4) x~.4) o~0)")


def reply(subject: Subject, part: str) -> Findings:
    """The move with the better position is played: values have the view of the player to move."""
    yield from _plays(subject, part, 0, "A is good and B is bad", "x(o~.6 o~-.6)")
    yield from _plays(subject, part, 1, "B is good and A is bad", "x(o~-.6 o~.6)")


def two_plies(subject: Subject, part: str) -> Findings:
    """The opponent's best reply counts, not the mean of the replies."""
    yield from _plays(subject, part, 1, "A has a bad reply and B has none",
                      "x(o(x~.8 x~-.7) o(x~.1 x~.2))",
                      "x(o(x~.5 x~.5 x~.5 x~.5 x~.5 x~.5 x~-.7) o~.1)")


def three_plies(subject: Subject, part: str) -> Findings:
    """Two good moves in a row count; so does a trap that closes with the third."""
    yield from _plays(subject, part, 0, "A is good with the right second move",
                      "x(o(x(o~-.5 o~.8) x(o~.8 o~-.3)) o~.1)")
    yield from _plays(subject, part, 1, "A is a trap that closes with the fourth ply",
                      "x(.7:o=.4(x=.4(o(-1 x~.5) o(-1 x~.5)) x~.4) .3:o~0)")


def late_knowledge(subject: Subject, part: str) -> Findings:
    """What is below a position counts more than the first estimate of it."""
    yield from _plays(subject, part, 0, "A looks bad and is good", "x(o=-.5(x~.7 x~.7) o~.1)")
    yield from _plays(subject, part, 1, "A looks good and is bad", "x(o=.8(x~-.3 x~-.3) o~.1)")


def value(subject: Subject, part: str) -> Findings:
    """The value that is reported is about right, also where all games are drawn."""
    for tree, right in (("x(o~.6 o~.6)", 0.6), ("x(o~0 o~0)", 0.0), ("x(o~-.5 o~-.5)", -0.5)):
        for player, answer in _both(subject, part, tree, 200):
            if answer.value is None:
                yield UNSEEN, "it does not report the value of a position"
                return
            if abs(answer.value - right) > 0.25:
                yield player, (f"in {answer.game.settings['tree']} the value is {answer.value:+.2f}"
                               f" and should be {right:+.1f} for the player to move")


def illegal_moves(subject: Subject, part: str) -> Findings:
    """Gaps between the numbers of legal actions do not shift moves."""
    yield from _plays(subject, part, 3, "D is the only good move", "x(_ o~-.4 _ o~.6 _ o~-.5)",
                      "x(_ _ o(_ x~-.5) o(_ _ x~.5))")


def long_line(subject: Subject, part: str) -> Findings:
    """A forced win is found at the end of a line."""
    if part == "search" or subject.player is None or "sims" in getattr(
        subject.player, "budgets", ("sims",)
    ):
        yield from _plays(subject, part, 0, "A wins by force in five plies",
                          "x(o(x(o(x(+1)))) o~.3)")


def forgets(subject: Subject, part: str) -> Findings:
    """A search knows nothing of the position that it was asked about before."""
    for first, right in (("x(o~.6 o~-.6)", 0), ("x(o~-.6 o~.6)", 1)) * 2:
        answer = subject.ask(part, first)
        if answer.move != right:
            yield "", f"asked about {first} after another position of this size, {answer.text}"
            return


def breadth(subject: Subject, part: str) -> Findings:
    """With twenty equal moves, at least half are tried: a move without visits is not lost."""
    tree = f"x({' '.join(['o~0'] * 20)})"
    for player, answer in _both(subject, part, tree, 60):
        tried = sum(count > 0 for count in answer.visits.values())
        if answer.visits and tried < 10:
            yield player, f"of twenty equal moves, 60 simulations try {tried}"


def budget(subject: Subject, part: str) -> Findings:
    """The visits of the moves sum to the number of simulations."""
    for player, answer in _both(subject, part, "x(o~.2 o~0 o~-.1)", 100):
        total = sum(answer.visits.values())
        if answer.visits and not 50 <= total <= 101:
            yield player, f"with 100 simulations, the visits sum to {total:g}"
        if len(answer.asked) > 103:
            yield player, f"with 100 simulations, {len(answer.asked)} positions are evaluated"


def ends_are_not_evaluated(subject: Subject, part: str) -> Findings:
    """The evaluator is not asked about finished games: no network has learned any."""
    for player, answer in _both(subject, part, "x(o(-1 0 x~.2) 0 o~.1)", 60):
        ended = [node for node in answer.asked if answer.game.ended(node)]
        if ended:
            yield player, f"it asks the evaluator about finished games ({len(ended)} times)"


def exploration_fades(subject: Subject, part: str) -> Findings:
    """A bad move gets a smaller share of more simulations."""
    if subject.kind != "gumbel":
        few, many = (_share(subject, part, "x(.5:o~.5 .5:o~-.5)", n) for n in (100, 1600))
        if few is None:
            yield UNSEEN, "the visits of its moves"
        elif many > 0.7 * few + 2 / 1600:
            yield "", (f"a bad move gets {few:.1%} of 100 simulations and {many:.1%} of 1600; its "
                       "share must fall")


def exploration_lasts(subject: Subject, part: str) -> Findings:
    """A move that is a little worse gets more visits from more simulations."""
    if subject.kind != "gumbel":
        few, many = (_share(subject, part, "x(.5:o~.1 .5:o~-.1)", n) for n in (100, 1600))
        if few is not None and 1600 * many <= 100 * few + 1:
            yield "", (f"a slightly worse move gets {100 * few:.0f} of 100 simulations and "
                       f"{1600 * many:.0f} of 1600")


def _share(subject: Subject, part: str, tree: str, simulations: int) -> float | None:
    answer = subject.ask(part, tree, simulations)
    total = sum(answer.visits.values())
    return answer.visits.get(1, 0) / total if total else None


def priors_steer(subject: Subject, part: str) -> Findings:
    """Of equal moves, the likelier one gets more visits."""
    if subject.kind == "uct" or part != "search":
        return
    for tree in ("x(.15:o~0 .6:o~0 .25:o~0)", "x(_ .6:o~0 .15:o~0 .25:o~0)"):
        priors = parse(tree).priors
        for player, answer in _both(subject, part, tree, 200):
            order = sorted(answer.visits, key=lambda action: -priors[action])
            counts = [answer.visits[action] for action in order]
            if counts != sorted(counts, reverse=True) or counts[0] == counts[-1]:
                yield player, f"all moves of {tree} are equal but for their priors; {answer.text}"
            elif subject.kind == "puct" and not 0.45 < counts[0] / sum(counts) < 0.75:
                yield "share", (f"all moves of {tree} are equal; the one with prior .6 gets "
                                f"{counts[0] / sum(counts):.0%} of the visits")


def _traces(subject: Subject, part: str) -> Iterator[tuple[str, Answer, Trace]]:
    if part == "search":
        for tree in _BUSHES:
            for player, answer in _both(subject, part, tree, _SIMULATIONS_OF_A_TRACE):
                yield player, answer, Trace(answer.game, answer.asked)


def no_dominated_choice(subject: Subject, part: str) -> Findings:
    """No move is chosen that has a worse mean, a lower prior and more visits than another."""
    for player, answer, trace in _traces(subject, part):
        found = list(dominated(trace, subject.kind != "uct", subject.kind == "gumbel"))
        if len(found) > 0.02 * len(trace.choices):
            choice, other = found[0]
            depth = "root" if choice.node == 0 else "below"
            yield f"{player}, {depth}", (
                f"in {answer.game.settings['tree']}, {len(found)} of {len(trace.choices)} choices "
                f"are for a worse, less likely and more visited move. Simulation "
                f"{choice.simulation}, node {choice.node}: {_describe(choice.chosen)} instead of "
                f"{_describe(other)}")


def _describe(option: object) -> str:
    return (f"move {'ABC'[option.action]} with mean {option.mean:+.2f}, prior {option.prior:.2f}, "
            f"{option.visits} visits")


def one_rule(subject: Subject, part: str) -> Findings:
    """One constant explains the choices between visited moves."""
    if subject.kind == "gumbel":
        return
    if part != "search":
        yield UNSEEN, "the order in which it looks at positions, so its rule of selection"
        return
    constants = []
    for player, answer, trace in _traces(subject, part):
        fit = best_fit(trace, subject.kind)
        if fit.choices < 50:
            continue
        if fit.explained < _EXPLAINED:
            yield f"{player}", (
                f"in {answer.game.settings['tree']}, no constant c lets mean + c {fit.rule} "
                f"explain more than {fit.explained:.0%} of {fit.choices} choices (c = "
                f"{fit.constant:.2f})")
        constants.append(fit.constant)
    if constants and max(constants) > 1.35 * min(constants):
        yield "constant", (f"the constant of the rule seems to change, from {min(constants):.2f} "
                           f"to {max(constants):.2f}")


def values_are_means(subject: Subject, part: str) -> Findings:
    """The value that is reported is the mean of the evaluations; visits are their number."""
    for player, answer, trace in _traces(subject, part):
        if not trace.complete or len(answer.asked) < sum(answer.visits.values()):
            continue  # some simulations have reached an end
        share = trace.share(0)
        wrong = [action for action, count in share.items()
                 if abs(count - answer.visits.get(action, 0)) > 1]
        if answer.visits and wrong:
            yield "visits", f"it reports visits of {answer.visits}; it has made {share}"
        sign = 1 - 2 * answer.game.mover(0)
        child = answer.game.children(0)[answer.move]
        means = [sign * trace.totals[node] / max(trace.visits[node], 1) for node in (0, child)]
        if answer.value is not None and min(abs(answer.value - mean) for mean in means) > 0.05:
            yield player, (f"in {answer.game.settings['tree']} it reports the value "
                           f"{answer.value:+.2f}; the mean of its evaluations is {means[0]:+.2f}, "
                           f"after its move {means[1]:+.2f}")


def most_visited_is_played(subject: Subject, part: str) -> Findings:
    """The move with the most visits is played."""
    if subject.kind == "gumbel":
        return
    for tree in ("x?1", "x?2", "x?6"):
        for simulations in range(11, 60, 4):
            answer = subject.ask(part, tree, simulations)
            if answer.decided and answer.visits and (
                answer.visits.get(answer.move, 0) < max(answer.visits.values())
            ):
                yield "", f"in {tree}, with {simulations} simulations, {answer.text}"
                return


def halving(subject: Subject, part: str) -> Findings:
    """Gumbel: equally many visits for all candidates, then for the better half, and so on."""
    if subject.kind != "gumbel":
        return
    tree = f"x({' '.join(f'o~{value / 10:g}' for value in range(-4, 4))})"
    for player, answer in _both(subject, part, tree, 97):
        counts = sorted(answer.visits.values(), reverse=True)
        if counts != sorted([4.0] * 4 + [12.0] * 2 + [28.0] * 2, reverse=True) and (
            len(set(counts)) < 3 or counts[0] - counts[1] > 1
        ):
            yield player, f"eight candidates, 97 simulations: visits {counts}"
        best = sorted(answer.visits, key=lambda action: -answer.visits[action])[:2]
        if set(best) != {6, 7}:
            yield player, f"of eight equally likely moves, G and H are best; {answer.text}"


def candidates(subject: Subject, part: str) -> Findings:
    """Gumbel: without noise, the likeliest moves are the candidates; unvisited ones wait."""
    if subject.kind == "gumbel":
        yield from _plays(
            subject, part, 1, "A is a little likelier and B much better",
            "x(.6:o~-.2 .4:o~.2)", simulations=16)
        yield from _plays(
            subject, part, 1, "A and B are equally likely, and B is better", "x(o~-.2 o~.2)",
            simulations=17)
        yield from _plays(
            subject, part, 0, "A is as good as B and likelier", "x(.7:o~.1 .3:o~.1)",
            simulations=16)


PROPERTIES: dict[str, Property] = {
    function.__name__.replace("_", " "): function for function in (
        reply, win_in_one, lost_move, loss_in_one, draw_beats_loss, win_beats_draw, double_move,
        double_reply, two_plies, three_plies, late_knowledge, value, illegal_moves, long_line,
        forgets, budget, breadth, ends_are_not_evaluated, exploration_fades, exploration_lasts,
        priors_steer, no_dominated_choice, one_rule, values_are_means, most_visited_is_played,
        halving, candidates,
    )
}
