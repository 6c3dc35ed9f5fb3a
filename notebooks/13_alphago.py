# ---
# jupyter:
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---

# %% [markdown]
# # AlphaGo
#
# *Chapter 13 of [the book](../docs/index.md), and Silver et al., "Mastering the game of Go with
# deep neural networks and tree search" (Nature 2016); section numbers are the book's.*
#
# After this page you can
#
# * name AlphaGo's four parts, and say what each one learns from;
# * compute the value of a leaf from a network and a rollout;
# * explain why the better player is not the better adviser of a search.
#
# AlphaGo combines everything before it: learning from recorded games, learning from results,
# rollouts (games played quickly to the end) and tree search. It trains in stages:
#
# 1. The **supervised policy** learns to predict the moves of recorded games.
# 2. The **fast policy** learns the same with a small linear model. It is worse, but it chooses a
#    move in microseconds.
# 3. The **reinforced policy** starts as a copy of the supervised one. It plays against earlier
#    versions of itself and learns from wins and losses ([REINFORCE](../docs/reinforcement.md)).
# 4. The **value network** learns who wins, from games of the reinforced policy. It sees only one
#    position of each game: neighbouring positions have the same winner, so it would learn the games
#    by heart.
#
# `dlgo train alphago --game connect4` runs all stages in a few minutes;
# [AlphaGo](../docs/engines/alphago.md)
# describes them. The pictures below use the networks that come with the package.
#
# [The studio](../docs/studio.md#course-and-lectures) starts this chapter with *AlphaGo's leaves*.

# %%
import dlgo
from engines.alphago.textbook import TextbookAlphaGo
from engines.registry import build_engine
from experiments.chapters import ch13
from experiments.chapters.experiment import Claims
from experiments.course.showing import Source, draw_policy
from experiments.figures import drawing

# %% [markdown]
# ## The search asks all of them
#
# The search is PUCT: it follows the child with the largest $Q + c P \sqrt{N} / (1 + n)$.
# [The next page](14_alphazero.py) explains it and computes a step by hand. The priors $P$ come from
# the supervised policy. What is special in AlphaGo is the value of a leaf. It mixes two estimates:
#
# $$V = (1 - \lambda) \, v + \lambda \, z$$
#
# $v$ is the answer of the value network, $z$ the result of one game that the fast policy plays from
# the leaf to the end. With $\lambda = 0.5$, $v = 0.4$ and a lost rollout ($z = -1$): $V = 0.5 \cdot
# 0.4 + 0.5 \cdot (-1) = -0.3$.

# %%
Source(TextbookAlphaGo._evaluate, TextbookAlphaGo._rollout)

# %% [markdown]
# ## A network or rollouts?
#
# The network is smooth but can be wrong about a whole kind of position. A rollout is a real result,
# but of one hasty game. In Connect Four we know the truth, so we can measure both: the mean squared
# error against the exact result. A search visits a good move many times, so the mean of several
# rollouts counts as well.

# %%
ch13.leaves.show()

# %% [markdown]
# * One rollout is much worse than the network. More than a small weight makes the value worse.
# * The mean of 32 rollouts is about as good as the network, and half of each is better than both.
#   Rollouts err in other positions than the network, so their mean errs less than either: like
#   asking two experts who have learned from different books.
# * So the best $\lambda$ depends on the network and on the number of rollouts. The paper's 0.5
#   belongs to its networks.
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

# %%
state = dlgo.game("connect4").start().play(*"325411")
state

# %% [markdown]
# Both policies see it so:

# %%
with drawing(None, 2, 1, (4.4, 4.2)) as axes:
    for axis, part in zip(axes, ("supervised", "reinforced"), strict=True):
        engine = build_engine(f"supervised:model={ch13.BUNDLE.network(part)}", state.game)
        draw_policy(axis, state, engine.select_move(state).policy, part)

# %% [markdown]
# The reinforced policy is certain of column 4; the move that draws is in column 2. On average its
# choice is better: it wins when both play alone. But a search needs several candidates: a move with
# a prior near 0 is not looked at. So the search is better with the supervised policy, which shares
# its probability among the moves that people (here: a tree search) have played.

# %%
ch13.parts.show()

