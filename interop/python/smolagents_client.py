"""Hugging Face's smolagents, whose tools are called without await."""

import asyncio
from contextlib import asynccontextmanager

from sdk_checks import Reply, run_sdk
from smolagents import ToolCollection


class Sdk:
    def __init__(self, tools):
        self._tools = {tool.name: tool for tool in tools}

    async def list(self):
        return list(self._tools)

    async def call(self, name, arguments):
        value = await asyncio.to_thread(self._tools[name], **arguments)
        # A failure is text for the model, and nothing else tells it from a result.
        is_error = isinstance(value, str) and value.startswith("Error: ")
        return Reply(str(value), None if isinstance(value, str) else value, is_error)


@asynccontextmanager
async def connect(url):
    server = {"url": url, "transport": "streamable-http"}
    with ToolCollection.from_mcp(server, trust_remote_code=True, structured_output=True) as collection:
        yield Sdk(collection.tools)


run_sdk(connect)
