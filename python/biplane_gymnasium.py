"""Environments of a Biplane server as gymnasium environments, over a WebSocket each.

    env = BiplaneEnv("http://127.0.0.1:8000")
    envs = BiplaneVectorEnv("http://127.0.0.1:8000/env/taxi", num_envs=8)

The spaces come from the schemas of the server's actions and from its first observation. Copy this file, or install it
from the repository. It needs gymnasium 1.1 or newer, numpy and websockets.
"""

import json
import os
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array, iterate
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect


class EpisodeFailed(RuntimeError):
    """The environment failed, so the reward is unknown. Leave the episode out; it is not worth 0."""


class BiplaneEnv(gymnasium.Env):
    """One environment. `config` holds the options of its episodes; `reset(options=…)` overrides them.

    Without `observe`, observations are dictionaries of numbers, arrays and texts, as the server sends them. `observe`
    turns such an observation into an element of `observation_space`. With several tools, an action is a tool's index
    and its arguments; `tool` chooses one of them. A refused action changes nothing and is in `info["error"]`.
    """

    metadata = {"render_modes": ["ansi"]}

    def __init__(
        self,
        url: str = "http://127.0.0.1:8000",
        *,
        config: dict[str, Any] | None = None,
        tool: str | None = None,
        action_space: spaces.Space | None = None,
        observation_space: spaces.Space | None = None,
        observe: Callable[[Any], Any] | None = None,
        token: str | None = None,
        timeout_s: float = 60,
        render_mode: str | None = None,
    ):
        self.url = url.rstrip("/")
        self.render_mode = render_mode
        self._config = config or {}
        self._token = token or os.environ.get("BIPLANE_TOKEN")
        self._timeout_s = timeout_s
        self._socket = None
        self.episode_id = None
        self._observe = observe
        self._actions = self._read_actions(tool)
        each = [_space_of(schema) for schema in self._actions.values()] if action_space is None else [action_space]
        self.action_space = each[0] if len(each) == 1 else spaces.OneOf(each)
        seen = self._visible(self._ask("reset", {"seed": 0, "config": self._config}))
        self.observation_space = observation_space or _space_like(observe(seen) if observe else seen)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        super().reset(seed=seed)
        self._send_reset(seed, options)
        return self._receive_reset()

    def step(self, action):
        self._send_step(action)
        return self._receive_step()

    def render(self):
        if self.render_mode == "ansi":
            return self._get(f"/control/episodes/{self.episode_id}/render")["text"]

    def close(self):
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    # A vector of environments sends to all of them before it waits for the first.

    def _send_reset(self, seed, options):
        # Without a seed, the generator that gymnasium seeded draws one, so that a run can be repeated.
        drawn = int(self.np_random.integers(2**31)) if seed is None else int(seed)
        self._send("reset", {"seed": drawn, "config": {**self._config, **(options or {})}})

    def _receive_reset(self):
        data = self._receive()
        self.episode_id = data["metadata"]["episode_id"]
        self._seen = self._element(self._visible(data))
        return self._seen, {"step_count": 0}

    def _send_step(self, action):
        self._send("step", _action_json(self._actions, action))

    def _receive_step(self):
        data = self._receive()
        if "errors" in data:  # a typed action that does not fit its schema
            return self._seen, 0.0, False, False, {"error": data["errors"][0]["msg"]}
        facts = data["metadata"]
        _raise_failure(facts)
        info = {"step_count": facts["step_count"]}
        error = None if self._is_typed else data["observation"].get("error")
        if error:
            info["error"] = error["message"]
        elif data["reward"] is None:
            raise EpisodeFailed("The step has no reward.")
        else:
            self._seen = self._element(self._visible(data))
        truncated = facts.get("truncated", False)
        terminated = facts.get("terminated", data["done"] and not truncated)
        return self._seen, float(data["reward"] or 0), terminated, truncated, info

    def _visible(self, data):
        """What the agent sees: the result of its call, or the observation itself."""
        seen = data["observation"]
        if not self._is_typed and "tool_name" in seen and "result" in seen:
            return seen["result"]["data"]
        return {key: value for key, value in seen.items() if key not in ("reward", "done", "metadata")}

    def _element(self, seen):
        return self._observe(seen) if self._observe else _element(self.observation_space, seen)

    def _read_actions(self, tool):
        """The schemas of the actions by tool. A typed action has no tool."""
        action = self._get("/schema")["action"]
        self._is_typed = action.get("title") != "CallToolAction" and tool is None
        if self._is_typed:
            action["properties"].pop("metadata", None)
            return {None: action}
        tools = self._ask("step", {"type": "list_tools"})["observation"]["tools"]
        actions = {each["name"]: each["inputSchema"] for each in tools if tool in (None, each["name"])}
        if not actions:
            raise ValueError(f"There is no tool {tool!r}. Tools: {', '.join(each['name'] for each in tools)}.")
        return actions

    def _ask(self, kind, data):
        self._send(kind, data)
        return self._receive()

    def _send(self, kind, data):
        if self._socket is None:
            address = "ws" + self.url.removeprefix("http") + "/ws"
            self._socket = connect(address, additional_headers=self._headers(), max_size=None, proxy=None)
        try:
            self._socket.send(json.dumps({"type": kind, "data": data}))
        except ConnectionClosed as error:
            raise self._lost(error) from error

    def _receive(self):
        if self._socket is None:
            raise self._lost("it was closed")
        try:
            frame = json.loads(self._socket.recv(timeout=self._timeout_s))
        except (ConnectionClosed, TimeoutError) as error:
            raise self._lost(error) from error
        data = frame["data"]
        if frame["type"] == "error" and data["code"] != "VALIDATION_ERROR":
            _raise_failure(data.get("metadata", {}))
            raise EpisodeFailed(f"{data['code']}: {data['message']}")
        return data

    def _lost(self, error):
        """The next reset connects again. A late answer must not be taken for that of another frame."""
        self.close()
        return EpisodeFailed(f"The connection to {self.url} was lost: {error or type(error).__name__}")

    def _get(self, path):
        request = urllib.request.Request(self.url + path, headers=self._headers())
        with urllib.request.urlopen(request, timeout=self._timeout_s) as response:
            return json.load(response)

    def _headers(self):
        return {"Authorization": f"Bearer {self._token}"} if self._token else {}


