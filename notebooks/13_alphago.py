# ---
# jupyter:
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---

# %% [markdown]
# # AlphaGo
#
# *Chapter 13 of [the book](../docs/index.md), and Silver et al., "Mastering the game of Go with
# deep neural networks and tree search" (Nature 2016), here called "the paper"; section numbers are
# the book's.*
#
# After this page you can
#
# * explain [PUCT](../docs/glossary.md#puct) and compute one step of it by hand;
# * name AlphaGo's four networks, and say what each one learns from;
# * compute the value of a leaf from a network and a rollout;
# * explain why the better player is not the better adviser of a search.
#
# You should know UCT and the four steps of a simulation ([chapter 4](04_search.py)), networks that
# predict moves ([chapter 5](05_networks.py)), and REINFORCE ([chapter 9](09_policy_gradients.py)).
#
# [In the studio](../docs/studio.md#course-and-lectures), open the course preset *AlphaGo's leaves*.

# %% tags=["hide-input"]
import numpy as np

import dlgo
from engines.alphago.textbook import TextbookAlphaGo
from engines.registry import build_engine
from experiments.chapters import ch13
from experiments.chapters.experiment import Claims
from experiments.course import diagrams
from experiments.course.showing import Source, draw_policy
from experiments.figures import drawing

# %% [markdown]
# ## The search: PUCT
#
# <!-- slide: UCT has no opinion about new moves -->
# UCT tries every move once before it repeats one. In Go, with about 250 moves in each position, a
# search of 1,000 simulations then hardly sees two moves ahead. A strong player considers a few
# moves and ignores the others. A network that predicts moves can do that for the search.
# <!-- /slide -->
#
# The [policy](../docs/glossary.md#policy) network gives each move $a$ a probability $P_a$, its
# [*prior*](../docs/glossary.md#prior): what we believe about the move before the search. A
# [leaf](../docs/glossary.md#leaf) gets all its children at once, each with its prior. The search
# then follows the child with the largest *selection score*:
#
# <!-- slide: PUCT adds the prior to the score -->
# $$Q_a + c \, P_a \, \frac{\sqrt{N}}{1 + n_a}$$
#
# * $Q_a$: mean value of the simulations through move $a$, from -1 (lost) to 1 (won), as the player
#   who chooses sees it; 0 if there is none yet.
# * $n_a$: visits of the move. $N$: visits of the position.
# * $c$: a constant, the weight of exploration.
#
# $Q_a$ *exploits* what the search knows; the second term, the bonus, *explores*.
# <!-- /slide -->
#
# The rule is called PUCT, "predictor and upper confidence bounds applied to trees": UCT with a
# predictor, an idea of Rosin (2011). The paper uses the form above, without a derivation. Each
# factor has a reason:
#
# <!-- slide: Each factor of the bonus has a reason -->
# * **$P_a$**: likely moves come first. If all $Q$ are equal, the bonuses become equal, so $1 + n_a$
#   becomes proportional to $P_a$: the visits copy the prior.
# * **$1 / (1 + n_a)$**: the bonus shrinks with each visit. The 1 keeps it finite without visits, so
#   bad moves can be skipped; UCT's bonus is infinite there.
# * **$\sqrt{N}$**: grows, so no move is forgotten for ever.
# <!-- /slide -->
#
# Why the root, and not $N$? Let the largest selection score be $S$. The value of another move is
# lower by $\Delta = S - Q_a$. The move is visited as long as its bonus is larger than $\Delta$,
# that is until $1 + n_a = c P_a \sqrt{N} / \Delta$. So worse moves receive a number of visits like
# $\sqrt{N}$: it grows, but its share of all $N$ visits falls. With $N$ in place of $\sqrt{N}$ the
# share would never fall; without it, the visits would stop growing.
#
# <!-- slide: One step of PUCT by hand -->
# **By hand**, two moves of the book's figure 14.3 ($N = 3$):
#
# | | $Q$ | $P$ | $n$ | selection score, $c = 1$ | $c = 4$ |
# |---|---|---|---|---|---|
# | A | 0.1 | 0.068 | 2 | $0.1 + 0.068 \sqrt{3} / 3 = 0.139$ | 0.257 |
# | C | 0 | 0.038 | 0 | $0 + 0.038 \sqrt{3} / 1 = 0.066$ | 0.263 |
#
# Of these two, the search follows A with $c = 1$, and C with $c = 4$.
# <!-- /slide -->
#
# The rule fits in a few lines. Here the values $Q$ are fixed. The prior prefers the first move, but
# the second has the better value:
#
# <!-- slide: First the prior decides, then the values -->

