"""Frozen lake maps of gymnasium, and paths across them."""

import re
from collections import deque

# The maps of gymnasium 1.2 for these seeds.
maps = {
    42: ["SFHF", "FHFF", "FFFH", "FHFG"],
    123: ["SFFF", "FHHF", "HHFF", "HFFG"],
    456: ["SFFF", "HFFF", "FHFF", "FFFG"],
}
solution = ["DOWN", "DOWN", "RIGHT", "RIGHT", "DOWN", "RIGHT"]  # for seed 42


def rows(grid):
    """The map in an observation, without caption and the mark of the player."""
    return re.sub(r"\x1b\[\d+m|[\[\]]", "", grid).split("\n", 1)[1].split()


def way(lake, goal):
    """The shortest path over ice from the start to a tile of this kind."""
    size = len(lake)
    steps = {"LEFT": (0, -1), "DOWN": (1, 0), "RIGHT": (0, 1), "UP": (-1, 0)}
    queue, seen = deque([((0, 0), [])]), {(0, 0)}
    while queue:
        (row, column), path = queue.popleft()
        for name, (down, right) in steps.items():
            at = (row + down, column + right)
            if at in seen or not (0 <= at[0] < size and 0 <= at[1] < size):
                continue
            seen.add(at)
            tile = lake[at[0]][at[1]]
            if tile == goal:
                return [*path, name]
            if tile == "F":
                queue.append((at, [*path, name]))
    return None
