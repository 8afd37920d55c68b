"""A check is a function. The first line of its docstring is its title. Each check prints one line."""

import asyncio
import inspect
import json
import sys
import time
import traceback
import urllib.request

url = sys.argv[1].rstrip("/") if len(sys.argv) > 1 else "http://127.0.0.1:8000"
checks = []


class Skip(Exception):
    """Skips a check, with a reason."""


def check(function):
    checks.append(function)
    return function


def env(name):
    return f"{url}/env/{name}"


def run(limit_s=120):
    for function in checks:
        title = inspect.getdoc(function).splitlines()[0]
        began = time.monotonic()
        try:
            if inspect.iscoroutinefunction(function):
                note = asyncio.run(asyncio.wait_for(function(), limit_s))
            else:
                note = function()
            say("ok", title, f"{time.monotonic() - began:.1f} s{f', {note}' if note else ''}")
        except Skip as reason:
            say("skip", title, str(reason))
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            traceback.print_exc()
            say("fail", title, f"{type(error).__name__}: {error}".replace("\n", " ")[:500])


def say(result, title, note):
    print(json.dumps({"check": title, "result": result, "note": note}), flush=True)


def equal(actual, expected, what=""):
    while isinstance(actual, list) and isinstance(expected, list) and len(actual) == len(expected):
        different = [at for at, pair in enumerate(zip(actual, expected)) if pair[0] != pair[1]]
        if not different:
            return
        what = f"{what} [{different[0]}]".strip()
        actual, expected = actual[different[0]], expected[different[0]]
    assert actual == expected, f"{what + ': ' if what else ''}{actual!r}, expected {expected!r}"


def holds(text, *parts):
    for part in parts:
        assert part in str(text), f"{part!r} is not in {text!r}"


def get(address):
    with urllib.request.urlopen(address, timeout=10) as response:
        return json.load(response)


def post(address, body):
    data = json.dumps(body).encode()
    request = urllib.request.Request(address, data, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=10) as response:
        return json.load(response)


def episodes(name):
    return get(f"{env(name)}/control/episodes")["episodes"]


def until(condition, limit_s=5, what="it"):
    """Waits until the condition holds, because clients cannot observe what a server does after a close."""
    end = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < end, f"{what} did not become true within {limit_s} s"
        time.sleep(0.02)