# %% [markdown]
# AlphaZero, the successor, has one network for policy and value and no rollouts. At 100 simulations
# it is far ahead here; its network has also had about thirty times as much training.
#
# **Try this.** Play `dlgo play connect4 --second alphago` and then `--second
# alphago:prior=reinforced`. Can you feel the difference?
#
# ## What the book says, and what we measured
#
# Connect Four: `ch13.parts`, 100 simulations. 9x9: 400 simulations, 2026-11-23, 2-core Intel Xeon
# ([lab notebook](../docs/lab_notebook.md#claims-about-alphago), with more claims).

# %%
Claims(
    ("The reinforced policy beats the supervised one in over 80% of the games.", "13.2",
     "Depends on the game: Connect Four "
     f"{ch13.parts['reinforced v supervised, alone']}, 9x9 94.2% (91.6 to 96.3)."),
    ("In the search, the supervised policy is the better prior.", "13.4",
     f"Confirmed: Connect Four {ch13.parts['supervised v reinforced, as prior']}, 9x9 90.5% (85.8 "
     "to 94.1)."),
    ("Value network and rollouts together beat either alone.", "13.4",
     "Confirmed on 9x9, undecided in Connect Four against the network alone: Connect Four "
     f"{ch13.parts['mixture v value network']} against the network, "
     f"{ch13.parts['mixture v rollouts']} against rollouts; 9x9 69.0% (62.4 to 75.1) and 74.0% "
     "(67.9 to 79.5)."),
    ("Rollouts by a fast policy are better than random ones.", "13.1",
     f"Confirmed: Connect Four {ch13.parts['rollouts: fast policy v random']}; 9x9, at equal time, "
     "74.5% (68.2 to 80.2)."),
    ("A value network that sees whole games learns them by heart.", "13.3",
     "Confirmed: squared error 0.07 on its own games and 1.07 on others in Connect Four, 0.00 and "
     "1.25 on 9x9; with one position a game 0.33 and 0.89, 0.12 and 1.05."),
)

# %% [markdown]
# ## Pitfalls
#
# The book's printed search cannot work as it stands. `tests/alphago/test_printed_faults.py` puts
# sixteen faults back, one at a time, and shows what breaks. Five of them are easy to repeat:
#
# * **The value goes up unchanged** (listing 13.16). What is good for one player then counts as good
#   for both.
# * **Adding `value / visits`** (13.16) gives $1 + 1/2 + 1/3 + \ldots$, which is not a mean.
# * **Rollouts that always play the best move** (13.12, 13.21). All rollouts from a leaf are then
#   the same game. Draw the moves.
# * **$\lambda$ the wrong way round** (13.18). The listing weighs the rollout with it, the text
#   weighs the network.
# * **Children without a parent** (13.15). Results never reach the root.
#
# ## Graded exercises
#
# `puct`: `dlgo class new puct` writes `puct.py`.
#
# ## Questions
#
# **1.** *(easy, 5 minutes)* $v = 0.4$, and the rollout is lost. What is $V$ with $\lambda = 0.25$?
# With $\lambda = 1$?
#
# <details markdown="1"><summary>Answer</summary>
#
# $0.75 \cdot 0.4 - 0.25 = 0.05$. With $\lambda = 1$ it is -1: the network is not asked.
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
# Independent: $(0.55 + 0.53) / 4 = 0.27$. Equal: about 0.54. Measured: about 0.51. So network and
# rollouts mostly err in the same positions, and the mixture gains from the few others.
#
# </details>
#
# **4.** *(medium, 20 minutes)* How sure are the two policies? Compute the mean of the largest
# probability over 500 positions of `ch13.shipped_positions()`.
#
# <details markdown="1"><summary>Answer</summary>
#
# Supervised: 71%. Reinforced: 95%. The entropies are 0.77 and 0.12 nats (the entropy is the mean of
# $-\ln p$, in the unit *nat*; 0 means certain).
#
# </details>
#
# **5.** *(hard, 1 hour)* Which `lambda` wins games? Play `alphago:sims=100,lambda=X` against
# `alphago:sims=100` for X = 0.25 and 0.75, 50 pairs each. Does the first figure predict the order?
#
# <details markdown="1"><summary>Answer</summary>
#
# 46% (36 to 55) and 39% (29 to 49): 0.5 is better than 0.75, and 0.25 is undecided. Each leaf gets
# one rollout, and a position of the tree gets the mean of many. So neither the curve of one rollout
# nor that of 32 tells everything, and neighbouring values of $\lambda$ need hundreds of games.
#
# </details>
