# ---
# jupyter:
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---

# %% [markdown]
# # AlphaZero in one file
#
# *Chapter 14 of [the book](../docs/index.md), with its section numbers.*
#
# After this page you can
#
# * explain PUCT and compute one step of it by hand;
# * say which two targets the network learns, and why the visits of a search are one of them;
# * name the ideas without which the program does not learn.
#
# A network sees a position. It gives each move a probability (the **policy**) and predicts who will
# win (the **value**). A tree search uses both to find a better move. AlphaZero (Silver et al. 2018)
# repeats two steps:
#
# 1. **Self-play.** The search plays games against itself.
# 2. **Training.** The network learns the moves that the search found, and who won.
#
# A better network makes a better search, and a better search gives better games to learn from. No
# games of people and no rollouts are needed.
#
# [microzero.py](../experiments/chapters/microzero.py) contains the whole program for tic-tac-toe in
# about 200 lines of NumPy: rules, network, search, self-play, training. This page explains its
# parts.
#
# [The studio](../docs/studio.md#course-and-lectures) starts this chapter with
# *A win in one that the prior misses*.

# %%
import dlgo
from engines.watching.recording import watch
from experiments.chapters import ch14, microzero
from experiments.chapters.experiment import Claims
from experiments.course.showing import Row, Source, draw_policy
from experiments.figures import drawing

connect4 = dlgo.game("connect4")

# %% [markdown]
# ## The search: PUCT
#
# It is the tree search of [chapter 4](04_search.py) with two changes. First, the network's value
# replaces the random game. Second, the score of a child contains the network's probability $P$ for
# the move, its *prior*. The rule is called PUCT, "predictor and upper confidence bounds applied to
# trees":
#
# $$Q + c \, P \, \frac{\sqrt{N}}{1 + n}$$
#
# $Q$ is the mean value of the child's simulations, $n$ the number of its visits, $N$ the number of
# visits of its parent. $P$, which UCT does not have, decides which moves are tried first, and $1 +
# n$ makes the bonus shrink with each visit.
#
# By hand, with the numbers of the book's figure 14.3 ($N = 3$): branch A has $Q = 0.1$, $n = 2$, $P
# = 0.068$. With $c = 1$ it scores $0.1 + 0.068 \sqrt{3} / 3 = 0.139$. Branch C has $Q = 0$, $n =
# 0$, $P = 0.038$ and scores $0 + 0.038 \sqrt{3} / 1 = 0.066$. The search follows A. With $c = 4$
# the scores are 0.257 and 0.263, and it follows C.

# %%
Source(microzero.simulate)

# %% [markdown]
# Look for the minus sign: what is good for the player below is bad for the player here. `node.end`
# is the result of a finished game; the network does not value such a position.
#
# In Connect Four, the trained network (left) likes column 3 best. The search (right) finds that
# column 2 is better. It is right: with perfect play column 2 draws, column 3 loses.

# %%
state = connect4.start().play(*"325411")
recording = watch(dlgo.engine("textbook-puct:sims=60", connect4, 1), state)
tree = recording.tree()
priors = {connect4.parse_move(state, tree.nodes[child].move): tree.nodes[child].prior
          for child in tree.root.children}
with drawing(None, 2, 1, (4.4, 4.2)) as axes:
    draw_policy(axes[0], state, priors, "priors of the network")
    draw_policy(axes[1], state, recording.decision.policy, "visits of the search")

# %%
Row(recording.svg(most_nodes=7))

