"""OpenEnv's own server, from PyPI, with the two environments that ours is measured beside."""

import sys
from typing import Any, Optional

import uvicorn
from fastmcp import FastMCP
from openenv.core.env_server.http_server import create_fastapi_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.mcp_environment import MCPEnvironment
from openenv.core.env_server.mcp_types import CallToolAction, CallToolObservation
from openenv.core.env_server.types import Action, Observation, State


class Echo(MCPEnvironment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        server = FastMCP("echo")

        @server.tool
        def echo_message(message: str) -> str:
            """Echo back the provided message."""
            return message

        super().__init__(server)
        self._state = State(episode_id=None, step_count=0)

    def reset(self, seed: Optional[int] = None, episode_id: Optional[str] = None, **_: Any) -> Observation:
        self._state = State(episode_id=episode_id, step_count=0)
        return Observation(done=False, reward=0.0)

    def _step_impl(self, action: Action, **_: Any) -> Observation:
        raise ValueError("only tool calls")

    @property
    def state(self) -> State:
        return self._state


class Move(Action):
    action: str


class Position(Observation):
    x: int = 0
    y: int = 0
    message: str = ""


class GridWorld(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._x = self._y = 0
        self._state = State(episode_id=None, step_count=0)

    def reset(self, seed: Optional[int] = None, episode_id: Optional[str] = None, **_: Any) -> Position:
        self._x = self._y = 0
        self._state = State(episode_id=episode_id, step_count=0)
        return Position(done=False, reward=0.0)

    def step(self, action: Move, **_: Any) -> Position:
        self._state.step_count += 1
        if action.action == "RIGHT":
            self._x = min(4, self._x + 1)
        elif action.action == "LEFT":
            self._x = max(0, self._x - 1)
        done = (self._x, self._y) == (4, 4)
        return Position(x=self._x, y=self._y, done=done, reward=1.0 if done else -0.1)

    @property
    def state(self) -> State:
        return self._state


if __name__ == "__main__":
    kind, port = sys.argv[1], int(sys.argv[2])
    if kind == "echo":
        app = create_fastapi_app(Echo, CallToolAction, CallToolObservation, max_concurrent_envs=4096)
    else:
        app = create_fastapi_app(GridWorld, Move, Position, max_concurrent_envs=4096)
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning")
