"""A scripted model that knows the solution, as a function and behind a local OpenAI-compatible API."""

import ast
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from lake import rows, way


def answer(messages):
    """The next assistant message. The system message names a tool and the moves, or the destination."""
    play = json.loads(messages[0]["content"])
    done = sum(message["role"] == "tool" for message in messages)
    path = play.get("moves") or walk(messages[1]["content"], play["to"])
    moves = path[done : done + play.get("at_once", 1)]
    calls = [
        {
            "id": f"call_{done + number}",
            "type": "function",
            "function": {"name": play["tool"], "arguments": json.dumps({"action": move})},
        }
        for number, move in enumerate(moves)
    ]
    message = {"role": "assistant", "content": None if calls else "That is all.", "tool_calls": calls}
    return {
        "id": "scripted",
        "object": "chat.completion",
        "created": 0,
        "model": "scripted",
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5},
    }


def walk(observation, goal):
    """The path to the goal, or across the lake if the goal is unreachable."""
    lake = rows(ast.literal_eval(observation)["grid"])
    return way(lake, goal) or way(lake, "G")


class ScriptedApi:
    """The same model behind an HTTP API. `tools` holds the tools of the last request."""

    def __init__(self):
        api = self
        self.requests, self.tools = 0, None

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
                api.requests, api.tools = api.requests + 1, asked.get("tools")
                response = answer(asked["messages"])
                if not response["choices"][0]["message"]["tool_calls"]:
                    del response["choices"][0]["message"]["tool_calls"]
                body = json.dumps(response).encode()
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
