# ---
# jupyter:
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---

# %% [markdown]
# # Data and honest tests
#
# *Chapter 7 of [the book](../docs/index.md), with its section numbers.*
#
# After this page you can
#
# * split data so that a test measures what you want to know;
# * give a measured share its 95% interval, and say how many games a comparison needs;
# * write a training step with momentum or Adam, say what each part is for, and choose its rate.
#
# You need [a network and its training step](05_networks.py), and shares of independent cases: what
# a mean and a variance are.
#
# People have left hundreds of thousands of recorded games. The chapter turns such records into
# training data and trains a network that predicts the next move. Its most instructive number is
# wrong: the book reports that 84% of the moves in test games were predicted. Strong networks of
# that time reached 55% to 57% (Maddison et al. 2015; Silver et al. 2016). This page shows how such
# a number arises, and how to avoid it.
#
# A small tree search in Connect Four plays the games here. A few thousand games take seconds. In
# [the studio](../docs/studio.md#course-and-lectures), open the course preset *A game has one
# winner*.

# %% tags=["hide-input"]
import dlgo
from engines.learning.data import Dataset
from experiments.chapters import ch07
from experiments.chapters.experiment import Claims
from experiments.course import diagrams
from experiments.course.showing import Row, Source

game = dlgo.game("connect4")

# %% [markdown]
# ## The leak
#
# Train on some data, test on other data. If the test data contain something that the network could
# learn by heart, the result says nothing about new games. This is a
# [*leak*](../docs/glossary.md#leak).
#
# The predictor in the next figure does not learn at all. It looks for the most similar position
# that it knows, and copies its move and its winner. It is tested in three ways:
#
# <!-- slide: Three tests, and only one is honest -->
#
# * on **known games**. This is the error in the book's code: its generator also reads the training
#   files for the test;
# * on **other positions**: a random tenth of all positions is held back;
# * on **other games**: a tenth of the games is held back as a whole.
#
# <!-- /slide -->
#
# <!-- slide: A copying machine looks excellent -->

# %% tags=["hide-input"]
ch07.leak.show()

# %% [markdown]
# <!-- /slide -->
#
# (Known games stay below 100%: one position can occur in games with different moves and winners.)
# On other games the predictor knows nothing about the winner. On other *positions* it seems to know
# it. Why? Each position that was held back has neighbours in the same game, and a game has only one
# winner:

# %% tags=["hide-input"]
state = game.start().play(*"444355633")
Row(state, state.play("2"), titles=("known", "held back"))

# %% [markdown]
# <!-- try: winner -->
#
# <!-- slide: Hold back whole games -->

# %% tags=["hide-input"]
diagrams.leaking_split()

# %% [markdown]
# <!-- /slide -->
#
# So hold back whole games. The code draws their order from hashes of their moves (`digests`), so
# equal games stand next to each other and stay on one side:

# %%
Source(Dataset.split)

# %% [markdown]
# ## How sure is a number?
#
# The score of a match depends on luck. Here the same two players meet six times, 20 games each:
#
# <!-- slide: Same players, six different scores -->

# %% tags=["slide-code"]
matches = [dlgo.match("go5", "mcts:sims=100", "mcts:sims=50", pairs=10, seed=seed)
           for seed in range(1, 7)]
print(*(f"{match.share:.0%}" for match in matches))

