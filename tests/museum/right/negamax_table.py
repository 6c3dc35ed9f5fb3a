"""Negamax with a transposition table of bounds, and iterative deepening that orders moves."""

EXACT, LOWER, UPPER = range(3)


def solve(state, depth=None, evaluate=None):
    if depth is None:
        return negamax(state, 99, -1, 1, None, {}, {})
    table, first = {}, {}
    for limit in range(1, depth + 1):
        table.clear()
        value = negamax(state, limit, -2, 2, evaluate, table, first)
    return value


def negamax(state, depth, alpha, beta, evaluate, table, first):
    if state.is_over():
        return state.result() * (1 - 2 * state.next_player.index)
    if depth == 0:
        return evaluate(state)[1]
    key = state.key()
    if (key, depth) in table:
        value, flag = table[key, depth]
        if flag == EXACT or (flag == LOWER and value >= beta) or (flag == UPPER and value <= alpha):
            return value
    best, low = -9, alpha
    for move in sorted(state.legal_moves(), key=lambda move: move != first.get(key)):
        after = state.apply_move(move)
        if after.next_player is state.next_player:
            value = negamax(after, depth - 1, low, beta, evaluate, table, first)
        else:
            value = -negamax(after, depth - 1, -beta, -low, evaluate, table, first)
        if value > best:
            best, first[key] = value, move
        low = max(low, best)
        if low >= beta:
            break
    flag = UPPER if best <= alpha else LOWER if best >= beta else EXACT
    table[key, depth] = best, flag
    return best
