import { once } from "node:events";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { embedded, environment, form, link, prompt, reply, resource, server, text, tool } from "biplane";
import type { Call } from "biplane";
import { openAudit } from "../../packages/biplane/src/governance/audit/audit.ts";
import { createRedactor } from "../../packages/core/src/call/redact/redactor.ts";
import type { SecretSource } from "../../packages/core/src/call/redaction.ts";
import { openStore } from "biplane/store";
import type { SqlStore } from "biplane/store";
import { serveMemory } from "../../packages/core/src/wire/serve-memory.ts";
import { encodings } from "../call/redact/encodings.ts";
import { searchFor } from "../call/redact/naive-search.ts";
import { modernMeta } from "./endpoints.ts";
import type { Json } from "./endpoints.ts";

const isSoak = process.env["BIPLANE_SOAK"] === "1";
const outputs = isSoak ? 100_000 : 500;

/** Numbers that are the same in every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const random = seeded(20260101);
const below = (count: number) => Math.floor(random() * count);
const pick = <T>(from: readonly T[]): T => from[below(from.length)] as T;
const letters = Array.from("abcXYZ019+/=-_ \"\\<>&%'é€世🔑\n");
const word = (most: number) => Array.from({ length: below(most) }, () => pick(letters)).join("");
const newSecret = () =>
  Array.from({ length: 8 + below(40) }, () => pick(letters))
    .join("")
    .trim()
    .padEnd(8, "q7");

/** Each way in which a tool can say something. */
const ways: Readonly<Record<string, (said: string, call: Call) => unknown>> = {
  text: (said) => said,
  value: (said) => ({ deep: [{ said }] }),
  key: (said) => ({ [said]: [1, { [said]: said }] }),
  parts: (said) => reply([text(said), embedded({ uri: "x:y", text: said }), link({ uri: "x:y", name: said })]),
  meta: (said) => reply(text("fine"), { structured: { said }, meta: { "x/y": said } }),
  error: (said) => {
    throw new Error(said);
  },
  progress: async (said, call) => {
    call.progress(1, { message: said });
    await Promise.resolve();
    return "fine";
  },
  log: async (said, call) => {
    call.log("error", { said, [said]: 1 }, said);
    await Promise.resolve();
    return said;
  },
  question: async (said, call) => {
    await call.ask("q", form(said, { type: "object", properties: { a: { type: "string", description: said } } }));
    return said;
  },
};

let saying: { way: string; said: string } = { way: "text", said: "" };
const say = (call: Call) => (ways[saying.way] as (said: string, call: Call) => unknown)(saying.said, call);