# %% tags=["slide-code"]
def visits(priors, values, simulations, c=1.5):
    """How often PUCT visits each move, if the values of the moves never change."""
    priors, values, n = np.array(priors), np.array(values), np.zeros(len(priors), dtype=int)
    for _ in range(simulations):
        bonus = c * priors * np.sqrt(n.sum() + 1) / (1 + n)
        n[np.argmax(values + bonus)] += 1
    return n


# %% tags=["hide-input"]
prior, value = (0.6, 0.3, 0.1), (0.0, 0.2, 0.1)
print(f"      prior {prior}, value {value}")
for simulations in (10, 40, 100, 1000):
    print(f"{simulations:>5} simulations, visits:", visits(prior, value, simulations))

# %% [markdown]
# <!-- /slide -->
#
# After 10 simulations the visits still look like the prior; after 1,000, four of five go to the
# best move. ($N$ is `n.sum() + 1`, because the visit that expanded the position counts, too.)
#
# **Two scales.** The engines of dlgo count values as shares of wins, $w = (1 + Q) / 2$, from 0 to
# 1. Differences are then half as large, so half the $c$ gives the same search: `c_puct=0.9` is
#    $c = 1.8$ above.
#
# ## Four networks
#
# AlphaGo combines learning from recorded games, learning from results,
# [rollouts](../docs/glossary.md#rollout) (games played quickly to the end) and tree search.
#
# <!-- slide: AlphaGo trains four networks, then searches -->

# %% tags=["hide-input"]
diagrams.alphago_pipeline()

# %% [markdown]
# <!-- /slide -->
#
# <!-- slide: Each network learns from something else -->
# 1. The **supervised policy** predicts the moves of recorded games.
# 2. The **fast policy** does the same with a small linear model: worse, but in microseconds.
# 3. The **reinforced policy** starts as a copy of the first, plays itself, and learns from the
#    results (REINFORCE).
# 4. The **[value](../docs/glossary.md#value) network** predicts who wins games of the reinforced
#    policy, from one position of each.
# <!-- /slide -->
#
# The opponent in step 3 is an earlier version, drawn at random. Why one position a game in step 4?
# All positions of a game look alike and have the same winner. The network would learn to recognise
# the game instead of judging the position.
#
# <!-- slide: The real AlphaGo and ours, in numbers -->
# | | the paper (Go 19x19) | here (Connect Four) |
# |---|---|---|
# | recorded positions | 30 million | 92,161 |
# | supervised policy predicts | 57.0% of moves | 49.6% |
# | fast policy predicts | 24.2%, in 2 microseconds | 44.4% |
# | reinforced beats supervised | over 80% | 74% |
# | value network's positions | 30 million | 43,888 |
# | its squared error | 0.234 | 0.638 |
# | training | a month, 50 GPUs | 330 CPU seconds |
# <!-- /slide -->
#
# The paper's recorded games are those of strong amateurs on the Go server KGS, ours those of a tree
# search. Its policy network has 13 layers and sees a position as 48 planes (such as the liberties
# of each stone); one answer takes 3 milliseconds, 1,500 times as long as the fast policy's. (Ours:
# [lab notebook](../docs/lab_notebook.md), entry 16, 2026-11-23. In Connect Four the fast policy is
# nearly as good as the network, because a line of four is a small pattern. Squared errors depend on
# the game: do not compare them.)
#
# `dlgo train alphago --game connect4` runs all stages; [AlphaGo](../docs/engines/alphago.md)
# describes them. This page uses the networks that come with the package.
#
# ## The search asks all of them
#
# The priors $P$ of PUCT come from the supervised policy. What is special in AlphaGo is the value of
# a leaf. It mixes two estimates:
#
# <!-- slide: A leaf's value mixes network and rollout -->
# $$V = (1 - \lambda) \, v + \lambda \, z$$
#
# $v$: answer of the value network. $z$: result of one game that the fast policy plays from the leaf
# to the end. Both are from -1 to 1, as the player to move at the leaf sees them.
#
# **By hand**: $\lambda = 0.5$, $v = 0.4$, a lost rollout ($z = -1$):
# $V = 0.5 \cdot 0.4 + 0.5 \cdot (-1) = -0.3$.
# <!-- /slide -->
#
# $V$ then goes up the path, with a change of sign where the player changes, and each $Q$ becomes
# the mean of the values below it. In `_evaluate` the option `lambda` is `mixing`, and `_expected`
# asks the value network. In `_rollout`, `draw` draws a move at temperature 1:

