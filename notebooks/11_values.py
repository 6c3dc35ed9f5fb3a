# ---
# jupyter:
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---

# %% [markdown]
# # Q-learning
#
# *Chapter 11 of [the book](../docs/index.md), with its section numbers.*
#
# After this page you can
#
# * say what $Q(s, a)$ means, and for which players it is true;
# * derive two targets for $Q$, the book's and Watkins's, and compute both by hand;
# * write the whole learner, and explain why it needs random moves.
#
# **Before this page** you need [minimax](04_search.py) and the words *self-play*, *policy* and
# *return* of [the page before](09_policy_gradients.py). For the network at the end you need
# [chapter 5](05_networks.py).
#
# REINFORCE learns *probabilities* of moves. Q-learning learns *values*: numbers from -1 (lost) to
# 1 (won) that predict the result of the game. The best move is the one with the largest value.
#
# In [the studio](../docs/studio.md#course-and-lectures), open the course preset *What a move is
# worth*.

# %% tags=["hide-input"]
import random

from engines.q_learning.textbook import TextbookQ
from experiments.chapters import ch11
from experiments.chapters.experiment import Claims
from experiments.chapters.practice import followers, solved
from experiments.course import diagrams
from experiments.course.showing import Source
from experiments.figures import INK, drawing

# %% [markdown]
# ## What is a move worth?
#
# <!-- slide: Q predicts the result after a move -->
#
# Play move $a$ in position $s$, and let the game go on. The result $z$ is 1 if you win, -1 if you
# lose and 0 after a draw. The **[value](../docs/glossary.md#value)** of the move is the mean of $z$
# over all such games:
#
# $$Q(s, a) = E[z \mid s, a]$$
#
# <!-- /slide -->
#
# This mean depends on the players. Write $Q^\pi$ if both sides go on with the policy $\pi$, and
# $Q^*$ if both play perfectly.
#
# <!-- slide: The same move has several values -->
#
# By hand, in tic-tac-toe: x has taken a corner, and o can answer in eight ways.
#
# * Perfect play: the middle draws, so $Q^* = 0$. The seven other answers lose, so $Q^* = -1$.
# * Careless play: the other answers lose only *often*, so $Q^\pi$ is perhaps -0.5.
#
# <!-- /slide -->
#
# Is it useful to know the values of a careless player $\pi$? Yes. $\pi$ draws its move, so its
# expected result is the *average* of $Q^\pi(s, a)$ over its moves. The *largest* $Q^\pi(s, a)$
# cannot be lower than this average. So a player who takes the largest value and then goes on like
# $\pi$ is at least as good against the same opponent. The same holds if you do it in all positions
# (the policy improvement theorem: Sutton and Barto 2018, section 4.2). Then you measure the better
# player's values, take the largest of these, and so on.
#
# ## Move an estimate towards a target
#
# How do you learn a mean from one game at a time? Let $Q_n$ be the mean of the first $n$ results.
# Then $n \, Q_n = (n - 1) \, Q_{n-1} + z_n$. Divide by $n$:
#
# $$Q_n = Q_{n-1} + \frac{1}{n} \, (z_n - Q_{n-1})$$
#
# The same step learns any value from any kind of news:
#
# <!-- slide: Learning moves Q towards a target -->
#
# $$Q(s, a) \leftarrow Q(s, a) + \alpha \, (y - Q(s, a))$$
#
# * $y$ is the **[target](../docs/glossary.md#target)**, such as the result of a game.
# * $y - Q$ is the error.
# * $\alpha$ is the *step size*. With $\alpha = 1/n$, $Q$ is the mean of all targets.
#
# <!-- /slide -->
#
# But the first games were played by a beginner, and $1/n$ gives them the same weight as the latest.
# Larger steps forget them. The code of this page takes $\alpha = 1/n^{0.7}$, where $n$ counts how
# often the move has been tried: 0.2 at the tenth time, 0.008 at the thousandth. Any power above 1/2
# and up to 1 works in the end: the steps then have an infinite sum, so $Q$ can reach any value, but
# their squares have a finite sum, so the noise dies out (Robbins and Monro 1951).
#
# ## Two targets
#
# The book's target is the result of the whole game, $y = z$. It is called a *Monte Carlo* target.
#
# Watkins's Q-learning (Watkins 1989) has another one. Suppose that both sides play perfectly after
# your move $a$, which leads to the position $s'$. There the opponent takes their best move and gets
# $\max_{a'} Q^*(s', a')$. What they win, you lose:
#
# $$Q^*(s, a) = - \max_{a'} Q^*(s', a')$$
#
# At the end of the game, $Q^*$ is the result. This is the *Bellman equation* of a game in which
# players take turns; [minimax](04_search.py) computes the same values from the end backwards. A
# learner does not know $Q^*$, so it uses its own present $Q$ on the right-hand side.
#
# <!-- slide: Two targets for the same move -->