test(
  `of ${outputs} outputs with secrets in them, none gets out of any wire`,
  async () => {
    let redactor = createRedactor([]);
    const secrets: SecretSource = { redactor: () => redactor };
    await using store = await openStore(":memory:");
    await using audit = openAudit({ store, onFault: () => undefined });
    const told: unknown[] = [];
    const hooks = [{ onEnd: (end: unknown) => told.push(end), onError: (end: unknown) => told.push(end) }];
    const shared = { version: "1", secrets, audit, hooks, limits: false, onFault: () => undefined } as const;
    const input = { type: "object", properties: { echo: {} } } as const;
    const subject = server({
      name: "subject",
      ...shared,
      tools: { say: tool({ input, interactive: true, run: (_, call) => say(call) }) },
      resources: [resource({ name: "r", uri: "r:r", read: () => saying.said })],
      prompts: [prompt({ name: "p", get: () => saying.said })],
    });
    const world = environment({
      name: "world",
      ...shared,
      start: () => ({}),
      observe: () => ({ seen: saying.said }),
      publicState: () => ({ [saying.said]: saying.said }),
      info: () => ({ said: saying.said }),
      render: () => saying.said,
      action: "say",
      tools: (make) => ({ say: make({ input, interactive: true, run: (_, call) => say(call) }) }),
    });
    const failing = environment({
      name: "failing",
      ...shared,
      config: { type: "object", properties: { level: { type: "integer" } }, additionalProperties: false },
      observe: () => ({}),
      start: (): object => {
        throw new Error(saying.said);
      },
      tools: (make) => ({ say: make({ run: () => "never" }) }),
    });
    const wires = await openWires(
      (await subject.serve("http://127.0.0.1:0")).url,
      (await world.serve("http://127.0.0.1:0")).url,
      (await failing.serve("http://127.0.0.1:0")).url,
    );
    const memory = openMemory(subject);
    const all = { ...wires.calls, ...memory.calls };
    const names = Object.keys(all);

    const leaks: string[] = [];
    for (let round = 0; round < outputs; round++) {
      const values = Array.from({ length: 1 + below(3) }, newSecret);
      const value = pick(values);
      const [encoding, encode] = pick(Object.entries(encodings));
      const bytes = () => Buffer.from(word(5));
      const planted = encode(value, { flip: () => random() < 0.5, bytes }).text;
      // A mark around it, so that the words beside it cannot become a part of an encoding.
      saying = { way: pick(Object.keys(ways)), said: `${word(30)}·${planted}·${word(30)}` };
      redactor = createRedactor(values.map((each, at) => ({ name: `S${at}`, value: each })));
      const name = names[round % names.length] as string;
      told.length = 0;
      const heard = await (all[name] as (echo: string) => Promise<string>)(saying.said);
      const search = searchFor(value);
      const places = [
        heard,
        ...textsIn(heard),
        JSON.stringify(told),
        ...(round % 50 === 0 ? await lines(store, audit) : []),
      ];
      if (places.some((place) => search(place)))
        leaks.push(`${name}, ${saying.way}, ${encoding}: ${JSON.stringify(value)}`);
    }
    expect(leaks).toEqual([]);
    wires.close();
    memory.close();
    await Promise.all([subject.close(), world.close(), failing.close()]);
  },
  isSoak ? 3_600_000 : 120_000,
);

/** The newest lines of the audit log. */
async function lines(store: SqlStore, audit: ReturnType<typeof openAudit>): Promise<string[]> {
  await audit.flush();
  const last = await store.audit.last();
  return last ? [last.line] : [];
}

/** Every string in every JSON that a wire sent. */
function textsIn(heard: string): string[] {
  const found: string[] = [];
  for (const line of heard.split("\n")) {
    const json = line.replace(/^data: ?/, "");
    if (!json.startsWith("{")) continue;
    JSON.parse(json, (key, value: unknown) => {
      found.push(key);
      if (typeof value === "string") found.push(value);
      return value;
    });
  }
  return found;
}

type Calls = Record<string, (echo: string) => Promise<string>>;

