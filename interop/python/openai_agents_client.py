"""OpenAI's Agents SDK for Python."""

from contextlib import asynccontextmanager

from agents.mcp import MCPServerStreamableHttp
from sdk_checks import Reply, run_sdk


class Sdk:
    def __init__(self, server):
        self._server = server

    async def list(self):
        return [tool.name for tool in await self._server.list_tools()]

    async def call(self, name, arguments):
        called = await self._server.call_tool(name, arguments)
        result = called.model_dump(mode="json", by_alias=True)  # mcp 1 and 2 name the fields differently
        text = "".join(part["text"] for part in result["content"] if part["type"] == "text")
        return Reply(text, result.get("structuredContent"), bool(result.get("isError")))


@asynccontextmanager
async def connect(url):
    async with MCPServerStreamableHttp(params={"url": url}) as server:
        yield Sdk(server)


run_sdk(connect)