# %% [markdown]
# <!-- try: overlooked-win -->
#
# **Try this.** Watch `textbook-puct:sims=60,c_puct=0`, then `c_puct=5`. Which one trusts the
# network, which one trusts its own values?
#
# ## What the network learns
#
# Each position of a self-play game becomes an example with two targets.
#
# **The policy learns the visits.** After the search, $\pi(a)$ is the share of the visits that move
# $a$ received. This is a better policy than the prior: moves that looked good but led to bad values
# lost their visits, and others won them. So the network learns to predict what the search found,
# and the next search starts from there.
#
# **The value learns the result** $z$: 1 if the player to move won the game, 0 for a draw, -1 for a
# loss.
#
# The loss adds the squared error of the value $v$, the cross-entropy of the policies, and a penalty
# on large weights $\theta$ (*L2 regularisation*; microzero leaves it out):
#
# $$\ell = (z - v)^2 - \sum_a \pi(a) \ln \, p(a) + c_2 \sum_i \theta_i^2$$
#
# By hand: the game was won ($z = 1$) and the network said $v = 0.5$, so the first term is 0.25. The
# search visited two moves 30 and 10 times, $\pi = (0.75, 0.25)$, and the network gave each of them
# $p = 0.5$. The second term is $-0.75 \ln \, 0.5 - 0.25 \ln \, 0.5 = 0.69$. With $p = \pi$ it would
# be 0.56, its minimum.

# %%
Source(microzero.self_play)

# %% [markdown]
# ## Different games: noise and temperature
#
# A network that always plays its favourite move plays one game again and again. Two kinds of chance
# prevent this, in self-play only.
#
# **Temperature.** In the first moves of a game the move is drawn with probability
#
# $$\frac{n_a^{1/\tau}}{\sum_b n_b^{1/\tau}}$$
#
# Visits of 30 and 10 give 0.75 and 0.25 with $\tau = 1$; 0.9 and 0.1 with $\tau = 0.5$; 1 and 0 as
# $\tau$ approaches 0.
#
# **Noise at the root.** The priors of the root are mixed with random numbers $\eta$ that sum to 1
# (a sample of a *Dirichlet distribution*):
#
# $$\tilde{P}(a) = (1 - \varepsilon) \, P(a) + \varepsilon \, \eta_a$$
#
# With $\varepsilon = 0.25$, a prior of 0.01 and $\eta_a = 0.2$ the move gets $0.75 \cdot 0.01 +
# 0.25 \cdot 0.2 = 0.0575$. Without noise, a move with a prior of 1% gets no visit:

# %%
ch14.noise.show()

# %% [markdown]
# ## Training
#
# Ten iterations take a few seconds. Each one plays 50 games and makes 100 steps:

# %%
lines = []
network = microzero.train(seed=1, iterations=10, progress=lines.append)
print(*lines, sep="\n")

# %% [markdown]
# **Try this.** Play against it with `microzero.game(network)`. Then train for 60 iterations and try
# to win.
#
# How good is it? The opponent tries every move, and we count the lines of play that the network
# loses. More search helps an untrained network. After 60 iterations no line is lost, even without a
# search (1 simulation). Brackets show the lowest and the highest of the seeds (trainings with
# different random numbers).

# %%
ch14.learning.show()

# %% [markdown]
# ## Without one idea
#
# Change one line of the file and train again. A *losing mistake* is a move that loses a game that
# was not lost. The networks play without a search, in all positions.

# %%
ch14.without.show()

# %% [markdown]
# * **The sign.** With the wrong sign the search prefers moves that are good for the opponent. There
#   is no error message, and the network learns nothing.
# * **The search.** If the network learns its own policy instead of the visits, it also learns
#   nothing. The improvement comes from the search.
# * **Terminal values.** Only finished games are certain. If the network guesses them, learning is
#   slow.
# * **Noise and temperature.** Without them the games are too much alike.
# * **Symmetries.** Each board can be turned and mirrored, which makes eight examples of one.
#   Without them the network learns as much in 60 iterations as with them in 15.
#
# **Try this.** Add your own line to `ch14.WITHOUT` and run
# `ch14.without.run(ideas=("nothing", "my idea"))`.
#
# ## Larger games
#
# [`dlgo train alphazero --game connect4`](../docs/engines/alphazero.md) is the same loop, compiled:
# one call of the network evaluates positions of many games. The trained network is worth more than
# a thousand random games a move, and the search is worth more still:

# %%
ch14.search.show()

# %% [markdown]
# <!-- try: play-alphazero -->
#
# In Go on 5x5, Black can take all 25 points (van der Werf 2003). This network learned it in
# self-play: with a komi of 24.5, only the whole board wins. It plays Black against a search with
# random games:

