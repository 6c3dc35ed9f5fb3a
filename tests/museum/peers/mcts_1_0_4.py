"""mcts 1.0.4: the opponent, too, chooses what is best for the player at the root."""

from mcts import mcts

KIND = "uct"


class State:
    """A position as the package asks it; the reward is that of the player at the root."""

    def __init__(self, state, player):
        self.state, self.player = state, player

    def isTerminal(self):
        return self.state.is_over()

    def getPossibleActions(self):
        return self.state.legal_moves()

    def takeAction(self, move):
        return State(self.state.apply_move(move), self.player)

    def getReward(self):
        return self.state.result() * (1 - 2 * self.player.index)


def search(state, evaluate, simulations):
    def value(leaf):
        if leaf.isTerminal():
            return leaf.getReward()
        value = evaluate(leaf.state)[1]
        return value if leaf.state.next_player is leaf.player else -value

    searcher = mcts(iterationLimit=simulations, rolloutPolicy=value)
    move = searcher.search(State(state, state.next_player))
    return {move: child.numVisits for move, child in searcher.root.children.items()}, move


class Choice:
    """A position of a tree: a tuple of positions, or a reward."""

    def __init__(self, tree):
        self.tree = tree

    def isTerminal(self):
        return isinstance(self.tree, int)

    def getPossibleActions(self):
        return list(range(len(self.tree)))

    def takeAction(self, action):
        return Choice(self.tree[action])

    def getReward(self):
        return self.tree


def reproduce():
    """After move 0 the opponent chooses between 1 and -1; move 1 draws. It plays move 0."""
    return mcts(iterationLimit=1000).search(Choice(((1, -1), (0, 0)))) == 0