# %% tags=["hide-input"]
diagrams.q_targets()

# %% [markdown]
# <!-- /slide -->
#
# <!-- slide: The target says what Q will mean -->
#
# | target | formula | $Q$ becomes the value |
# |---|---|---|
# | Monte Carlo, the book's | $y = z$ | in games like those played |
# | Watkins's | $y = - \max_{a'} Q(s', a')$ | in perfect play |
#
# <!-- /slide -->
#
# Watkins's target uses the learner's own values: it is
# **[bootstrapped](../docs/glossary.md#bootstrapping)**. Its error $y - Q(s, a)$ is called the
# *temporal difference*, as it compares the values of two moments. In games for one player there is
# no minus sign, and rewards $r$ may come at each step: $y = r + \gamma \max_{a'} Q(s', a')$, where
# $\gamma$ is the discount. Here $\gamma = 1$, and only the end is rewarded.
#
# <!-- slide: By hand: one lost game, two targets -->
#
# By hand: $Q = 0.2$ and $\alpha = 0.1$. The game was lost. The opponent's best $Q$ in the next
# position is 0.3.
#
# * Monte Carlo: $y = -1$, so $Q = 0.2 + 0.1 \, (-1 - 0.2) = 0.08$.
# * Watkins: $y = -0.3$, so $Q = 0.2 + 0.1 \, (-0.3 - 0.2) = 0.15$.
#
# <!-- /slide -->
#
# Why can values be right that are learned from wrong values? The last move of a game has the result
# as its target, so its $Q$ is soon exact. Then the moves before it have an exact target, and so on
# towards the start.
#
# ## The whole learner
#
# <!-- slide: Q-learning in eleven lines -->
#
#     Q(s, a) = 0 and n(s, a) = 0 for all positions s and moves a
#     repeat:
#         s = the start                                           # play
#         until the game is over:
#             a = a random move with probability ε, else the best by Q(s, a)
#             store (s, a);  s = the position after a
#         y = the result for the player of the last move          # learn
#         for each stored (s, a), the last one first:
#             n(s, a) += 1
#             Q(s, a) += (y - Q(s, a)) / n(s, a)^0.7
#             y = -y    or    y = -max Q(s, a') over all moves a'
#
# <!-- /slide -->
#
# The last line prepares the target of the move *before*, which led to this $s$: its $s'$. The
# opponent played it, so the sign changes. With `y = -y` each move gets the result (Monte Carlo);
# with the maximum, Watkins's target. The loop goes backwards, so that one game can carry news from
# its end to its start.

# %%
Source(ch11.play_game, ch11.learn_game)

# %% [markdown]
# A row of the table `q` is a position. `followers()` lists what each move leads to: another row, or
# `None` and the result at the end of the game. The next cell learns from 30,000 games by either
# target; half of all moves are random ($\epsilon = 0.5$). Then look at o's answers to the corner:

# %%
tables = {}
for name, bootstrap in ch11.TABLES.items():
    q, tries, rng = ch11.new_table(), ch11.new_table(), random.Random(1)
    for _ in range(30_000):
        decisions, result = ch11.play_game(q, 0.5, rng)
        ch11.learn_game(q, tries, decisions, result, bootstrap)
    tables[name] = q

# %% [markdown]
# <!-- slide: What each target says of eight answers -->

# %% tags=["hide-input"]
corner, _ = followers()[0][0]  # the row of the position after A1
exact = {move: float(value) for move, value in enumerate(solved("planes")[1][corner])
         if move in tables["result of the game"][corner]}
