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
# * explain the loop of self-play and training, and read a whole program that does it;
# * say which two targets the network learns, and derive why the visits are one of them;
# * name the ideas without which the program does not learn.
#
# You should know [PUCT](13_alphago.py), softmax, cross-entropy and backpropagation
# ([chapter 5](05_networks.py)), and Adam ([chapter 7](07_data.py)).
#
# <!-- slide: Search and network improve each other -->
# A network sees a position. It gives each move a probability (the
# [**policy**](../docs/glossary.md#policy)) and predicts who will win (the **value**). A tree search
# uses both to find a better move. AlphaZero (Silver et al. 2018) repeats two steps:
#
# 1. **[Self-play](../docs/glossary.md#self-play).** The search plays games against itself.
# 2. **Training.** The network learns the moves that the search found, and who won.
# <!-- /slide -->
#
# A better network makes a better search, and a better search gives better games to learn from.
#
# <!-- slide: Self-play and training alternate -->

# %% tags=["hide-input"]
import dlgo
from engines.watching.recording import watch
from experiments.chapters import ch14, microzero
from experiments.chapters.experiment import Claims
from experiments.course import diagrams
from experiments.course.showing import Row, Source, draw_policy
from experiments.figures import drawing

connect4 = dlgo.game("connect4")
diagrams.alphazero_loop()

# %% [markdown]
# <!-- /slide -->
#
# [microzero.py](../experiments/chapters/microzero.py) contains the whole program for tic-tac-toe in
# about 200 lines of NumPy. A board is nine numbers: 1 for a stone of the player to move, -1 for one
# of the opponent. After each move the board is multiplied by -1, so the network always sees it as
# the player to move.
#
# [In the studio](../docs/studio.md#course-and-lectures), open the course preset *A win in one that
# the prior misses*.
#
# ## The search
#
# PUCT ([the page before](13_alphago.py)) follows the move with the largest selection score
# $Q_a + c \, P_a \sqrt{N} / (1 + n_a)$: its mean value (-1 to 1) plus a bonus. The bonus is large
# for moves with a high prior $P_a$, and shrinks with their visits $n_a$.
#
# <!-- slide: Three changes to the search with random games -->
# AlphaZero's search is that of [chapter 4](04_search.py) with three changes:
#
# * **expand**: a leaf gets all its moves at once, each with its prior;
# * **evaluate**: the network's value replaces the random game;
# * **select**: the prior is part of the selection score.
# <!-- /slide -->
#
# One simulation, in code. A `Node` is a board with three arrays of nine numbers, one for each move:
# `prior`, `visits` and `value_sum`:

# %% tags=["hide-input"]
Source(microzero.simulate)

# %% [markdown]
# The function calls itself on the chosen child until it reaches a leaf, and updates visits and sums
# on the way back. Mind the minus sign: what is good for the opponent at the child is bad for the
# player at this node. `node.end` is the result of a finished game, not a network's value: -1 if
# there is a line, as the player to move there has lost. `network.evaluate` expands a leaf and
# values it.
#
# In Connect Four, the trained network (left) likes column 3 best. The search (right) prefers column
# 2. It is right: with perfect play column 2 draws, column 3 loses.
#
# <!-- slide: The search corrects the network -->

# %% tags=["hide-input"]
state = connect4.start().play(*"325411")
recording = watch(dlgo.engine("textbook-puct:sims=60", connect4, 1), state)
tree = recording.tree()
priors = {connect4.parse_move(state, tree.nodes[child].move): tree.nodes[child].prior
          for child in tree.root.children}
with drawing(None, 2, 1, (4.4, 4.2)) as axes:
    draw_policy(axes[0], state, priors, "priors of the network")
    draw_policy(axes[1], state, recording.decision.policy, "visits of the search")

# %% [markdown]
# <!-- /slide -->
#
# The seven most visited positions of this search:

# %% tags=["hide-input"]
Row(recording.svg(most_nodes=7))

