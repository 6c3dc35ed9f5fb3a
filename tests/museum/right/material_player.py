"""Alpha-beta, six plies deep, with an estimate for one game only: the stones in the middle."""


def estimate(state):
    game, middle = state.game, (state.game.board_cols + 1) / 2
    points = 0.0
    for row in range(1, game.board_rows + 1):
        for col in range(1, game.board_cols + 1):
            owner = game.cell(state, row, col)
            if owner is not None:
                near = 1 / (1 + abs(col - middle))
                points += near if owner is state.next_player else -near
    return points / 100


def alphabeta(state, depth, alpha, beta):
    if state.is_over():
        return state.result() * (1 - 2 * state.next_player.index)
    if depth == 0:
        return estimate(state)
    for move in state.legal_moves():
        after = state.apply_move(move)
        if after.next_player is state.next_player:
            value = alphabeta(after, depth - 1, alpha, beta)
        else:
            value = -alphabeta(after, depth - 1, -beta, -alpha)
        alpha = max(alpha, value)
        if alpha >= beta:
            return beta
    return alpha


class Player:
    def select_move(self, state):
        best, choice = -2, None
        for move in state.legal_moves():
            after = state.apply_move(move)
            same = after.next_player is state.next_player
            value = (1 if same else -1) * alphabeta(after, 5, -2, 2)
            if value > best:
                best, choice = value, move
        return choice
