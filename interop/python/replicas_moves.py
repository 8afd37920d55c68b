"""The moves of a rollout follow from its seed."""

moves = ["LEFT", "DOWN", "RIGHT", "UP"]


def move_at(seed, step):
    return moves[(seed * 7 + step * 13 + step * step % 5) % 4]
