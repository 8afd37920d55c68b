import { expect, test } from "vitest";
import { BiplaneError, prompt, resource, server, tool } from "biplane";
import type { AuditEntry } from "../../packages/core/src/call/audit.ts";
import { createRedactor } from "../../packages/core/src/call/redact/redactor.ts";
import { remoteServer } from "../../packages/core/src/client/mount/remote-server.ts";
import type { Json } from "../wire/endpoints.ts";
import { upstream } from "./upstream.ts";

const secrets = { UPSTREAM_KEY: "hunter2-hunter2-hunter2" };

async function post(url: string, method: string, params: Json = {}): Promise<string> {
  const response = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  return response.text();
}

test("a mounted server that lists its secret does not reveal it to agents", async () => {
  const description = `use ${secrets.UPSTREAM_KEY}`;
  await using there = await upstream({
    lists: {
      tools: [{ name: "work", description, inputSchema: { type: "object" } }],
      resources: [{ uri: "a:b", name: "a", description }],
      resourceTemplates: [{ uriTemplate: "a:{b}", name: "a", description }],
      prompts: [{ name: "p", description }],
    },
  });
  await using remote = await remoteServer(there.url, { era: "legacy" });
  await using gateway = server({ name: "gateway", version: "1", secrets }).mount("there", remote);
  const { url } = await gateway.serve("http://127.0.0.1:0");
  for (const method of ["tools/list", "resources/list", "resources/templates/list", "prompts/list"]) {
    const listed = await post(url, method);
    expect(listed).toContain("[REDACTED:UPSTREAM_KEY]");
    expect(listed).not.toContain("hunter2");
  }
  expect(await (await fetch(`${url}/mcp/capabilities`)).text()).not.toContain("hunter2");
});

test("a secret that is set while lists are kept is taken out of them too", async () => {
  let redactor = createRedactor([]);
  await using gateway = server({
    name: "gateway",
    version: "1",
    tools: [tool({ name: "act", description: "hunter2-hunter2-hunter2", run: () => 1 })],
    secrets: { redactor: () => redactor },
  });
  const { url } = await gateway.serve("http://127.0.0.1:0");
  expect(await post(url, "tools/list")).toContain("hunter2");
  redactor = createRedactor([{ name: "LATE", value: "hunter2-hunter2-hunter2" }]);
  expect(await post(url, "tools/list")).not.toContain("hunter2");
});

test("completions carry no secrets and count against the rate", async () => {
  const greet = prompt({
    name: "greet",
    arguments: { who: { complete: () => [secrets.UPSTREAM_KEY, "ada"] } },
    get: () => "hello",
  });
  const notes = resource({
    name: "notes",
    uri: "note://{id}",
    read: () => "x",
    complete: { id: () => [secrets.UPSTREAM_KEY] },
  });
  await using gateway = server({
    name: "limited",
    limits: { perPrincipal: { perSecond: 10, burst: 20 } },
    secrets,
    prompts: [greet],
    resources: [notes],
  });
  const { url } = await gateway.serve("http://127.0.0.1:0");
  const suggest = (ref: Json, name: string) => post(url, "completion/complete", { ref, argument: { name, value: "" } });
  const said = await suggest({ type: "ref/prompt", name: "greet" }, "who");
  expect(said).toContain("ada");
  expect(said).not.toContain("hunter2");
  expect(await suggest({ type: "ref/resource", uri: "note://{id}" }, "id")).not.toContain("hunter2");
  const many = await Promise.all(
    Array.from({ length: 60 }, () => suggest({ type: "ref/prompt", name: "greet" }, "who")),
  );
  expect(many.some((text) => text.includes("Rate limit exceeded"))).toBe(true);
});

test("a call whose outcome cannot be searched for secrets is still recorded, ends, and gives its place back", async () => {
  const lines: AuditEntry[] = [];
  const odd = tool({
    name: "odd",
    run: () => {
      const details = {
        get row(): never {
          throw new Error("the connection is closed");
        },
      };
      throw new BiplaneError("EXECUTION_ERROR", "the database said no", { details });
    },
  });
  await using gateway = server({
    name: "gateway",
    version: "1",
    tools: [odd],
    secrets,
    limits: { perPrincipal: false, concurrency: { global: 1 } },
    audit: { record: (entry) => void lines.push(entry) },
    onFault: () => undefined,
  });
  const { url } = await gateway.serve("http://127.0.0.1:0");
  for (let again = 1; again <= 3; again++) {
    expect(await post(url, "tools/call", { name: "odd", arguments: {} })).toContain("isError");
    expect(lines).toHaveLength(again);
  }
});