class BiplaneVectorEnv(VectorEnv):
    """Several environments at once. Takes what `BiplaneEnv` takes.

    An episode that ended is replaced in the next step, whose action and reward do not count. One that failed has the
    reward NaN, `truncated`, and the reason in `infos["failure"]`.
    """

    metadata = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(self, url: str = "http://127.0.0.1:8000", num_envs: int = 1, **options: Any):
        self.num_envs = num_envs
        self.envs = [BiplaneEnv(url, **options) for _ in range(num_envs)]
        first = self.envs[0]
        self.single_observation_space, self.single_action_space = first.observation_space, first.action_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._is_over = np.zeros(num_envs, dtype=bool)

    def reset(self, *, seed=None, options=None):
        is_one = isinstance(seed, (int, np.integer))
        seeds = [seed + at for at in range(self.num_envs)] if is_one else seed or [None] * self.num_envs
        self._options = options
        for env, each in zip(self.envs, seeds):
            gymnasium.Env.reset(env, seed=each)
            env._send_reset(each, options)
        infos: dict[str, Any] = {}
        for at, env in enumerate(self.envs):
            infos = self._add_info(infos, env._receive_reset()[1], at)
        self._is_over[:] = False
        return self._observations(), infos

    def step(self, actions):
        rewards = np.zeros(self.num_envs)
        terminated, truncated = np.zeros(self.num_envs, dtype=bool), np.zeros(self.num_envs, dtype=bool)
        for env, action, is_over in zip(self.envs, iterate(self.action_space, actions), self._is_over):
            with suppress(EpisodeFailed):  # raised again below
                env._send_reset(None, self._options) if is_over else env._send_step(action)
        infos: dict[str, Any] = {}
        for at, env in enumerate(self.envs):
            try:
                if self._is_over[at]:
                    info = env._receive_reset()[1]
                else:
                    _, rewards[at], terminated[at], truncated[at], info = env._receive_step()
            except EpisodeFailed as error:
                rewards[at], truncated[at], info = np.nan, True, {"failure": str(error)}
            infos = self._add_info(infos, info, at)
        self._is_over = terminated | truncated
        return self._observations(), rewards, terminated, truncated, infos

    def close_extras(self, **_):
        for env in self.envs:
            env.close()

    def _observations(self):
        out = create_empty_array(self.single_observation_space, self.num_envs)
        return concatenate(self.single_observation_space, [env._seen for env in self.envs], out)


def _raise_failure(facts: dict[str, Any]) -> None:
    failure = facts.get("failure")
    if failure and failure["masked"]:
        raise EpisodeFailed(f"{failure['kind']}: {failure['message']}")


def _action_json(actions: dict[str | None, dict[str, Any]], action: Any) -> dict[str, Any]:
    names = list(actions)
    at, value = (0, action) if len(names) == 1 else action
    name = names[int(at)]
    given = _json_of(actions[name], value)
    return given if name is None else {"tool_name": name, "arguments": given}


