import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { server, tool } from "biplane";
import type { Server } from "biplane";
import { connect } from "biplane/client";
import { describePostgres } from "../support/describe-postgres.ts";
import type { Json } from "../wire/endpoints.ts";
import { startFleetServer } from "./fleet-servers.ts";

describePostgres("servers on one database", (postgres) => {
  const database = () => postgres().database();

  it("exceed no rate limit together", async () => {
    const location = await database();
    const limited = () =>
      server({
        name: "limited",
        limits: { perPrincipal: { perSecond: 0.001, burst: 20 } },
        tools: [tool({ name: "act", run: () => "done" })],
      });
    await using first = await startFleetServer(location, limited);
    await using second = await startFleetServer(location, limited);
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, at) =>
        (at % 2 ? first : second).ask("tools/call", { name: "act", arguments: {} }),
      ),
    );
    const made = answers.filter(({ result }) => (result as Json | undefined)?.["isError"] !== true && result);
    expect(made).toHaveLength(20);
  });

  it("run a call with a key once, whichever of them gets its tries", async () => {
    const location = await database();
    let runs = 0;
    const counting = () =>
      server({
        name: "counting",
        tools: [tool({ name: "count", run: async () => (await later(50), `run ${++runs}`) })],
      });
    await using first = await startFleetServer(location, counting);
    await using second = await startFleetServer(location, counting);
    const call = (at: number, headers: Record<string, string>) =>
      (at % 2 ? first : second).ask("tools/call", { name: "count", arguments: {} }, headers);
    const answers = await Promise.all(Array.from({ length: 8 }, (_, at) => call(at, { "idempotency-key": "one" })));
    for (const { result } of answers) expect(result).toMatchObject({ content: [{ text: "run 1" }] });
    expect((await call(0, { "idempotency-key": "two" }))["result"]).toMatchObject({ content: [{ text: "run 2" }] });
    expect(runs).toBe(2);
    expect(await call(1, { "idempotency-key": "k".repeat(300) })).toMatchObject({
      result: { isError: true, content: [{ text: expect.stringContaining("1 to 256 characters") as string }] },
    });
  });

  it("get a call with a key again, however often a connection to one of them is lost", async () => {
    let runs = 0;
    const paying = () => server({ name: "paying", tools: [tool({ name: "pay", run: () => `paid ${++runs}` })] });
    await using served = await startFleetServer(await database(), paying);
    let calls = 0;
    const forward = async (request: IncomingMessage, response: ServerResponse) => {
      const body = await text(request);
      if (body.includes('"tools/call"') && ++calls <= 6) return void request.socket.destroy();
      const { host: _, connection: __, "content-length": ___, ...headers } = request.headers as Record<string, string>;
      const answer = await fetch(`${served.url}/mcp`, { method: "POST", body, headers });
      response.writeHead(answer.status, { "content-type": "application/json" }).end(await answer.text());
    };
    const balancer = createServer((request, response) => void forward(request, response));
    await new Promise<void>((resolve) => balancer.listen(0, "127.0.0.1", resolve));
    const { port } = balancer.address() as AddressInfo;
    const atOnce = { sleep: async () => undefined };
    await using client = await connect(`http://127.0.0.1:${port}/mcp`, { era: "modern", ...atOnce });
    expect(await client.callTool("pay")).toMatchObject({ content: [{ text: "paid 1" }] });
    expect(calls).toBe(7);
    balancer.close();
  });

  describe("with a task", () => {
    const jobs = (options: { idempotent?: boolean } = {}) => {
      const releases: ((result: string) => void)[] = [];
      const run = () => new Promise<string>((resolve) => releases.push(resolve));
      const create = (): Server =>
        server({ name: "jobs", tools: [tool({ name: "job", task: "required", ...options, run })] });
      return { create, releases };
    };

    it("answer for it wherever it runs, and cancel it", async () => {
      const location = await database();
      const { create, releases } = jobs();
      await using first = await startFleetServer(location, create);
      await using second = await startFleetServer(location, create);
      const { result: task } = (await first.ask("tools/call", { name: "job", arguments: {} })) as { result: Json };
      const { taskId } = task;
      const { result: other } = (await first.ask("tools/call", { name: "job", arguments: {} })) as { result: Json };
      const status = async (id: unknown) =>
        ((await second.ask("tasks/get", { taskId: id })) as { result: Json }).result["status"];
      expect(await status(taskId)).toBe("working");
      await expect.poll(() => releases.length).toBe(2);
      releases[0]?.("finished");
      await expect.poll(() => status(taskId)).toBe("completed");
      await second.ask("tasks/cancel", { taskId: other["taskId"] });
      await expect.poll(() => status(other["taskId"])).toBe("cancelled");
    });

    it("run it again if its process died and that does no harm", async () => {
      const location = await database();
      const { create, releases } = jobs({ idempotent: true });
      await using first = await startFleetServer(location, create);
      await using second = await startFleetServer(location, create);
      const { result: task } = (await first.ask("tools/call", { name: "job", arguments: {} })) as { result: Json };
      const get = async () => ((await second.ask("tasks/get", { taskId: task["taskId"] })) as { result: Json }).result;
      await expect.poll(() => releases.length).toBe(1);
      await first.vanish();
      await expect.poll(async () => ((await get())["status"], releases.length)).toBe(2);
      releases[1]?.("finished elsewhere");
      await expect
        .poll(get)
        .toMatchObject({ status: "completed", result: { content: [{ text: "finished elsewhere" }] } });
    });

    it("finish it if the others give its process up while it begins", async () => {
      const create = () =>
        server({ name: "jobs", tools: [tool({ name: "job", task: "required", run: () => "done" })] });
      await using only = await startFleetServer(await database(), create);
      const tasks: string[] = [];
      const over = new AbortController();
      const beginTasks = async (): Promise<void> => {
        while (!over.signal.aborted) {
          const { result } = (await only.ask("tools/call", { name: "job", arguments: {} })) as { result: Json };
          tasks.push(String(result["taskId"]));
        }
      };
      const clients = Array.from({ length: 8 }, beginTasks);
      for (let times = 0; times < 2; times++) {
        const { processId } = only.fleet;
        await only.beGivenUp();
        await expect.poll(() => only.fleet.processId, { timeout: 5000 }).not.toBe(processId);
      }
      over.abort();
      await Promise.all(clients);
      const status = async (taskId: string) =>
        ((await only.ask("tasks/get", { taskId })) as { result: Json }).result["status"];
      await expect.poll(async () => [...new Set(await Promise.all(tasks.map(status)))]).toEqual(["completed"]);
    });

    it("say that it is lost if its tool may have run", async () => {
      const location = await database();
      const { create, releases } = jobs();
      await using first = await startFleetServer(location, create);
      await using second = await startFleetServer(location, create);
      const { result: task } = (await first.ask("tools/call", { name: "job", arguments: {} })) as { result: Json };
      await expect.poll(() => releases.length).toBe(1);
      await first.vanish();
      const get = async () => ((await second.ask("tasks/get", { taskId: task["taskId"] })) as { result: Json }).result;
      await expect.poll(get).toMatchObject({
        status: "failed",
        error: { message: expect.stringContaining("may or may not have run") as string },
      });
    });
  });

  it("tell each other what changes", async () => {
    const location = await database();
    const created: Server[] = [];
    const create = () => {
      const made = server({ name: "changing", tools: [tool({ name: "one", run: () => "1" })] });
      created.push(made);
      return made;
    };
    await using first = await startFleetServer(location, create);
    await using second = await startFleetServer(location, create);
    const listening = await fetch(`${second.url}/mcp`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "subscriptions/listen",
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "subscriptions/listen",
        params: {
          notifications: { toolsListChanged: true },
          _meta: {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { name: "listener", version: "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
          },
        },
      }),
    });
    const reader = (listening.body as ReadableStream<Uint8Array>).getReader();
    created[0]?.add(tool({ name: "two", run: () => "2" }));
    let text = "";
    while (!text.includes("notifications/tools/list_changed")) {
      const { value, done } = await reader.read();
      if (done) break;
      text += new TextDecoder().decode(value);
    }
    expect(text).toContain("notifications/tools/list_changed");
    await reader.cancel();
    expect(first.fleet.processId).not.toBe(second.fleet.processId);
  });
});

function later(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
