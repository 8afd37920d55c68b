import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createTaskSessionFromClient } from "@modelcontextprotocol/ext-tasks/client";
import type { RawClientDispatch } from "@modelcontextprotocol/ext-tasks/client";
import { expect, test } from "vitest";
import { BiplaneError, form, server, tool } from "biplane";
import { listen, modern, post } from "../support/serving.ts";

const name = form("Who?", { type: "object", properties: { name: { type: "string" } }, required: ["name"] });

/** Tools that end in every way a task can. */
const tools = {
  plain: tool({ task: "required", run: () => ({ total: 3 }) }),
  failing: tool({
    task: "required",
    run: () => {
      throw new Error("out of paper");
    },
  }),
  broken: tool({
    task: "required",
    run: () => {
      throw new BiplaneError("INTERNAL", "the printer is on fire");
    },
  }),
  asking: tool({
    task: "required",
    interactive: true,
    run: async (_, call) => {
      await call.detach();
      const first = await call.ask("name", name);
      const second = await call.ask("name", name);
      return `${String(first.content?.["name"])} and ${String(second.content?.["name"])}`;
    },
  }),
};

test("the official client settles finished tasks, with their results", async () => {
  await using session = await official();
  expect(await session.settle("plain")).toMatchObject({
    status: "completed",
    result: { structuredContent: { total: 3 }, resultType: "complete" },
  });
  expect(await session.settle("failing")).toMatchObject({ status: "completed", result: { isError: true } });
  expect(await session.settle("broken")).toMatchObject({
    status: "failed",
    error: { message: "the printer is on fire" },
  });
});

test("a tool that asks twice under one key asks the official client twice", async () => {
  await using session = await official();
  expect(await session.settle("asking")).toMatchObject({
    status: "completed",
    result: { content: [{ text: "Ada 1 and Ada 2" }] },
  });
});

/** The official client over HTTP, whose task requests we send, as its documentation asks for. */
async function official() {
  const served = await listen(server({ name: "s", tools }));
  const client = new Client({ name: "c", version: "1" }, { versionNegotiation: { mode: "auto" } });
  await client.connect(new StreamableHTTPClientTransport(new URL(served.mcp)));
  let id = 0;
  let answers = 0;
  const rawDispatch: RawClientDispatch = async (request) => {
    const { method, params } = request as { method: string; params: { name?: string; taskId?: string } };
    const { headers } = modern(method, params.name ?? params.taskId);
    const { json } = await post(served.mcp, { jsonrpc: "2.0", id: ++id, method, params }, { headers });
    return json as never;
  };
  const session = createTaskSessionFromClient(client, {
    endpointId: "test",
    rawDispatch,
    v2RequestFraming: {
      protocolVersion: "2026-07-28",
      clientInfo: { name: "c", version: "1" },
      clientCapabilities: { elicitation: { form: {} }, extensions: { "io.modelcontextprotocol/tasks": {} } },
    },
    onInputRequest: async () => ({ action: "accept", content: { name: `Ada ${++answers}` } }) as never,
  });
  return {
    settle: async (target: string) => (await (await session.callTool(target, {})).settle()).outcome,
    async [Symbol.asyncDispose]() {
      await session.close();
      await client.close();
      await served[Symbol.asyncDispose]();
    },
  };
}
