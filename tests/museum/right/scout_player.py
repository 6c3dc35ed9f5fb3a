"""Principal variation search as a player: its own estimate, killer moves, a table by position."""


class Scout:
    def __init__(self):
        self.table, self.killers = {}, {}

    def select_move(self, state):
        scores = {}
        for depth in (1, 2, 3, 4):
            moves = sorted(state.legal_moves(), key=lambda move: -scores.get(move, 0))
            scores = {}
            for move in moves:
                after = state.apply_move(move)
                same = after.next_player is state.next_player
                scores[move] = (1 if same else -1) * self.scout(after, depth, -2, 2)
        return max(scores, key=scores.get)

    def scout(self, state, depth, alpha, beta):
        if state.is_over():
            winner = state.winner()
            return 0 if winner is None else 1 if winner is state.next_player else -1
        if depth == 0:
            return state.estimate()
        key = state, depth, alpha, beta
        if key in self.table:
            return self.table[key]
        killer, best, window = self.killers.get(depth), -2, beta
        for move in sorted(state.legal_moves(), key=lambda move: move != killer):
            after = state.apply_move(move)
            if after.next_player is state.next_player:
                value = self.scout(after, depth - 1, alpha, beta)
            else:
                value = -self.scout(after, depth - 1, -window, -alpha)
                if alpha < value < beta and window < beta:
                    value = -self.scout(after, depth - 1, -beta, -value)
            best, alpha = max(best, value), max(alpha, value)
            if alpha >= beta:
                self.killers[depth] = move
                break
            window = alpha + 1e-6
        self.table[key] = best
        return best