with drawing(columns=3, size=(3.4, 3.9)) as boards:
    for board, (name, values) in zip(boards, [
        ("target: the result", tables["result of the game"][corner]),
        ("target: best next Q", tables["best Q of the next position"][corner]),
        ("perfect play", exact),
    ], strict=True):
        board.set(title=name, xlim=(0, 3), ylim=(0, 3), xticks=(0.5, 1.5, 2.5),
                  yticks=(0.5, 1.5, 2.5), xticklabels="ABC", yticklabels="123", aspect="equal")
        board.tick_params(length=0)
        for line in (1, 2):
            board.axhline(line, color=INK, lw=1)
            board.axvline(line, color=INK, lw=1)
        board.text(0.5, 0.5, "x", ha="center", va="center", fontsize=26)
        for move, value in values.items():
            board.text(move % 3 + 0.5, move // 3 + 0.5, f"{value + 0.0:.2f}", ha="center",
                       va="center", fontsize=16)

# %% [markdown]
# <!-- /slide -->
#
# Both find the best answer, B2. But only Watkins's values are those of perfect play. The other
# table knows players who make half of their moves at random: a bad answer is often not punished.
#
# The mean size of the error, over all moves of all positions (in those that games rarely reach,
# $Q$ stays near its first 0):
#
# <!-- slide: Watkins's target finds perfect play's values -->

# %% tags=["hide-input"]
ch11.targets.show()

# %% [markdown]
# <!-- /slide -->
#
# The book's target is slightly better at first: each result changes all moves of its game.
# Watkins's passes on only what changes the *best* next move. Later the book's error stays, and
# Watkins's goes to 0. Take the first move of the game, a draw with perfect play:

# %% tags=["hide-input"]
ch11.first_move.show()

# %% [markdown]
# Watkins's learner plays with random moves and learns the values of play *without* them. A method
# that learns about another policy than the one that plays is called **off-policy**. The book's
# learner is **on-policy**.
#
# **Try this.** Set `0.5` to `0.1` in the cell with the two tables. Which table changes more, and
# why? Which answers are hardly tried?
#
# ## Which moves to try
#
# A learner that always plays the move with the largest $Q$ never finds out that another move is
# better. This conflict between trying (*exploration*) and using what you know (*exploitation*) is
# the one of [UCT](04_search.py). Here the remedy is simpler.
#
# <!-- slide: Epsilon-greedy: sometimes a random move -->
#
# [Epsilon-greedy](../docs/glossary.md#epsilon-greedy) play: with probability $\epsilon$ a random
# legal move, else the best one. With $n$ legal moves the best one has the probability
#
# $$1 - \epsilon + \frac{\epsilon}{n}$$
#
# By hand, with $\epsilon = 0.5$ and 9 moves: $0.5 + 0.5/9 = 0.556$. Each other move has
# $0.5/9 = 0.056$.
#
# <!-- /slide -->
#
# How large should $\epsilon$ be? The next learner has a network instead of a table, as in the book
# (the next section shows it). Count its mistakes in all 4,520 unfinished positions of tic-tac-toe.
# A [losing mistake](../docs/glossary.md#losing-mistake) is a move that loses a position that was
# not lost. Each shade is a [95% interval](02_rules.py).
#
# <!-- slide: Without random moves nothing is learned -->

# %% tags=["hide-input"]
ch11.curiosity.show()

# %% [markdown]
# <!-- /slide -->
#
# Without random moves the learner plays a few games again and again. With many, its games reach
# nearly all positions:

# %% tags=["hide-input"]
ch11.coverage.show()

# %% [markdown]
# ## A network instead of a table
#
# Go has too many positions for a table. The book's network takes the position and one move as its
# input and has one output, $Q$. A *tanh* keeps it between -1 and 1.

# %%
Source(TextbookQ.new_network, TextbookQ.scores, TextbookQ.policy_of, TextbookQ.step)

# %% [markdown]
# `scores` evaluates the network once for each action. `policy_of` is epsilon-greedy play. `step`
# trains on pairs of a position and the move that was played (`arrays` puts a 1 into its column);
# the label is the result of the game.
#
# <!-- slide: Squared error learns a mean -->
#
# Which number $q$ has the smallest mean squared error to the results $z$?
#
# $$\frac{d}{dq} E[(z - q)^2] = -2 \, E[z - q]$$
#
# It is 0 where $q = E[z]$. So the network learns the mean result of the games that were played,
# too: a Monte Carlo target.
#
# <!-- /slide -->
#
# A network also has values for positions that it has never met, because similar positions share its
# weights. A table has nothing there. Here $\epsilon$ fell from 0.5 to 0.1:
#
# <!-- slide: A network knows positions that it never met -->

