import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { callTool, connectEnvironment } from "biplane/client";
import { expect, test } from "vitest";
import { frozenLake } from "../../../packages/gallery/src/frozen-lake/frozen-lake.ts";
import { SessionFetch } from "../../../packages/core/src/client/environment/session-fetch.ts";

test("an answer without end is refused once, and not asked for again", async () => {
  let asked = 0;
  const ended: Promise<void>[] = [];
  const server = createServer((request, response) => {
    asked++;
    ended.push(new Promise((resolve) => response.once("close", resolve)));
    const chunk = Buffer.alloc(256 * 1024, " ");
    const send = () => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on("drain", send);
    request.resume().once("end", send);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const session = new SessionFetch();
  session.takesKeys = true;
  const body = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"move"}}';
  await expect(session.fetch(url, { method: "POST", body })).rejects.toThrow("is larger than 4194304 bytes");
  await Promise.all(ended);
  expect(asked).toBe(1);
  server.close();
});

test.each([
  ["tools/list", "is played in the next session"],
  ["tools/call", "is lost with its session"],
])("an episode whose connection breaks at %s %s", async (method) => {
  await using lake = frozenLake();
  const served = await lake.serve("http://127.0.0.1:0");
  let breaks = 0;
  const forward = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    if (body.includes(`"${method}"`) && breaks++ === 0) return void request.socket.destroy();
    const { host: _, connection: __, "content-length": ___, ...headers } = request.headers as Record<string, string>;
    const { method: verb = "GET", url = "/" } = request;
    const answer = await fetch(`${served.url}${url}`, { method: verb, headers, ...(body && { body }) });
    const session = answer.headers.get("mcp-session-id");
    const type = answer.headers.get("content-type") ?? "application/json";
    response.writeHead(answer.status, { "content-type": type, ...(session && { "mcp-session-id": session }) });
    response.end(await answer.text());
  };
  const proxy = createServer((request, response) => void forward(request, response));
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`;
  await using client = await connectEnvironment(url, { kind: "eval-protocol" });
  await client.reset({ seed: 42 });
  const step = client.step(callTool("lake_move", { action: "DOWN" }));
  if (method === "tools/list") expect(await step).toMatchObject({ observation: { position: 4 }, stepCount: 1 });
  else await expect(step).rejects.toThrow(/may have been executed|was lost/);
  proxy.close();
});
