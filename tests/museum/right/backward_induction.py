"""All positions first, by plies, then their values backwards; nothing is recursive."""


def solve(state, depth=None, evaluate=None):
    plies = [[state]]
    successors = []
    while plies[-1] and (depth is None or len(plies) <= depth):
        following = {}
        for position in plies[-1]:
            moves = [] if position.is_over() else position.legal_moves()
            after = [position.apply_move(move) for move in moves]
            successors.append((position, after))
            following.update(dict.fromkeys(after))
        plies.append(list(following))
    values = {}
    leaves = [leaf for leaf in plies[-1] if not leaf.is_over()]
    for leaf, (_, value) in zip(leaves, evaluate(leaves) if leaves else [], strict=True):
        values[leaf] = value if leaf.next_player.name == "black" else -value
    for leaf in plies[-1]:
        if leaf.is_over():
            values[leaf] = leaf.result()
    for position, after in reversed(successors):
        best = max if position.next_player.name == "black" else min
        values[position] = position.result() if position.is_over() else best(
            values[one] for one in after)
    return values[state] * (1 - 2 * state.next_player.index)
