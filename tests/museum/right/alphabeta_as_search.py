"""Alpha-beta with iterative deepening as a search: it has a move and no visits."""

KIND = "other"


class Stop(Exception):
    pass


def search(state, evaluate, simulations):
    left, best = simulations, None

    def value(position, depth, alpha, beta):
        nonlocal left
        if position.is_over():
            return position.result() * (1 - 2 * position.next_player.index)
        if depth == 0:
            left -= 1
            if left < 0:
                raise Stop
            return evaluate(position)[1]
        for move in position.legal_moves():
            alpha = max(alpha, after(position, move, depth, alpha, beta))
            if alpha >= beta:
                break
        return alpha

    def after(position, move, depth, alpha, beta):
        child = position.apply_move(move)
        if child.next_player is position.next_player:
            return value(child, depth - 1, alpha, beta)
        return -value(child, depth - 1, -beta, -alpha)

    try:
        for depth in range(1, 9):
            moves = sorted(state.legal_moves(), key=lambda move: move != best)
            alpha, choice = -2, moves[0]
            for move in moves:
                score = after(state, move, depth, alpha, 2)
                if score > alpha:
                    alpha, choice = score, move
            best = choice
    except Stop:
        pass
    return {}, best