def _space_of(schema: dict[str, Any]) -> spaces.Space:
    """The space of a JSON Schema. An object with one required property is that property."""
    schema = _alternative(schema)
    kind = schema.get("type")
    if "enum" in schema or kind == "boolean":
        return spaces.Discrete(len(schema.get("enum", [False, True])))
    low, high = (schema.get(key, schema.get(f"exclusive{key.title()}")) for key in ("minimum", "maximum"))
    if kind == "integer" and low is not None and high is not None and high - low < 2**31:
        return spaces.Discrete(int(high - low) + 1, start=int(low))
    if kind in ("integer", "number"):
        dtype = np.int64 if kind == "integer" else np.float64
        least, most = (-(2**63), 2**63 - 1) if kind == "integer" else (-np.inf, np.inf)
        return spaces.Box(least if low is None else low, most if high is None else high, (), dtype)
    if kind == "string":
        return spaces.Text(schema.get("maxLength", 256), min_length=schema.get("minLength", 0))
    if kind == "array":
        item, count = _space_of(schema.get("items", {"type": "number"})), schema.get("maxItems")
        if count is None or schema.get("minItems") != count:
            return spaces.Sequence(item)
        if not isinstance(item, spaces.Box):
            return spaces.Tuple([item] * count)
        return spaces.Box(item.low.item(), item.high.item(), (count, *item.shape), item.dtype)
    if kind == "object":
        made = {key: _space_of(each) for key, each in _properties(schema).items()}
        return spaces.Dict(made) if len(made) > 1 else next(iter(made.values()), spaces.Discrete(1))
    raise ValueError(f"There is no space for the schema {json.dumps(schema)[:200]}. Pass action_space.")


def _json_of(schema: dict[str, Any], value: Any) -> Any:
    """The JSON of an element of the schema's space."""
    schema = _alternative(schema, value)
    if "enum" in schema:
        return schema["enum"][int(value)]
    kind = schema.get("type")
    if kind == "array":
        return [_json_of(schema.get("items", {"type": "number"}), each) for each in value]
    if kind == "object":
        properties = _properties(schema)
        is_one = len(properties) == 1
        return {key: _json_of(each, value if is_one else value[key]) for key, each in properties.items()}
    return {"boolean": bool, "integer": int, "number": float}.get(kind, str)(value)


def _properties(schema: dict[str, Any]) -> dict[str, Any]:
    """The required properties, or all if none is required. The server has defaults for the others."""
    required = schema.get("required", [])
    return {key: each for key, each in schema.get("properties", {}).items() if key in required or not required}


def _alternative(schema: dict[str, Any], value: Any = None) -> dict[str, Any]:
    """Of several schemas, the first one, or the first one for arrays if the value is an array."""
    each = schema.get("anyOf") or schema.get("oneOf") or [schema]
    is_array = np.ndim(value) > 0 if isinstance(value, (list, tuple, np.ndarray)) else False
    chosen = next((one for one in each if is_array == (one.get("type") == "array")), each[0])
    return {**chosen, "enum": [chosen["const"]]} if "const" in chosen else chosen


TEXT_LENGTH = 2**16
CHARACTERS = "".join(map(chr, [9, 10, 13, 27, *range(32, 127), *range(160, 0x3000), 0xFFFD]))


def _space_like(value: Any) -> spaces.Space:
    """The space of values like this one. JSON does not tell 0 from 0.0, so numbers are floats."""
    if isinstance(value, bool):
        return spaces.Discrete(2)
    if isinstance(value, dict) and value:
        return spaces.Dict({key: _space_like(each) for key, each in value.items()})
    numbers = _numbers(value)
    if numbers is not None:
        return spaces.Box(-np.inf, np.inf, numbers.shape, np.float64)
    return spaces.Text(TEXT_LENGTH, min_length=0, charset=CHARACTERS)


def _element(space: spaces.Space, value: Any) -> Any:
    """The value as an element of the space. Further fields are left out; what is no text is written as JSON."""
    if isinstance(space, spaces.Dict):
        missing = [key for key in space if not isinstance(value, dict) or key not in value]
        if missing:
            raise ValueError(f"The observation has no {', '.join(missing)}. Pass observe and observation_space.")
        return {key: _element(each, value[key]) for key, each in space.items()}
    if isinstance(space, spaces.Discrete):
        return np.int64(value)
    if isinstance(space, spaces.Text):
        text = value if isinstance(value, str) else json.dumps(value)
        return "".join(one if one in space.character_set else "\ufffd" for one in text[:TEXT_LENGTH])
    return np.asarray(value, dtype=space.dtype)


def _numbers(value: Any) -> np.ndarray | None:
    try:
        numbers = np.asarray(value)
    except ValueError:  # rows of different lengths
        return None
    return numbers if numbers.dtype.kind in "iuf" and numbers.size > 0 else None


gymnasium.register("biplane/Remote-v0", entry_point=BiplaneEnv, vector_entry_point=BiplaneVectorEnv)