# %% [markdown]
# <!-- /slide -->
#
# The players did not change, but the score did. A [**95% interval**](../docs/glossary.md#interval)
# says how far to trust a score: if you repeat the measurement many times, 95 of 100 intervals
# contain the true value.
#
# Let a player win each game with probability $p$, independently of the others. The result of one
# game is 1 or 0, with the mean $p$, so its variance is
#
# $$p (1 - p)^2 + (1 - p) (0 - p)^2 = p (1 - p)$$
#
# Variances of independent games add up to $n p (1 - p)$. The score is the sum divided by $n$, so
# its variance is this divided by $n^2$, and its standard deviation is $\sqrt{p (1 - p) / n}$. By
# the central limit theorem the score of many games is nearly normally distributed. A normally
# distributed number lies within 1.96 standard deviations of its mean in 95% of all cases: that is
# where the 1.96 comes from. The true $p$ is unknown, so the measured one takes its place:
#
# <!-- slide: Four times the games halve the interval -->
#
# $$p \pm 1.96 \sqrt{p (1 - p) / n}$$
#
# By hand: $1.96 \sqrt{0.65 \cdot 0.35 / 20} = 0.21$. So 65% of 20 games means 44% to 86%, and 65%
# of 80 games 55% to 75%.
#
# <!-- /slide -->
#
# The first interval contains 50%, so these 20 games do not show that the first player is better.
# All six intervals above contain the mean of the six scores, 72%. To halve an interval, play four
# times as many games. For 20 wins of 20 the formula gives a margin of 0. There we use
# $1.96^2 / (n + 1.96^2) = 0.16$ (Wilson 1927): 84% to 100%.
#
# How many games does it take? Let one player win 60% of its games, and repeat the match many times.
# In how many matches does the interval lie above 50%?
#
# <!-- slide: Twenty games rarely show a better player -->

# %% tags=["hide-input"]
ch07.detected.show()

# %% [markdown]
# <!-- /slide -->
#
# Twenty games nearly always miss this difference. The command `dlgo power --elo 70` computes the
# number you need (about 200).
#
# Strength is often given in [**Elo**](../docs/glossary.md#elo). A player that is $D$ Elo stronger
# scores
#
# $$\frac{1}{1 + 10^{-D / 400}}$$
#
# on average (a draw is half a win). With $D = 70$ it is $1 / (1 + 10^{-0.175}) = 0.60$, the player
# above. [Ratings](../docs/ratings.md) shows how to compute Elo from the games of many players.
#
# **Cases must be independent.** All positions of a game have one winner. So 200 games that were
# held back are 200 cases for the winner, not 6,000. And two programs without randomness play the
# same game every time: start from random openings, and play each with both colours.
#
# ## Training: when to stop
#
# An *epoch* is one pass through all training data. With each epoch the network knows its own games
# better. Other games show when it stops learning and starts to memorise
# ([*overfitting*](../docs/glossary.md#overfitting)):
#
# <!-- slide: Stop when other games stop improving -->

# %% tags=["hide-input"]
ch07.memory.show()

