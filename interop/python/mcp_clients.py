"""The official Python clients against our server: a tool with an output schema, its failures, and an environment."""

import asyncio
import importlib.metadata
import logging
from contextlib import asynccontextmanager, suppress

from checks import Skip, check, env, equal, holds, post, run

version = importlib.metadata.version("mcp")
is_second = version.startswith("2.")
till = f"{env('till')}/mcp"
released = f"{env('released')}/mcp"


@asynccontextmanager
async def connect(mode, address=till):
    """A connected client. The first generation knows only sessions."""
    if is_second:
        from mcp import Client

        async with Client(address, mode=mode) as client:
            yield client
        return
    if mode != "legacy":
        raise Skip("mcp 1.x does not know 2026-07-28")
    from mcp import ClientSession
    from mcp.client.streamable_http import streamable_http_client

    async with streamable_http_client(address) as (read, write, *_), ClientSession(read, write) as session:
        await session.initialize()
        yield session


def fields(result):
    """The same fields for both generations, which name them differently."""
    told = result.model_dump(mode="json", by_alias=True)
    return told.get("isError"), told["content"][0]["text"], told.get("structuredContent"), told.get("_meta") or {}


async def refund(mode, amount):
    async with connect(mode) as client:
        await client.list_tools()  # the client now checks results against the output schema
        call = lambda: client.call_tool("refund", {"amount": amount})
        is_error, text, structured, meta = fields(await call())
        equal((is_error, structured), (True, None), "a call that waits")
        holds(text, "Error: ", f"Refund {amount}?")
        error = meta["dev.biplane/error"]
        equal((error["code"], error["approval"]["status"]), ("APPROVAL_PENDING", "pending"))
        post(f"{env('person')}/mcp/execute", {"tool": "approve", "arguments": {"id": error["approval"]["id"]}})
        is_error, _, structured, _ = fields(await call())
        equal((bool(is_error), structured), (False, {"refunded": amount}), "the call after approval")


async def failures(mode):
    async with connect(mode) as client:
        await client.list_tools()
        for tool, code in [("forbidden", "POLICY_DENIED"), ("broken", "EXECUTION_ERROR"), ("late", "TIMEOUT")]:
            is_error, text, structured, meta = fields(await client.call_tool(tool, {}))
            equal((is_error, structured, meta["dev.biplane/error"]["code"]), (True, None, code), tool)
            holds(text, "Error: ")


@check
async def session_approval():
    """A session reads that a call waits for approval, and gets the structured result after it"""
    await refund("legacy", 100)


@check
async def stateless_approval():
    """A stateless client reads that a call waits for approval, and gets the structured result after it"""
    await refund("2026-07-28", 200)


@check
async def session_failures():
    """A session reads why a tool with an output schema failed"""
    await failures("legacy")


@check
async def stateless_failures():
    """A stateless client reads why a tool with an output schema failed"""
    await failures("2026-07-28")


async def play(mode):
    async with connect(mode, released) as client:

        async def count():
            return fields(await client.call_tool("number_count", {}))[1]

        said = await count()
        while said != "1":
            said = await count()  # a stateless client goes on where the last one of this address stopped
        equal([await count(), await count()], ["2", "3"])
        holds(await count(), "has ended", "The next call starts another")
        equal(await count(), "1", "the next episode")


@check
async def session_plays():
    """A session plays an environment in production, without naming an episode"""
    await play("legacy")


@check
async def stateless_plays():
    """A stateless client plays an environment in production, without naming an episode"""
    await play("2026-07-28")


class Log(logging.Handler):
    """Keeps what the client logs."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.lines = []

    def emit(self, record):
        self.lines.append(record.getMessage())


@check
async def cancels():
    """A session that cancels a call logs no error, and goes on"""
    log = Log()
    logging.getLogger().addHandler(log)
    async with connect("legacy", released) as client:
        request = asyncio.create_task(client.call_tool("call_await", {}))
        await asyncio.sleep(0.3)
        if not is_second:  # the first generation does not cancel by itself
            from mcp import types

            cancelled = types.CancelledNotification(params=types.CancelledNotificationParams(requestId=1))
            await client.send_notification(types.ClientNotification(cancelled))
            await asyncio.sleep(0.3)
        request.cancel()
        with suppress(asyncio.CancelledError):
            await request
        equal(fields(await client.call_tool("number_count", {}))[1], "1", "the next call")
    equal(log.lines, [])


run()