# %% [markdown]
# <!-- try: overlooked-win -->
#
# **Try this.** Save this tree with `c_puct=0`, then with `c_puct=5`. Which search trusts the
# network, which one trusts its own values?
#
# ```console
# dlgo watch connect4 --moves 325411 --engine textbook-puct:sims=60,c_puct=0 --tree tree.svg
# ```
#
# ## What the network learns
#
# Each position of a self-play game becomes an example with two targets.
#
# <!-- slide: Two targets: the visits and the result -->
# * **The policy learns the visits**: $\pi_a$ is the share of the visits that move $a$ received.
# * **The value learns the result** $z$: 1 if the player to move won the game, 0 for a draw, -1 for
#   the loser.
# <!-- /slide -->
#
# Why the visits? Moves that looked good but led to bad values lost visits to others. The next lines
# make this exact.
#
# ### Why the visits are a better policy
#
# PUCT visits the move with the largest selection score, and the visit lowers its bonus. So after
# many simulations all moves have about the same score. Call it $\alpha$ (here no step size):
#
# <!-- slide: What the visits tend to -->
# $$Q_a + c \, P_a \frac{\sqrt{N}}{1 + n_a} = \alpha$$
#
# Solve for $1 + n_a$ and divide by its sum over the $m$ moves, $N + m$. The shares are
#
# $$\pi_a = \frac{\kappa \, P_a}{\alpha - Q_a} \quad \text{with} \quad
# \kappa = \frac{c \sqrt{N}}{N + m}$$
#
# $\alpha$ is the number for which the shares sum to 1.
# <!-- /slide -->
#
# (With many visits, the 1 in $1 + n_a$ hardly matters.) By hand: two moves with $P = (0.5, 0.5)$
# and $Q = (0.2, 0)$, and $\kappa = 0.15$ (100 simulations with $c = 1.5$ give 0.147). With
# $\alpha = 0.3$ the shares are $0.075 / 0.1 = 0.75$ and $0.075 / 0.3 = 0.25$. The function `visits`
# of the page before gives 75 and 25.
#
# The same shares are the solution of another problem: *choose the policy with the largest*
#
# <!-- slide: Visits solve an optimisation problem -->
# $$J(\pi) = \sum_a \pi_a Q_a - \kappa \sum_a P_a \ln \frac{P_a}{\pi_a}$$
#
# The first sum is the expected value, the second a distance from the prior.
#
# At the maximum the derivative by $\pi_a$, which is $Q_a + \kappa P_a / \pi_a$, is equal for all
# moves. Its value is $\alpha$: solved for $\pi_a$, this is the equation above.
# <!-- /slide -->
#
# (Why equal? The $\pi_a$ sum to 1. If one move had a larger derivative than another, a little
# probability moved from the second to the first would increase $J$.) This result is due to Grill et
# al. (2020). The distance is the *KL divergence*: 0 if $\pi = P$, else positive. Its weight
# $\kappa$ shrinks like $c / \sqrt{N}$: the more simulations, the farther the visits may go from the
# prior. Now compare with $\pi = P$, whose distance is 0:
#
# <!-- slide: So the visits improve the policy -->
# $$\sum_a \pi_a Q_a \; \ge \; J(\pi) \; \ge \; J(P) = \sum_a P_a Q_a$$
#
# The visits expect at least as much as the prior, as far as the values $Q$ are right. This is
# **policy improvement**: the network learns the better policy, from which the next search starts.
# <!-- /slide -->
#
# In a real search the $Q$ change while it runs, so this holds approximately.
#
# ### The loss
#
# The loss adds the squared error of the value $v$, the cross-entropy of the policies, and a penalty
# on large weights $\theta$ (*L2 regularisation* with a small $c_2$; microzero has none):
#
# <!-- slide: One loss for both heads -->
# $$\ell = (z - v)^2 - \sum_a \pi_a \ln \, p_a + c_2 \sum_i \theta_i^2$$
#
# **By hand**: $z = 1$, $v = 0.5$: the first term is 0.25. Visits 30 and 10, $\pi = (0.75, 0.25)$,
# network $p = (0.5, 0.5)$: the second is $-0.75 \ln \, 0.5 - 0.25 \ln \, 0.5 = 0.69$. With
# $p = \pi$ it would be 0.56, its minimum.
# <!-- /slide -->

# %% tags=["hide-input"]
Source(microzero.self_play)

# %% [markdown]
# The last lines give each position its result: that of the final board, with a new sign at each
# step back.
#
# ## The network: two heads
#
# <!-- slide: One body, two heads -->
# * 18 inputs: nine for own stones, nine for the opponent's.
# * Two hidden layers of 64 (ReLU), used by both heads.
# * **Policy head**: nine logits; illegal moves get $-10^9$, so their probability is 0; softmax.
# * **Value head**: one number, $v = \tanh(u)$, between -1 and 1.
# <!-- /slide -->