# %% [markdown]
# <!-- /slide -->
#
# Choose the epoch by games that the network does not learn from: here about 10. If you make many
# such choices, keep a third, separate set of games for the final test.
#
# ## Steps: momentum, decay, Adam
#
# Stochastic gradient descent (SGD) computes the gradient $g$ of the loss on a few positions (a
# *mini-batch*) and moves each weight against it: $w \leftarrow w - \eta g$, where $\eta$ is the
# [learning rate](../docs/glossary.md#learning-rate). [**Momentum**](../docs/glossary.md#momentum)
# keeps part of the step before, so that steps in the same direction grow and steps that point here
# and there cancel:
#
# <!-- slide: Momentum: ten small steps become one large -->
#
# $$v \leftarrow \mu v - \eta g, \qquad w \leftarrow w + v$$
#
# With $\mu = 0.9$, $\eta = 0.01$ and a constant gradient of 1, the steps are 0.01, 0.019, 0.0271,
# ... They approach $\eta / (1 - \mu) = 0.1$.
#
# <!-- /slide -->
#
# That is ten times the first step, because $1 + \mu + \mu^2 + \dots = 1 / (1 - \mu)$. **Decay**
# makes the rate smaller from step to step, so that the weights settle. At step $t$, counted from 0,
# it is
#
# $$\eta_t = \frac{\eta}{1 + d \, t}$$
#
# With $d = 0.01$ the rate is halved after 100 steps, and a tenth after 900.
#
# Some weights have large gradients, others tiny ones; one rate cannot suit both. The next rules
# divide each weight's step by the size of its own gradients. **Adagrad** (Duchi et al. 2011) adds
# up their squares; $\epsilon = 10^{-7}$ prevents a division by 0:
#
# <!-- slide: Each weight gets its own rate -->
#
# $$G \leftarrow G + g^2, \qquad w \leftarrow w - \eta \frac{g}{\sqrt G + \epsilon}$$
#
# $G$ only grows, so Adagrad's steps shrink for ever. **RMSprop** (Tieleman and Hinton 2012) makes
# the same step, but forgets old gradients:
#
# $$G \leftarrow \beta G + (1 - \beta) g^2$$
#
# <!-- /slide -->
#
# [**Adam**](../docs/glossary.md#adam) (Kingma and Ba 2015) joins this with momentum. It keeps a
# moving mean $m$ of the gradient and a moving mean $G$ of its square. At step $t$, from 1 on:
#
# <!-- slide: Adam: momentum divided by size -->
#
# $$m \leftarrow \beta_1 m + (1 - \beta_1) g$$
#
# $$G \leftarrow \beta_2 G + (1 - \beta_2) g^2$$
#
# $$\hat m = \frac{m}{1 - \beta_1^t}, \quad \hat G = \frac{G}{1 - \beta_2^t}, \quad
# w \leftarrow w - \eta \frac{\hat m}{\sqrt{\hat G} + \epsilon}$$
#
# <!-- /slide -->
#
# Why the hats? Both means start at 0, so they are too small at first. After $t$ steps,
#
# $$m_t = (1 - \beta_1) \sum_{k=1}^{t} \beta_1^{t-k} g_k$$
#
# and if the gradients have the mean $\bar g$, the geometric sum gives
#
# $$\mathrm{E}[m_t] = \bar g \, (1 - \beta_1) \frac{1 - \beta_1^t}{1 - \beta_1} =
# \bar g \, (1 - \beta_1^t)$$
#
# Dividing by $1 - \beta_1^t$ leaves $\bar g$. The same holds for $G$. By hand, with $g = 4$,
# $\beta_1 = 0.9$ and $\beta_2 = 0.999$: $m = 0.4$, $\hat m = 4$, $G = 0.016$, $\hat G = 16$. The
# first step is $\eta \cdot 4 / \sqrt{16} = \eta$, for any $g$.
#
# In code, `memory` is a dictionary for each array of weights:

# %%
Source(ch07.momentum, ch07.adagrad)

# %% [markdown]
# <!-- slide: Adam in six lines -->

# %%
Source(ch07.adam)

# %% [markdown]
# <!-- /slide -->
#
# Eight networks learn from the same games in about 8,000 steps each:
#
# <!-- slide: A rule is only as good as its rate -->

# %% tags=["hide-input"]
ch07.steps.show()

# %% [markdown]
# <!-- /slide -->
#
# Look at the rates. SGD with 0.1 and momentum with 0.01 learn equally much, as the calculation
# suggests. With too large a rate momentum learns less. So a rule is only better if it wins with
# *its* best rate. With decay 0.01 the rate is halved after 100 steps, too early for SGD.
#
# **Try this.** Run `ch07.steps.run(games=500, epochs=5)` and change the rates in `ch07.py`. At
# which rate does each rule stop learning?
#
# ## More games
#
# All networks below take the same number of steps: the fewer games, the more epochs. More games
# help more. Mirror images are almost free: a mirrored position with its mirrored move is a correct
# example, too.
#
# <!-- slide: More games, and their mirror images -->

# %% tags=["hide-input"]
ch07.scaling.show()

# %% [markdown]
# <!-- /slide -->
#
# If each learned for the same number of *epochs*, more games would also mean more steps, and you
# could not tell which of the two helped.
#
# `dlgo train supervised` trains larger networks on your own data, also on games of people:
# [Data](../docs/data.md), [Training](../docs/training.md).
#
# **Try this.** Train with the seeds 1 to 5 (`seed=` in `ch07.learned`). How far apart are the
# results? Any difference that is smaller needs more than one training.
#
# ## What the book says, and what we measured