# %%
go5 = dlgo.game("go:size=5,komi=24.5")
players = (dlgo.engine("alphazero:model=go5-alphazero,sims=50", go5, 1),
           dlgo.engine("mcts:sims=100", go5, 1))
position = go5.start()
while not position.is_over():
    position = position.apply_move(players[position.next_player.index].select_move(position).move)
print(go5.result_text(position))
position

# %% [markdown]
# ## Ten questions, ten lines of code
#
# The first line of each answer is from microzero.py, the second from the compiled program.
#
# **Where does the sign change?** Where the player changes. In draughts a player can move twice.
# Compiled: `engines/search/search.py`.
#
# ```python
# value = -simulate(node.children[move], network)
# back_up(tree, path, length, (1 - 2 * tree.mover[node]) * values[k])
# ```
#
# **Where is noise added?** To the priors of the root, in self-play only. Compiled:
# `engines/alphazero/self_play.py`.
#
# ```python
# root.prior = 0.75 * root.prior + 0.25 * noise / noise.sum()
# noise = settings.dirichlet_epsilon if slot.full else 0.0
# ```
#
# **What does the policy learn?** The visits of the search. Compiled:
# `engines/alphazero/self_play.py`.
#
# ```python
# return root.visits / root.visits.sum()
# ts.root_policy(tree, self._policy)
# ```
#
# **What does the value learn?** Who won, seen by the player to move. Compiled:
# `engines/alphazero/self_play.py`.
#
# ```python
# values = [value * (-1) ** (len(boards) - ply) for ply in range(len(boards))]
# return slot.builder.finish(result)
# ```
#
# **What is the target of a resigned game?** A loss for the player who resigned. In microzero nobody
# resigns. Compiled: `engines/learning/selfplay/lockstep.py`.
#
# ```python
# while result(board) is None:
# return 2 * int(kernels.to_move(states[0])) - 1
# ```
#
# **When is a move drawn?** In the first plies. Afterwards the most visited move is played.
# Compiled: `engines/alphazero/self_play.py`.
#
# ```python
# move = rng.choice(9, p=policy) if len(boards) <= random_plies else policy.argmax()
# if self._gumbel is None and self._sampling.applies(slot.plies):
# ```
#
# **Who values a finished game?** The rules. Compiled: `engines/search/search.py`.
#
# ```python
# return node.end
# tree.proven[node] = kernels.result(state)
# ```
#
# **What happens to illegal moves?** They get no probability, and the others sum to 1. Compiled:
# `engines/search/search.py`.
#
# ```python
# logits = np.where(boards == 0, hidden2 @ w_policy + b_policy, -1e9)
# tree.prior[child] = policy[tree.action[child]] / total
# ```
#
# **Which games are learned?** The newest ones, of several networks. Compiled:
# `engines/alphazero/train.py`.
#
# ```python
# examples = examples[-window:]
# window = self._window = self._read_window(run, iteration)
# ```
#
# **Must a new network beat the old one?** No. The compiled program tests it only if you ask.
# Compiled: `engines/alphazero/train.py`.
#
# ```python
# examples += self_play(network, rng)
# if config.gating_threshold:
# ```
#
# ## What the book says, and what we measured

# %%
Claims(
    ("With c = 1 the search follows branch A, with c = 4 branch C.", "14.2.1",
     "Confirmed: 0.139 against 0.066, and 0.257 against 0.263 (by hand, above)."),
    ("Noise makes the search visit moves that the network dismisses.", "14.4",
     "Confirmed: a move with a prior of 1% is visited in "
     f"{ch14.noise['80 simulations, with noise']} of the searches, without noise in "
     f"{ch14.noise['80 simulations, without noise']}."),
    ("Learning from visits improves the network itself.", "14.3",
     f"Confirmed in tic-tac-toe: {ch14.without['untrained']} losing mistakes before, "
     f"{ch14.without['whole program']} after; {ch14.without['without the search']} without the "
     "search."),
    ("The search improves on the network.", "14.2",
     f"Confirmed in Connect Four: {ch14.search['64 simulations v network alone']} against the "
     "network alone."),
    ("An accurate prior makes a small search strong.", "14.3",
     "Confirmed in Connect Four: 64 simulations score "
     f"{ch14.search['64 simulations v MCTS 10,000']} against 10,000 random games."),
    ("It needs nearly 5 million games.", "14.3",
     "Depends on the game: 3,000 for tic-tac-toe here, 120,000 for the network of Connect Four "
     "([lab notebook](../docs/lab_notebook.md), entry 4)."),
    ("Passing needs no special logic.", "14.2.3",
     "Not always. On 9x9 with komi 7 (draws possible) the young network learned to pass at once: "
     "in its second iteration 98% of the games were such draws (entry 7)."),
    ("It can master a game without people.", "14.3",
     "Confirmed for small games: in tic-tac-toe it loses "
     f"{ch14.learning['trained, 40 simulations']} of play, in Go 5x5 it takes the whole board."),
)