# %% tags=["hide-input"]
Source(microzero.Network.forward, microzero.Network.learn)

# %% [markdown]
# `learn` is backpropagation as on [page 5](05_networks.py), for $n$ boards at once. Each `d_x` is
# the derivative of the loss by `x`; four facts are enough to read it:
#
# <!-- slide: Four facts to read the gradients -->
# * **Policy head**: softmax with cross-entropy gives $p - \pi$.
# * **Value head**: the derivative of $v = \tanh(u)$ is $1 - v^2$; the chain rule gives
#   $2 (v - z)(1 - v^2)$.
# * **Shared layers** serve both heads: their gradients add (`d_policy @ w_policy.T + d_value @
#   w_value.T`). ReLU passes a gradient where its output was positive.
# * **Weights**: the layer's input, transposed, times the gradient at its output: `x.T @ d`.
# <!-- /slide -->
#
# Dividing by `len(boards)` makes the loss a mean. By hand: $v = 0.5$, $z = 1$ gives
# $2 \cdot (-0.5) \cdot 0.75 = -0.75$ at $u$, and a step against it raises $v$.
#
# The loop at the end is Adam: `m` is a running mean of the gradients, `s` one of their squares.
# Both start at 0; dividing by `1 - 0.9**steps` corrects this (after one step `m` is $0.1 \, g$).
#
# ## Different games: noise and temperature
#
# A network that always plays its favourite move repeats one game. Two kinds of chance prevent this,
# in self-play only.
#
# <!-- slide: Temperature draws the first moves -->
# **[Temperature](../docs/glossary.md#temperature).** In the first moves of a game the move is drawn
# with probability
#
# $$\frac{n_a^{1/\tau}}{\sum_b n_b^{1/\tau}}$$
#
# Visits of 30 and 10 give 0.75 and 0.25 with $\tau = 1$; 0.9 and 0.1 with $\tau = 0.5$; 1 and 0 as
# $\tau$ approaches 0.
# <!-- /slide -->
#
# microzero uses $\tau = 1$ for four plies, then plays the most visited move.
#
# <!-- slide: Noise gives every move a chance -->
# **Noise at the root.** The priors of the root are mixed with random numbers $\eta$ that sum to 1
# (a sample of a [*Dirichlet distribution*](../docs/glossary.md#dirichlet-noise)):
#
# $$\tilde{P}_a = (1 - w) \, P_a + w \, \eta_a$$
#
# With $w = 0.25$, $P_a = 0.01$ and $\eta_a = 0.2$: $0.75 \cdot 0.01 + 0.25 \cdot 0.2 = 0.0575$.
# <!-- /slide -->
#
# (The papers write $\varepsilon$ for $w$.) `search` adds noise if it gets a generator of random
# numbers. Its `dirichlet(np.ones(9))` makes all mixtures equally likely; AlphaZero's 0.03 for Go
# puts most of the noise on few of the many moves.

# %% tags=["hide-input"]
Source(microzero.search)

# %% [markdown]
# Without noise, a move with a prior of 1% gets no visit:
#
# <!-- slide: Without noise some moves stay unseen -->

# %% tags=["hide-input"]
ch14.noise.show()

# %% [markdown]
# <!-- /slide -->
#
# ## Training
#
# The loop plays games, keeps the newest 10,000 positions in its *replay buffer*, and learns from
# random batches of 64, each turned or mirrored at random:

# %% tags=["hide-input"]
Source(microzero.train)

# %% [markdown]
# Ten iterations take a few seconds:

# %%
lines = []
network = microzero.train(seed=1, iterations=10, progress=lines.append)
print(*lines, sep="\n")

# %% [markdown]
# Each line shows the loss of one batch, so it varies. It falls, but not to 0: the entropy of the
# targets $\pi$ is part of it. Do not judge a run by its loss; let it play.
#
# **Try this.** Play against it with `microzero.game(network)`. Then train for 60 iterations and try
# to win.
#
# How good is it? The opponent tries every move, and we count the lines of play that the network
# loses. Search helps an untrained network, because it finds finished games. After 60 iterations no
# line is lost, even without a search (1 simulation). Black lines go from the lowest to the highest
# of three seeds.
#
# <!-- slide: After 60 iterations no line is lost -->

# %% tags=["hide-input"]
ch14.learning.show()