# %% tags=["hide-input"]
ch11.unseen.show()

# %% [markdown]
# <!-- /slide -->
#
# <!-- try: values -->
#
# With a network, Watkins's target is less stable. Each step also changes the values of *other*
# positions, among them the $Q(s', a')$ in the target, so errors can feed themselves. Deep
# Q-learning (Mnih et al. 2015) computes targets with an older copy of the network. So does `dlgo
# train q_learning`; its setting `td_lambda` mixes the two targets ([Reinforcement
# learning](../docs/reinforcement.md)).
#
# ## What the book says, and what we measured

# %% tags=["hide-input"]
Claims(
    ("Without random moves a bot plays the same game and stops learning.", "11.1",
     f"Confirmed: it meets {ch11.coverage['never']} of the positions. Losing mistakes: "
     f"{ch11.unseen['before learning']} before learning, {ch11.curiosity['never']} after."),
    ("The higher epsilon, the more moves it learns about.", "11.1",
     f"Confirmed: it meets {ch11.coverage['always 10%']} of the positions with 10% random moves, "
     f"{ch11.coverage['always 50%']} with 50%."),
    ("Begin with epsilon 0.5 and let it fall.", "11.1",
     f"Better than 10% throughout, not better than 50% here: mistakes "
     f"{ch11.curiosity['50% falling to 10%']}, {ch11.curiosity['always 10%']} and "
     f"{ch11.curiosity['always 50%']}."),
    ("It learns to value moves that it has never played.", "11.1",
     f"Confirmed: mistakes in {ch11.unseen['positions never met']} of the positions that it never "
     f"met, in {ch11.unseen['positions met']} of the others."),
    ("Lucky wins cancel out over thousands of games.", "11.1",
     f"Depends: luck does, careless play does not. The first move, a draw, is valued at "
     f"{ch11.first_move['result of the game']}; by Watkins's target at "
     f"{ch11.first_move['best Q of the next position']}."),
)

# %% [markdown]
# ## Pitfalls
#
# <!-- slide: Four ways to learn wrong values -->
#
# * **Whose value?** $Q$ belongs to the player who moves. With a wrong sign the bot learns to lose.
# * **Turns that do not alternate.** If the same player moves again, as in draughts, the sign stays.
# * **Illegal moves** do not belong in the maximum.
# * **Tests with random moves.** Set $\epsilon = 0$ before you measure strength.
#
# <!-- /slide -->
#
# `dlgo doctor RUN` looks for a wrong sign in a run of `dlgo train`.
#
# ## Graded exercise
#
# `q_update`: `dlgo class new q_update` writes `q_update.py`.
#
# ## Questions
#
# **1.** *(easy, 5 minutes)* $Q = 0.5$, $\alpha = 0.2$. The game was lost. What is $Q$ after one
# step with the book's target? And with Watkins's, if the opponent's best $Q$ in the next position
# is -0.4?
#
# <details markdown="1"><summary>Answer</summary>
#
# The book: $0.5 + 0.2 \, (-1 - 0.5) = 0.2$. Watkins: the target is 0.4, so
# $0.5 + 0.2 \, (0.4 - 0.5) = 0.48$. A later mistake lost the game; this move stays good.
#
# </details>
#
# **2.** *(medium, 15 minutes)* A learner knows nothing: all $Q$ are 0. It plays one game, which x
# wins with the seventh move. Which values does either target change, if the loop goes backwards?
# And if it went forwards?
#
# <details markdown="1"><summary>Answer</summary>
#
# The first step has $\alpha = 1$. Monte Carlo: all seven, x's four moves become 1, o's three moves
# -1, in either order. Watkins: the seventh becomes 1. The target of the sixth is minus the largest
# $Q$ in the position after it, so it becomes -1. The fifth stays 0: o had other moves, which are
# still worth 0, and $-\max = 0$. So do those before it. Forwards, only the seventh changes.
#
# </details>