# %% [markdown]
# ## Pitfalls
#
# * **Signs.** `dlgo doctor RUN` checks whether values and results agree.
# * **Moves without visits have no mean.** Zero is a draw on a scale from -1 to 1, but a loss on a
#   scale from 0 to 1. The compiled search assumes a little less than the parent's value
#   (`fpu_reduction`).
# * **Finished games need no network.** The book's printed search asks it about them and then finds
#   no moves.
# * **Illegal moves.** Remove them before the probabilities are scaled to sum to 1.
# * **One position a call wastes most of the time.** Play many games at once.
#
# ## Graded exercises
#
# `back_up`, `noise`: `dlgo class new back_up` writes `back_up.py`.
#
# ## Questions
#
# **1.** *(easy, 5 minutes)* $N = 100$, $c = 1.5$. Move A has $Q = 0.2$, $P = 0.5$, $n = 60$. Move B
# has $Q = 0$, $P = 0.3$, $n = 10$. Which one is visited next?
#
# <details markdown="1"><summary>Answer</summary>
#
# A scores $0.2 + 1.5 \cdot 0.5 \cdot 10 / 61 = 0.32$, B scores $0 + 1.5 \cdot 0.3 \cdot 10 / 11 =
# 0.41$. B is next.
#
# </details>
#
# **2.** *(easy, 5 minutes)* The first player wins a game of tic-tac-toe with its seventh move.
# Which values do the seven positions get as targets?
#
# <details markdown="1"><summary>Answer</summary>
#
# 1, -1, 1, -1, 1, -1, 1: the result as the player to move sees it.
#
# </details>
#
# **3.** *(medium, 15 minutes)* All values in a tree are equal. A move has a prior of 1%. After how
# many simulations does PUCT visit it for the first time? Check with `microzero.search` and
# `ch14.Biased()`.
#
# <details markdown="1"><summary>Answer</summary>
#
# After about 100, one divided by the prior. With equal values, PUCT shares the visits in proportion
# to the priors. (Give `search` no generator: then it adds no noise.)
#
# </details>
#
# **4.** *(medium, 15 minutes)* The noise is `rng.dirichlet(alpha * np.ones(9))`. How large is its
# largest number on average with $\alpha = 10$, 1 and 0.03? Which is better for a game with 300
# moves?
#
# <details markdown="1"><summary>Answer</summary>
#
# About 0.17, 0.31 and 0.87. A small $\alpha$, which gives most of the noise to one or two moves:
# noise that is spread over 300 moves is too weak to give any of them a visit. AlphaGo Zero used
# 0.03 for Go.
#
# </details>
#
# **5.** *(hard, 1 hour)* Let the policy learn only the best move instead of the visits: replace
# `policies.append(policy)` by `policies.append(np.eye(9)[policy.argmax()])` (in `ch14.WITHOUT`).
# What changes?
#
# <details markdown="1"><summary>Answer</summary>
#
# Little in tic-tac-toe: 2.3% losing mistakes after 60 iterations (three seeds, 1.8 to 3.0) instead
# of 1.8% (1.0 to 2.2); after 15 iterations 4.9% instead of 3.6%. The visits say more, for instance
# that two moves are equally good.
#
# </details>