async function openWires(url: string, world: string, failing: string): Promise<{ calls: Calls; close(): void }> {
  const post = async (path: string, body: Json, headers: Record<string, string> = {}, base = url) => {
    const accept = "application/json, text/event-stream";
    const request = {
      method: "POST",
      body: JSON.stringify(body),
      headers: { "content-type": "application/json", accept, ...headers },
    };
    return (await fetch(`${base}${path}`, request)).text();
  };
  const modern = (method: string, params: Json, name: string) => {
    const meta = { ...modernMeta({ elicitation: {} }), "io.modelcontextprotocol/logLevel": "debug", progressToken: 1 };
    const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": method, "mcp-name": name };
    return post("/mcp", { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: meta } }, headers);
  };
  const socket = new WebSocket(`${world.replace("http", "ws")}/ws`);
  await once(socket, "open");
  const frame = async (message: Json) => {
    socket.send(JSON.stringify(message));
    return String(((await once(socket, "message")) as [Buffer])[0]);
  };
  await frame({ type: "reset", data: {} });
  const broken = new WebSocket(`${failing.replace("http", "ws")}/ws`);
  await once(broken, "open");
  const brokenFrame = async (message: Json) => {
    broken.send(JSON.stringify(message));
    return String(((await once(broken, "message")) as [Buffer])[0]);
  };
  const extra = { name: "t", version: "1", _extra: { session_id: "fuzz" } };
  const hello = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: extra };
  await post("/mcp", { jsonrpc: "2.0", id: 1, method: "initialize", params: hello }, {}, world);
  const get = async (path: string) =>
    (await fetch(`${world}${path}`, { headers: { "mcp-session-id": "fuzz" } })).text();
  const { id } = JSON.parse(await post("/control/episodes", {}, {}, world)) as { id: string };
  const create = { jsonrpc: "2.0", id: 1, method: "openenv/session/create", params: {} };
  const step = (echo: string) => ({ type: "call_tool", tool_name: "say", arguments: { echo } });
  return {
    calls: {
      "MCP of 2026-07-28": (echo) => modern("tools/call", { name: "say", arguments: { echo } }, "say"),
      "plain JSON-RPC": (echo) =>
        post("/mcp", { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "say", arguments: { echo } } }),
      "a resource": () => modern("resources/read", { uri: "r:r" }, "r:r"),
      "a prompt": () => modern("prompts/get", { name: "p" }, "p"),
      REST: (echo) => post("/mcp/execute", { tool: "say", arguments: { echo } }),
      "/ws": (echo) => frame({ type: "step", data: step(echo) }),
      "/step": (echo) => post("/step", { action: step(echo) }, {}, world),
      "a typed /step": (echo) => post("/step", { action: { echo } }, {}, world),
      "a typed step on /ws": (echo) => frame({ type: "step", data: { echo } }),
      "/state": () => get("/state"),
      "/ws state": () => frame({ type: "state" }),
      "/reset": () => post("/reset", {}, {}, world),
      "/ws reset": () => frame({ type: "reset", data: {} }),
      "/reset that fails": () => post("/reset", {}, {}, failing),
      "/ws reset that fails": () => brokenFrame({ type: "reset", data: {} }),
      "a config that is wrong": (echo) => post("/reset", { [echo]: echo }, {}, failing),
      "an action that is wrong": (echo) => post("/step", { action: { type: echo, [echo]: echo } }, {}, world),
      "a frame that is wrong": (echo) => frame({ type: echo, data: echo }),
      "openenv/session/create that fails": () => post("/mcp", create, {}, failing),
      "/control/initial_state": async () => {
        await post("/control/reset_session", {}, { "mcp-session-id": "fuzz" }, world);
        return get("/control/initial_state");
      },
      "/control/info": () => get("/control/info"),
      "POST /control/episodes": async () => {
        const said = await post("/control/episodes", {}, {}, world);
        const started = JSON.parse(said) as { id: string };
        await fetch(`${world}/control/episodes/${started.id}`, { method: "DELETE" });
        return said;
      },
      "POST /control/episodes that fails": () => post("/control/episodes", {}, {}, failing),
      "/control/episodes/<id>/render": () => get(`/control/episodes/${id}/render`),
      "an unknown tool": (echo) =>
        post("/mcp", { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: echo, arguments: {} } }),
      "an unknown tool over REST": (echo) => post("/mcp/execute", { tool: echo }),
      "an unknown episode": (echo) => post("/mcp/execute", { tool: "say", episode: echo }, {}, world),
    },
    close: () => {
      socket.close();
      broken.close();
    },
  };
}

/** Both eras without a network, with everything that is said before the answer. */
function openMemory(subject: Parameters<typeof serveMemory>[0]): { calls: Calls; close(): void } {
  let heard: string[] = [];
  let done: (heard: string) => void = () => undefined;
  const channel = serveMemory(subject, { kind: "local", id: "test", scopes: [] })({
    onMessage: (message) => {
      heard.push(message);
      const { id, method } = JSON.parse(message) as { id?: number; method?: string };
      if (method !== undefined && id !== undefined)
        channel.send(JSON.stringify({ jsonrpc: "2.0", id, result: { action: "decline" } }));
      else if (id !== undefined) done(heard.join("\n"));
    },
    onOversize: () => undefined,
    onClose: () => undefined,
  });
  let id = 0;
  const ask = (method: string, params: Json) => {
    heard = [];
    return new Promise<string>((resolve) => {
      done = resolve;
      channel.send(JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params }));
    });
  };
  const clientInfo = { name: "t", version: "1" };
  const greeting = ask("initialize", { protocolVersion: "2025-11-25", capabilities: { elicitation: {} }, clientInfo });
  return {
    calls: {
      "a pipe of 2025-11-25": async (echo) => {
        await greeting;
        return ask("tools/call", { name: "say", arguments: { echo }, _meta: { progressToken: 1 } });
      },
    },
    close: () => channel.close(),
  };
}