# %% tags=["hide-input"]
Source(TextbookAlphaGo._evaluate, TextbookAlphaGo._rollout)

# %% [markdown]
# ## A network or rollouts?
#
# The network can be wrong about a whole kind of position. A rollout is a real result,
# but of one hasty game. In Connect Four we know the truth, so we can measure both: the mean squared
# error against the exact result (-1, 0 or 1). A search visits a good move many times, so the mean
# of several rollouts counts as well. The dashed line is the network alone.
#
# <!-- slide: A few rollouts help a network a little -->

# %% tags=["hide-input"]
ch13.leaves.show()

# %% [markdown]
# <!-- /slide -->
#
# * One rollout alone ($\lambda = 1$) is much worse than the network. More than a small weight makes
#   the value worse.
# * The mean of 32 rollouts is about as good as the network, and an equal mixture is better than
#   either. But it is only a little better: 0.51 instead of 0.55 and 0.53. With independent errors
#   it would be 0.27 (question 3). So network and rollouts mostly err in the same positions, and the
#   mixture gains from the few others.
# * The best $\lambda$ depends on the network and on the number of rollouts. The paper's 0.5 belongs
#   to its networks.
#
# **Try this.** Run `ch13.leaves.run(positions=980)`, then replace the fast policy in `ch13.py` by
# `LightRollout()` (random moves) or `HeavyRollout()` from `engines/search/evaluators.py`. Which
# rollouts need how much of the network?
#
# <!-- try: leaves -->
#
# ## The better player, the worse adviser
#
# In this position one move draws, and all others lose. Which?

# %% tags=["hide-input"]
state = dlgo.game("connect4").start().play(*"325411")
state

# %% [markdown]
# A larger disc is a larger probability:
#
# <!-- slide: The reinforced policy leaves nothing to search -->

# %% tags=["hide-input"]
with drawing(None, 2, 1, (4.4, 4.2)) as axes:
    for axis, part in zip(axes, ("supervised", "reinforced"), strict=True):
        engine = build_engine(f"supervised:model={ch13.BUNDLE.network(part)}", state.game)
        draw_policy(axis, state, engine.select_move(state).policy, part)

# %% [markdown]
# <!-- /slide -->
#
# Column 2 draws; neither policy prefers it. The reinforced policy is certain of column 4. On
# average its choice is better: it wins when both play alone. But a search needs several candidates:
# it does not look at a move with a prior near 0. So it is better with the supervised policy, which
# shares its probability among the moves that people (here: a tree search) have played. The paper
# found the same and used the supervised policy in its search; the reinforced one only plays the
# games for the value network.
#
# <!-- slide: What each part is worth in matches -->

# %% tags=["hide-input"]
ch13.parts.show()

# %% [markdown]
# <!-- /slide -->
#
# AlphaZero, the successor, has one network for policy and value and no rollouts. At 100 simulations
# it is far ahead here; its network has also had about thirty times as much training (10,409 CPU
# seconds against 330).
#
# **Try this.** Play `dlgo play connect4 --second alphago` and then `--second
# alphago:prior=reinforced`. Which one is easier to beat?
#
# ## How strong was it?
#
# <!-- slide: AlphaGo beat the best players of Go -->
# * October 2015: 5:0 against Fan Hui, the European champion. No program had beaten a professional
#   on the full board without a handicap before.
# * March 2016: 4:1 against Lee Sedol, one of the world's best.
# * Against other programs: 494 of 495 games, on one machine.
# * It used 1,202 CPUs and 176 GPUs.
# <!-- /slide -->
#
# (From the paper, except Lee Sedol: Silver et al. 2017. The hardware is that of the first match.)
# [The story](../docs/story.md) tells what came before and after.
#
# ## What the book says, and what we measured
#
# Connect Four: `ch13.parts`, 100 simulations, 2026-11-26. 9x9: 400 simulations, 2026-11-23, 2-core
# AMD EPYC for the first row, 2-core Intel Xeon for the others
# ([lab notebook](../docs/lab_notebook.md#claims-about-alphago), with more claims).