# %% tags=["hide-input"]
Claims(
    ("After 100 games, 98% of the training moves and 84% of the test moves are predicted.", "7.3",
     "Not supported: the test files are training files. Copying alone gives "
     f"{ch07.leak['known games: move']} in known games and {ch07.leak['other games: move']} in "
     "others."),
    ("Test data must be kept apart.", "7.2.2",
     f"Confirmed. The winner of held-back positions: {ch07.leak['other positions: winner']}; of "
     f"held-back games: {ch07.leak['other games: winner']}."),
    ("Momentum makes SGD faster.", "7.5.1",
     "Depends on the rate: momentum with 0.01 predicts "
     f"{ch07.steps['momentum, rate 0.01']}, SGD with 0.01 {ch07.steps['SGD, rate 0.01']}, but with "
     f"0.1 {ch07.steps['SGD, rate 0.1']}."),
    ("A learning rate that decays usually works well.", "7.5.1",
     f"Not for SGD with decay 0.01: {ch07.steps['SGD, decay 0.01, rate 0.1']} instead of "
     f"{ch07.steps['SGD, rate 0.1']}. With momentum it costs nothing: "
     f"{ch07.steps['momentum, decay 0.01, rate 0.1']} and {ch07.steps['momentum, rate 0.1']}."),
    ("Rules that adapt the rate need little tuning.", "7.5.2",
     f"Depends on the rule: Adam reaches {ch07.steps['Adam, rate 0.002']}, Adagrad "
     f"{ch07.steps['Adagrad, rate 0.01']} with its usual rate."),
    ("More games make a better predictor.", "7.3",
     f"Confirmed: {ch07.scaling['3,172 positions']}, {ch07.scaling['12,690 positions']}, "
     f"{ch07.scaling['50,763 positions']} with 3,172, 12,690, 50,763 positions."),
    ("Training accuracy alone deceives.", "7.6.2",
     f"Confirmed: at the end {ch07.memory['games it learns from']} in the games that the network "
     f"learns from, {ch07.memory['other games']} in others."),
)

# %% [markdown]
# ## Pitfalls
#
# * **Too good to be true.** Ask first how the test data could have leaked.
# * **Equal games.** A game that is in an archive twice can end up on both sides of a split.
# * **Splitting by positions** is the most common leak. It hides in "shuffle, then split".
# * **One seed.** Trainings that differ only in the seed differ in their results, too.
# * **Epochs or steps?** Say which of the two you keep equal.
#
# ## Graded exercises
#
# `leaking_split`: `dlgo class new leaking_split` writes `leaking_split.py`.
#
# ## Questions
#
# **1.** *(easy, 5 minutes)* A player scores 65%. How many games do you need until the interval is 5
# points to either side?
#
# <details markdown="1"><summary>Answer</summary>
#
# About 350: $n = 1.96^2 \cdot 0.65 \cdot 0.35 / 0.05^2 = 350$.
#
# </details>
#
# **2.** *(medium, 10 minutes)* $\mu = 0.9$, $\eta = 0.01$, and the gradient is 1 at every step. How
# long is the tenth step? Why do SGD with 0.1 and momentum with 0.01 learn equally much?
#
# <details markdown="1"><summary>Answer</summary>
#
# $0.01 (1 - 0.9^{10}) / (1 - 0.9) = 0.065$. Later steps approach 0.1, the step of SGD with the rate
# 0.1.
#
# </details>
#
# **3.** *(hard, 45 minutes)* Train with SGD, momentum and Adam at rates from 0.00001 to 3
# (`ch07.learned` as in `ch07.steps`, 500 games, five epochs). Where does each rule learn most? How
# wide is the range of rates that gives nearly as much?
#
# <details markdown="1"><summary>Answer</summary>
#
# SGD at about 0.3 (27%), momentum between 0.01 and 0.1 (25%), Adam at about 0.002 (29%). The rule
# that always names the most common move gets about 18%, and so do SGD with 3 and Adam with 0.1:
# their steps are too large. Adam between 0.001 and 0.01 stays above 26%; SGD needs 0.1 to 1 to stay
# above 24%.
#
# </details>
