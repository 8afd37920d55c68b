"""FastMCP's client."""

from contextlib import asynccontextmanager

from fastmcp import Client
from sdk_checks import Reply, run_sdk


class Sdk:
    def __init__(self, client):
        self._client = client

    async def list(self):
        return [tool.name for tool in await self._client.list_tools()]

    async def call(self, name, arguments):
        result = await self._client.call_tool(name, arguments, raise_on_error=False)
        text = "".join(part.text for part in result.content if part.type == "text")
        return Reply(text, result.structured_content, bool(result.is_error))


@asynccontextmanager
async def connect(url):
    async with Client(url) as client:
        yield Sdk(client)


run_sdk(connect)