# %% [markdown]
# <!-- /slide -->
#
# ## Without one idea
#
# Change one line of the file and train again. A [*losing
# mistake*](../docs/glossary.md#losing-mistake) is a move that loses a position that was not lost.
# The networks play without a search, in all 4,520 positions.
#
# <!-- slide: Which ideas does it need? -->

# %% tags=["hide-input"]
ch14.without.show()

# %% [markdown]
# <!-- /slide -->
#
# * **The sign.** With the wrong one the search prefers moves that are good for the opponent. There
#   is no error message, and the network learns nothing.
# * **The search.** A network that learns its own policy instead of the visits also learns
#   nothing: the target $\pi = P$ does not improve on the prior.
# * **Terminal values.** Only finished games are certain. If the network guesses them, it learns
#   slowly.
# * **Noise and temperature.** Without them the games are too much alike.
# * **Symmetries.** Turned and mirrored, a board is eight examples. Without them the network learns
#   as much in 60 iterations as with them in 15.
#
# **Try this.** Add your own line to `ch14.WITHOUT` and run
# `ch14.without.run(ideas=("nothing", "my idea"))`.
#
# ## Larger games
#
# [`dlgo train alphazero --game connect4`](../docs/engines/alphazero.md) is the same loop, compiled:
# one call of the network evaluates positions of many games. The network alone beats a thousand
# random games a move, and the search adds more:
#
# <!-- slide: Network and search in Connect Four -->

# %% tags=["hide-input"]
ch14.search.show()

# %% [markdown]
# <!-- /slide -->
#
# <!-- try: play-alphazero -->
#
# In Go on 5x5, Black can take all 25 points (van der Werf 2003). This network learned it in
# self-play: with a komi of 24.5, only the whole board wins. It plays Black against MCTS:

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
# ## AlphaGo Zero and AlphaZero
#
# AlphaGo Zero (Silver et al. 2017) came between [AlphaGo](13_alphago.py) and AlphaZero. It dropped
# recorded games, rollouts and separate networks: one
# [residual](../docs/glossary.md#residual-block) network with two heads learned Go by self-play. A
# new network had to win 55% of 400 games before it played the next self-play games. AlphaZero
# (Silver et al. 2018) dropped this test and the symmetries, and learned chess, shogi and Go.
#
# <!-- slide: The same loop at three scales -->
# | | microzero | AlphaGo Zero | AlphaZero, chess |
# |---|---|---|---|
# | games | 3,000 | 4.9 million | 44 million |
# | simulations a move | 40 | 1,600 | 800 |
# | training steps | 6,000 | 700,000 | 700,000 |
# | positions a step | 64 | 2,048 | 4,096 |
# | time | 70 CPU s | 3 days | 9 hours, 5,000 TPUs |
# | result | loses no line | 100:0, AlphaGo Lee | 155:6 and 839 draws, Stockfish |
# <!-- /slide -->
#
# (From the papers; AlphaGo Zero with 20 residual blocks. A TPU is Google's processor for networks.
# AlphaGo Lee is the version that beat Lee Sedol.) In chess the network learned 7,500 times as many
# positions as microzero's, with the same loop. [The story](../docs/story.md) tells what came next.
#
# ## Ten questions, ten lines of code
#
# Find each line in microzero.py before you read on. `dlgo train alphazero` has the same answers in
# `engines/search/search.py` (1, 7, 8), `engines/alphazero/train.py` (9, 10) and
# `engines/alphazero/self_play.py` (the others).
#
# 1. **Where does the sign change?** Where the player changes (in draughts a player can move twice):
#    `value = -simulate(node.children[move], network)`.
# 2. **Where is noise added?** To the priors of the root, in self-play only:
#    `root.prior = 0.75 * root.prior + 0.25 * noise / noise.sum()`.
# 3. **What does the policy learn?** The shares of the visits:
#    `return root.visits / root.visits.sum()`.
# 4. **What does the value learn?** Who won, seen by the player to move:
#    `values = [value * (-1) ** (len(boards) - ply) for ply in range(len(boards))]`.
# 5. **When is a move drawn?** In the first plies; then the most visited one is played:
#    `if len(boards) <= random_plies else policy.argmax()`.
# 6. **What is the target of a resigned game?** -1 for the positions of the player who resigned, 1
#    for the opponent's. microzero plays to the end (`while result(board) is None:`). A wrong
#    resignation is a wrong target, so AlphaGo Zero played 10% of its games to the end to count
#    them.
# 7. **Who values a finished game?** The rules: `return node.end`.
# 8. **What happens to illegal moves?** They get no probability:
#    `logits = np.where(boards == 0, hidden2 @ w_policy + b_policy, -1e9)`.
# 9. **Which games are learned?** The newest, of several networks: `examples =
#    examples[-buffer_size:]`.
# 10. **Must a new network beat the old one?** No, the newest always plays:
#     `examples += self_play(network, rng)`.
#
# ## What the book says, and what we measured