# %% tags=["hide-input"]
Claims(
    ("The reinforced policy beats the supervised one in over 80% of the games.", "13.2",
     "Depends on the game: Connect Four "
     f"{ch13.parts['reinforced against supervised, alone']}, 9x9 94.2% (91.6 to 96.3)."),
    ("In the search, the supervised policy is the better prior.", "13.4",
     f"Confirmed: Connect Four {ch13.parts['supervised against reinforced, as prior']}, 9x9 90.5% "
     "(85.8 to 94.1)."),
    ("Value network and rollouts together beat either alone.", "13.4",
     "Confirmed on 9x9, undecided in Connect Four against the network alone: Connect Four "
     f"{ch13.parts['mixture against value network']} against the network, "
     f"{ch13.parts['mixture against rollouts']} against rollouts; 9x9 69.0% (62.4 to 75.1) and "
     "74.0% (67.9 to 79.5)."),
    ("Rollouts by a fast policy are better than random ones.", "13.1",
     f"Confirmed: Connect Four {ch13.parts['rollouts: fast policy against random']}; 9x9, at equal "
     "time, 74.5% (68.2 to 80.2)."),
    ("A value network that sees whole games learns them by heart.", "13.3",
     "Confirmed: squared error 0.07 on its own games and 1.07 on others in Connect Four, 0.00 and "
     "1.25 on 9x9; with one position a game 0.33 and 0.89, 0.12 and 1.05. (The paper: 0.19 and "
     "0.37; with one position a game 0.226 and 0.234.)"),
)

# %% [markdown]
# ## Pitfalls
#
# The book's printed search cannot work as it stands. `tests/alphago/test_printed_faults.py` puts
# sixteen faults back, one at a time, and shows what breaks. Five of them are easy to repeat:
#
# <!-- slide: Five faults that are easy to repeat -->
# * **The value goes up unchanged** (listing 13.16). What is good for one player then counts as good
#   for both.
# * **Adding `value / visits`** (13.16) gives $1 + 1/2 + 1/3 + \ldots$, not a mean.
# * **Rollouts that always play the best move** (13.12, 13.21) are all the same game.
# * **$\lambda$ the wrong way round** (13.18).
# * **Children without a parent** (13.15). Results never reach the root.
# <!-- /slide -->
#
# ## Graded exercises
#
# `puct`: `dlgo class new puct` writes `puct.py`. You write the selection score and the choice of a
# child. Two details: a move without visits has no $Q$, so the exercise takes the position's own
# value minus `reduction`; and $N$ is the sum of the moves' visits plus 1.
#
# ## Questions
#
# **1.** *(easy, 5 minutes)* $N = 100$, $c = 1.5$. Move A has $Q = 0.2$, $P = 0.5$, $n = 60$. Move B
# has $Q = 0$, $P = 0.3$, $n = 10$. Which one is visited next?
#
# <details markdown="1"><summary>Answer</summary>
#
# A scores $0.2 + 1.5 \cdot 0.5 \cdot 10 / 61 = 0.32$, B scores
# $0 + 1.5 \cdot 0.3 \cdot 10 / 11 = 0.41$. B is next.
#
# </details>
#
# **2.** *(easy, 5 minutes)* Why does the value network learn from games of the *reinforced* policy?
#
# <details markdown="1"><summary>Answer</summary>
#
# It should predict the result between strong players. The results of weaker players contain more
# blunders, and the value of a position is blurred by them.
#
# </details>
#
# **3.** *(medium, 15 minutes)* Two estimates err by 0.55 and 0.53 (mean squared error). How much
# does half of each err if their errors are independent with mean 0? And if they are equal? Compare
# with 32 rollouts in the first figure.
#
# <details markdown="1"><summary>Answer</summary>
#
# The error of the mixture is half the sum of the errors, and its square has the mean
# $(0.55 + 0.53 + 2 m) / 4$, where $m$ is the mean product of both errors. Independent: $m = 0$, so
# $1.08 / 4 = 0.27$. Equal: about 0.54. Measured: about 0.51, so $m$ is about 0.48, almost as large
# as it can be.
#
# </details>
