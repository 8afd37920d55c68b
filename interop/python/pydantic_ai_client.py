"""Pydantic AI."""

from contextlib import asynccontextmanager

from pydantic_ai.exceptions import ModelRetry
from pydantic_ai.mcp import MCPToolset
from sdk_checks import Reply, run_sdk


class Sdk:
    def __init__(self, toolset):
        self._toolset = toolset

    async def list(self):
        return [tool.name for tool in await self._toolset.list_tools()]

    async def call(self, name, arguments):
        try:
            value = await self._toolset.direct_call_tool(name, arguments)
        except ModelRetry as error:
            return Reply(str(error), None, True)
        return Reply(str(value), value)


@asynccontextmanager
async def connect(url):
    async with MCPToolset(url) as toolset:
        yield Sdk(toolset)


run_sdk(connect)