# %% tags=["hide-input"]
Claims(
    ("With c = 1 the search follows branch A, with c = 4 branch C.", "14.2.1",
     "Confirmed: 0.139 against 0.066, and 0.257 against 0.263 (by hand, on the page before)."),
    ("Noise makes the search visit moves that the network dismisses.", "14.4",
     "Confirmed: a move with a prior of 1% is visited in "
     f"{ch14.noise['80 simulations, with noise']} of the searches, without noise in "
     f"{ch14.noise['80 simulations, without noise']}."),
    ("Learning from visits improves the network itself.", "14.3",
     f"Confirmed in tic-tac-toe: {ch14.without['untrained']} losing mistakes before, "
     f"{ch14.without['whole program']} after; {ch14.without['without the search']} without the "
     "search."),
    ("The search improves on the network.", "14.2",
     f"Confirmed in Connect Four: {ch14.search['64 simulations against network alone']} against "
     "the network alone."),
    ("An accurate prior makes a small search strong.", "14.3",
     "Confirmed in Connect Four: 64 simulations score "
     f"{ch14.search['64 simulations against MCTS 10,000']} against 10,000 random games."),
    ("It needs nearly 5 million games.", "14.3",
     "Depends on the game: 3,000 for tic-tac-toe here, 120,000 for the network of Connect Four "
     "([lab notebook](../docs/lab_notebook.md), entry 4)."),
    ("Passing needs no special logic.", "14.2.3",
     "Not always. On 9x9 with komi 7 (draws possible) the young network learned to pass at once: "
     "in its second iteration 98% of the games were such draws (entry 7)."),
    ("It can master a game without people.", "14.3",
     "Confirmed for small games: in tic-tac-toe it loses no line of play, in Go 5x5 it takes the "
     "whole board."),
)

# %% [markdown]
# ## Pitfalls
#
# <!-- slide: Five faults without an error message -->
# * **Signs.** `dlgo doctor RUN` checks whether values and results agree.
# * **Moves without visits have no mean.** Zero is a draw from -1 to 1, but a
#   lost game from 0 to 1.
# * **Finished games need no network.**
# * **Illegal moves.** Remove them before the softmax.
# * **One position a call is slow.** Play many games at once.
# <!-- /slide -->
#
# The compiled search gives moves without visits a little less than the parent's value
# (`fpu_reduction`).
#
# ## Graded exercises
#
# `back_up` (the signs of question 1, also for games in which a player moves twice) and `noise`
# (with temperature): `dlgo class new back_up` writes `back_up.py`.
#
# ## Questions
#
# **1.** *(easy, 5 minutes)* The first player wins a game of tic-tac-toe with its seventh move.
# Which values do the seven positions get as targets?
#
# <details markdown="1"><summary>Answer</summary>
#
# The first player makes moves 1, 3, 5 and 7 (counted over both players), so: 1, -1, 1, -1, 1, -1,
# 1: the result as the player to move sees it.
#
# </details>
#
# **2.** *(medium, 15 minutes)* All values in a tree are equal. A move has a prior of 1%. After how
# many simulations does PUCT visit it for the first time? Check with `microzero.search` and
# `ch14.Biased()`.
#
# <details markdown="1"><summary>Answer</summary>
#
# After about 100, one divided by the prior: with equal values the visits copy the priors. (Give
# `search` no generator: then it adds no noise.)
#
# </details>
#
# **3.** *(medium, 15 minutes)* Two moves have $P = (0.5, 0.5)$ and $Q = (0.3, 0)$, and
# $\kappa = 0.4$. Which shares $\pi$ do their visits tend to? Check that $\sum_a \pi_a Q_a$ is
# larger than $\sum_a P_a Q_a$.
#
# <details markdown="1"><summary>Answer</summary>
#
# $0.2 / (\alpha - 0.3) + 0.2 / \alpha = 1$ gives $\alpha = 0.6$ and $\pi = (2/3, 1/3)$. The
# expected value is 0.2 instead of 0.15.
#
# </details>
