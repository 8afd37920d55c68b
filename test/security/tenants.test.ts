import { expect, test } from "vitest";
import { server, tool } from "biplane";
import type { ServeOptions } from "biplane";
import { modernMeta } from "../wire/endpoints.ts";
import type { Json } from "../wire/endpoints.ts";

/** Believes the name in the header. */
const authenticate: ServeOptions["authenticate"] = ({ headers }) => ({
  kind: "token",
  id: String(headers["authorization"]),
  scopes: [],
});

const tasks = { extensions: { "io.modelcontextprotocol/tasks": {} } };

function post(url: string, who: string, method: string, params: Json, more: Record<string, string> = {}) {
  return fetch(`${url}/mcp`, {
    method: "POST",
    headers: {
      authorization: who,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...more,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
}

function modern(url: string, who: string, method: string, params: Json): Promise<Response> {
  const name = params["name"] ?? params["taskId"];
  return post(
    url,
    who,
    method,
    { ...params, _meta: modernMeta(tasks) },
    {
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...(typeof name === "string" && { "mcp-name": name }),
    },
  );
}

const hello = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } };

test("a caller is not notified of another caller's task, even with its id", async () => {
  let finish: (value: string) => void = () => undefined;
  const job = tool({
    name: "job",
    task: "optional",
    run: () => new Promise<string>((resolve) => (finish = resolve)),
  });
  await using gateway = server({ name: "gateway", version: "1", tools: [job], limits: false });
  const { url } = await gateway.serve({ url: "http://127.0.0.1:0", authenticate, graceMs: 1 });
  const started = (await (await modern(url, "ann", "tools/call", { name: "job", arguments: {} })).json()) as {
    result: { taskId: string };
  };
  const { taskId } = started.result;
  const listen = async (who: string) => {
    const response = await modern(url, who, "subscriptions/listen", { notifications: { taskIds: [taskId] } });
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    let heard = "";
    const decoder = new TextDecoder();
    const over = (async () => {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        heard += decoder.decode(value, { stream: true });
      }
    })();
    await expect.poll(() => heard).toContain("acknowledged");
    return { heard: () => heard, over };
  };
  const [anns, bobs] = [await listen("ann"), await listen("bob")];
  finish("ann's private result");
  await expect.poll(anns.heard).toContain("ann's private result");
  await gateway.close();
  await Promise.all([anns.over, bobs.over]);
  expect(bobs.heard()).not.toContain("private");
});

test("a caller that opens many sessions closes only its own older ones", async () => {
  await using gateway = server({ name: "gateway", version: "1", limits: false });
  const { url } = await gateway.serve({ url: "http://127.0.0.1:0", authenticate, maxSessions: 3 });
  const open = async (who: string) =>
    (await post(url, who, "initialize", hello)).headers.get("mcp-session-id") ?? "none";
  const anns = await open("ann");
  for (let again = 0; again < 6; again++) await open("bob");
  const ping = await post(url, "ann", "ping", {}, { "mcp-session-id": anns });
  expect(ping.status).toBe(200);
});

test("one caller cannot take every subscription", async () => {
  await using gateway = server({ name: "gateway", version: "1", limits: false });
  const { url } = await gateway.serve({ url: "http://127.0.0.1:0", authenticate, graceMs: 1 });
  const { WebSocket } = await import("ws");
  const open = async (who: string) => {
    const socket = new WebSocket(`${url.replace("http", "ws")}/mcp`, "mcp", { headers: { authorization: who } });
    const heard: Json[] = [];
    socket.on("message", (data: Buffer) => heard.push(JSON.parse(data.toString()) as Json));
    await new Promise((resolve) => socket.once("open", resolve));
    const listen = (id: number) =>
      socket.send(
        JSON.stringify({
          jsonrpc: "2.0",
          id,
          method: "subscriptions/listen",
          params: { notifications: { toolsListChanged: true }, _meta: modernMeta() },
        }),
      );
    return { heard, listen, close: () => socket.terminate() };
  };
  const [bob, ann] = [await open("bob"), await open("ann")];
  for (let id = 0; id < 1100; id++) bob.listen(id);
  await expect.poll(() => bob.heard.length).toBe(1100);
  ann.listen(1);
  await expect.poll(() => ann.heard).toMatchObject([{ method: "notifications/subscriptions/acknowledged" }]);
  bob.close();
  ann.close();
});

test("a connection does not outlive the credentials it was opened with", async () => {
  const act = tool({ name: "act", run: () => "acted" });
  const gateway = server({ name: "s", version: "1", tools: [act] });
  const until = (expiresAt: number) => ({ principal: { kind: "token", id: "ada", scopes: [], expiresAt } }) as const;
  expect(await gateway.call("act", {}, until(Date.now() + 60_000))).toBe("acted");
  await expect(gateway.call("act", {}, until(Date.now() - 1))).rejects.toMatchObject({ code: "UNAUTHORIZED" });
});
