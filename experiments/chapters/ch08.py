# ---
# jupyter:
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---

# %% [markdown]
# # 8 · A bot among others
#
# A network becomes a bot, the bot learns to speak GTP, and you decide when it may resign. [The
# chapter's page](../../docs/chapters/ch08.md) has the code and a match against GNU Go.

# %%
import tempfile
from pathlib import Path

import dlgo
from engines.registry import EngineSpec
from engines.termination import Resignation
from experiments.arena.schedule import Plan
from experiments.arena.series import share_margin
from experiments.arena.tournament import games_of_plan, run_tournament
from experiments.chapters.script import begin
from experiments.course.showing import Row, Source, draw_policy
from experiments.figures import BLUE, INK, RED, draw_scores, drawing
from experiments.gtp.server import Server
from experiments.gtp.session import Session

begin()

# %% [markdown]
# ## From a prediction to a move
#
# The network that comes with the package looks at the board once. What it thinks of each move:

# %%
go9 = dlgo.game("go9")
bot = dlgo.engine("supervised", go9, seed=1)
state = go9.start()
for _ in range(12):
    state = state.apply_move(bot.select_move(state).move)
decision = bot.select_move(state)
with drawing(size=(5, 5.3)) as (axes,):
    draw_policy(axes, state, decision.policy, "the thirteenth move")
decision

# %% [markdown]
# How good is one look? On 5x5 the bot meets searches that play hundreds of random games a move.

# %%
scores = {}
for other in ("random", "mcts:sims=30", "mcts:sims=300"):
    series = dlgo.match("go5", "supervised", other, pairs=15, seed=1)
    scores[f"one look\nv {other}"] = series.share, series.margin
with drawing(size=(8, 3.6)) as (axes,):
    draw_scores(axes, scores)

# %% [markdown]
# **Try this.** `supervised:choose=draw` draws its move from the prediction instead of playing the
# likeliest. What does that cost, and what is it good for?

# %% [markdown]
# ## GTP
#
# Two programs that know nothing of each other talk in lines of text. Here is what a server
# answers; on the command line it is `dlgo gtp`.

# %%
server = Server(Session(dlgo.game("go", size=5), EngineSpec.parse("mcts:sims=500"), seed=1))
for line in ("name", "komi 0.5", "play black C3", "genmove white", "play black C3", "showboard"):
    print(">", line)
    print("".join(server.answer(line)).strip(), "\n")

# %% [markdown]
# **Try this.** Send `list_commands`, then a line of nonsense. What distinguishes an answer from a
# complaint, so that the other program never waits in vain?

# %% [markdown]
# ## When to resign
#
# A search plays itself in Connect Four, to the end of each game. Its estimate for the player to
# move, over the whole of each game:

# %%
ledger = Path(tempfile.mkdtemp()) / "games.sqlite"
plan = Plan(("connect4",), ("mcts:sims=400",), pairs=200, seed=1, kind="mirror").canonical()
run_tournament(plan, ledger)
games = games_of_plan(plan, ledger)
with drawing(size=(9, 4)) as (axes,):
    for game in games[:25]:
        ours = [(cost.ply, 50 + 50 * cost.value) for cost in game.costs
                if cost.player == 0 and cost.value is not None]
        axes.plot(*zip(*ours, strict=True), linewidth=1.5, alpha=0.7,
                  color={1: BLUE, 0.5: INK, 0: RED}[game.result])
    axes.set(xlabel="ply", ylabel="Black's expected score, %", ylim=(0, 100),
             title="blue: Black won, red: White won")

# %% [markdown]
# One red line touches the top, one blue line the bottom? Then a single bad estimate is not a
# reason to give up. The rule waits for several in a row:

# %%
Source(Resignation.update)


# %%
def tried(threshold, patience=3):
    """Games resigned, those of them not lost in the end, and the share of all moves saved."""
    resigned = wrong = saved = moves = 0
    for game in games:
        moves += (length := len(game.moves.split()))
        rules = [Resignation(threshold, patience), Resignation(threshold, patience)]
        for cost in game.costs:
            if cost.value is not None and rules[cost.player].update(cost.value):
                resigned += 1
                saved += length - cost.ply
                wrong += game.result != cost.player  # 0 if player 0 lost it, 1 if player 1 did
                break
    return resigned, wrong, saved / moves


thresholds, shares, margins, saves = (0.02, 0.05, 0.1, 0.15, 0.2, 0.3), [], [], []
for threshold in thresholds:
    resigned, wrong, saved = tried(threshold)
    shares.append(100 * wrong / max(resigned, 1))
    margins.append(100 * share_margin(shares[-1] / 100, max(resigned, 1)))
    saves.append(100 * saved)
    print(f"below {threshold:.0%}: {resigned} of {len(games)} games resigned, {saved:.1%} of the "
          f"moves saved; {wrong} wrongly: {shares[-1]:.1f}% +-{margins[-1]:.1f}%")
with drawing(size=(9, 4.5)) as (axes,):
    axes.errorbar(thresholds, shares, margins, fmt="o-", color=RED, capsize=5,
                  label="of the resigned games not lost in the end")
    axes.plot(thresholds, saves, "s--", color=BLUE, label="of all moves saved")
    axes.set(xlabel="resign below this chance of winning", ylabel="%", ylim=(0, None))
    axes.legend()

# %% [markdown]
# **Try this.** Set `patience=1`. Which threshold is then as safe as 10% with three estimates?

# %%
Row(*(game.replay() for game in games[:3]), titles=("the ends", "of three", "games"))
