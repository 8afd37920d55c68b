"""LangChain's MCP adapters."""

from contextlib import asynccontextmanager

from langchain_core.tools import ToolException
from langchain_mcp_adapters.client import MultiServerMCPClient
from sdk_checks import Reply, run_sdk


class Sdk:
    def __init__(self, client):
        self._client = client
        self._tools = {}

    async def list(self):
        self._tools = {tool.name: tool for tool in await self._client.get_tools()}
        return list(self._tools)

    async def call(self, name, arguments):
        try:
            # As a model calls it: the message also holds what is not for the model.
            asked = {"type": "tool_call", "id": "1", "name": name, "args": arguments}
            message = await self._tools[name].ainvoke(asked)
        except ToolException as error:
            return Reply(str(error), None, True)
        artifact = message.artifact or {}
        return Reply(message.text, artifact.get("structured_content"), message.status == "error")


@asynccontextmanager
async def connect(url):
    yield Sdk(MultiServerMCPClient({"biplane": {"transport": "streamable_http", "url": url}}))


run_sdk(connect)
