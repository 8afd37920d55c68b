import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Server } from "biplane";
import { fixture, png } from "../support/fixture.ts";
import { wires } from "../support/official.ts";
import type { CallOptions, CallResult, Fetch, Slot } from "../support/official.ts";
import { listen } from "../support/serving.ts";
import type { Served } from "../support/serving.ts";
import { within } from "../support/within.ts";

const http = wires.filter(({ transport }) => transport === "http");
const legacyHttp = http.filter(({ era }) => era === "legacy");

describe.each(wires)("the official client: $name", (wire) => {
  const isModern = wire.era === "modern";
  let served: Served;
  let slot: Slot;

  beforeAll(async () => {
    served = await listen(fixture());
    slot = await wire.connect(served.mcp);
  });
  afterAll(async () => {
    await slot?.[Symbol.asyncDispose]();
    await served[Symbol.asyncDispose]();
  });

  it("shakes hands and learns who the server is", () => {
    const { client, v2 } = slot;
    expect(client.getServerVersion()).toMatchObject({ name: "fixture", title: "A fixture", version: "1.2.3" });
    expect(client.getInstructions()).toBe("Says what is asked of it");
    expect(client.getServerCapabilities()).toMatchObject({
      tools: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      prompts: { listChanged: true },
      completions: {},
      logging: {},
    });
    expect(v2?.getProtocolEra() ?? "legacy").toBe(wire.era);
    const version = v2?.getNegotiatedProtocolVersion() ?? "2025-11-25";
    expect(version).toBe(isModern ? "2026-07-28" : "2025-11-25");
  });

  it("lists tools with their schemas and hints", async () => {
    const { tools } = await slot.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["say", "add", "picture", "greet", "shape"]));
    expect(tools.find(({ name }) => name === "say")).toMatchObject({
      description: "Says a word",
      inputSchema: { type: "object", properties: { word: { type: "string" } }, additionalProperties: false },
      annotations: { readOnlyHint: true },
    });
    expect(tools.find(({ name }) => name === "add")?.outputSchema).toMatchObject({ type: "object", required: ["sum"] });
  });

  it("calls a tool for text, and fills in defaults", async () => {
    expect((await slot.call("say", { word: "hi" })).content).toEqual([{ type: "text", text: "hi" }]);
    expect((await slot.call("say")).content).toEqual([{ type: "text", text: "hello" }]);
  });

  // The clients check results against the listed schemas.
  it.each([
    ["an object", "add", { a: 1, b: 2 }, { sum: 3 }],
    ["a list", "words", {}, ["one", "two"]],
    ["a text", "title", {}, "a title"],
    ["one of several objects", "shape", {}, { kind: "disc", radius: 2 }],
    ["an object that may be null", "maybe", { there: true }, { id: "x" }],
    ["null in place of an object", "maybe", { there: false }, null],
    ["what refers to itself", "trees", {}, [{ name: "root", children: [{ name: "leaf", children: [] }] }]],
  ])("calls a tool for a structured result: %s", async (_, name, input, value) => {
    await slot.client.listTools();
    const { structuredContent, content, isError } = await slot.call(name, input);
    expect(isError ?? false).toBe(false);
    const bare = isModern || isPlainObject(structuredContent, value);
    expect(bare ? structuredContent : (structuredContent as { result?: unknown })?.result).toEqual(value);
    const shown = content[0]?.text ?? "";
    expect(typeof value === "string" ? shown : JSON.parse(shown)).toEqual(value);
  });

  it("calls a tool for an image", async () => {
    expect((await slot.call("picture")).content).toEqual([
      { type: "text", text: "red:" },
      { type: "image", data: png, mimeType: "image/png" },
    ]);
  });

  it.each([
    ["throws", "fail", {}, "Error: it broke"],
    [
      "is too late",
      "slow",
      {},
      "Error: slow timed out after 5 ms. Raise timeoutMs in its definition if it needs longer.",
    ],
    ["is given what it did not ask for", "say", { wrod: "hi" }, "Error: Invalid arguments for say: "],
  ])("gets a result with isError from a tool that %s", async (_, name, input, message) => {
    const result = await slot.call(name, input);
    expect(result.isError).toBe(true);
    expect(result.content[0]?.text).toContain(message);
  });

  it("gets a protocol error for a tool that is not there, and for one that is limited", async () => {
    await expect(slot.call("nowhere")).rejects.toMatchObject({ code: -32602 });
    await expect(slot.call("refuse")).rejects.toMatchObject({ code: -32000 });
  });

  it("receives progress, in order, before the result", async () => {
    const seen: unknown[] = [];
    const onprogress: CallOptions["onprogress"] = (step) => {
      seen.push(step);
      void slot.call("heard", { at: step.progress });
    };
    const result = await slot.call("count", { to: 4 }, { onprogress });
    expect(result.content[0]?.text).toBe("4");
    expect(seen).toEqual([1, 2, 3, 4].map((at) => ({ progress: at, total: 4, message: `step ${at}` })));
  });

  it.each([
    ["accepts", { action: "accept" as const, content: { name: "Ada" } }, "Hello, Ada"],
    ["declines", { action: "decline" as const }, "You decline"],
    ["dismisses", { action: "cancel" as const }, "You cancel"],
  ])("answers a question while a call runs: its user %s", async (_, answer, expected) => {
    const asked: string[] = [];
    slot.onElicit((message) => {
      asked.push(message);
      return answer;
    });
    expect((await slot.call("greet")).content[0]?.text).toBe(expected);
    expect(asked).toEqual(["What is your name?"]);
  });

  it("cancels a call, and the tool's signal is aborted", async () => {
    const controller = new AbortController();
    const key = `cancel ${wire.name}`;
    const hanging = slot.call("hang", { key }, { signal: controller.signal }).then(
      () => "answered",
      () => "cancelled",
    );
    await slot.call("hang_seen", { key });
    controller.abort(new Error("never mind"));
    expect(await hanging).toBe("cancelled");
    expect((await slot.call("abort_seen", { key })).content[0]?.text).toBe(key);
  });

  it("makes several calls at once, and each gets its own answer", async () => {
    const words = Array.from({ length: 20 }, (_, index) => `word ${index}`);
    const answers = await Promise.all(words.map((word) => slot.call("say", { word })));
    expect(answers.map(({ content }) => content[0]?.text)).toEqual(words);
  });

  it("lists and reads resources, also by template", async () => {
    const { client } = slot;
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(["note://readme", "note://pixel", "note://watched"]);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates).toMatchObject([{ name: "note", uriTemplate: "note://by-id/{id}" }]);
    expect((await client.readResource({ uri: "note://readme" })).contents).toEqual([
      { uri: "note://readme", mimeType: "text/plain", text: "read me" },
    ]);
    expect((await client.readResource({ uri: "note://pixel" })).contents).toMatchObject([{ blob: png }]);
    expect((await client.readResource({ uri: "note://by-id/7%20up" })).contents).toMatchObject([{ text: "note 7 up" }]);
    await expect(client.readResource({ uri: "note://nowhere" })).rejects.toMatchObject({
      code: slot.v2 ? -32602 : -32002, // the newer client reads both codes as one
    });
  });

  it("lists and gets prompts", async () => {
    const { client } = slot;
    const { prompts } = await client.listPrompts();
    expect(prompts).toMatchObject([
      { name: "review", arguments: [{ name: "code", required: true }, { name: "style" }] },
    ]);
    const got = await client.getPrompt({ name: "review", arguments: { code: "x = 1" } });
    expect(got).toMatchObject({
      description: "Reviews code",
      messages: [{ role: "user", content: { type: "text", text: "Review, being kind: x = 1" } }],
    });
    await expect(client.getPrompt({ name: "review" })).rejects.toMatchObject({ code: -32602 });
    await expect(client.getPrompt({ name: "nowhere" })).rejects.toMatchObject({ code: -32602 });
  });

  it("completes arguments of prompts and templates", async () => {
    const { client } = slot;
    const style = { ref: { type: "ref/prompt", name: "review" }, argument: { name: "style", value: "h" } } as const;
    expect((await client.complete(style)).completion).toMatchObject({ values: ["harsh"], hasMore: false });
    const ref = { type: "ref/resource", uri: "note://by-id/{id}" } as const;
    const id = await client.complete({ ref, argument: { name: "id", value: "al" } });
    expect(id.completion.values).toEqual(["alpha", "alps"]);
    const nowhere = { ref: { type: "ref/prompt", name: "nowhere" }, argument: { name: "x", value: "" } } as const;
    await expect(client.complete(nowhere)).rejects.toMatchObject({ code: -32602 });
  });

  it("gets no completions for an undefined argument of any name", async () => {
    for (const name of ["unknown", "constructor", "toString", "__proto__", "hasOwnProperty"]) {
      for (const ref of [
        { type: "ref/prompt", name: "review" } as const,
        { type: "ref/resource", uri: "note://by-id/{id}" } as const,
      ]) {
        const { completion } = await slot.client.complete({ ref, argument: { name, value: "a" } });
        expect(completion.values).toEqual([]);
      }
    }
  });

  it("gets the log lines it wants", async () => {
    const lines: unknown[] = [];
    const told = new Promise<void>((resolve) => {
      slot.onLog((line) => {
        lines.push(line);
        resolve();
      });
    });
    if (isModern) {
      const _meta = { "io.modelcontextprotocol/logLevel": "info" };
      await slot.v2?.callTool({ name: "chat", arguments: {}, _meta });
    } else {
      await slot.client.setLoggingLevel("info");
      await slot.call("chat");
    }
    await within(3000, "the log line", told);
    expect(lines).toMatchObject([{ level: "warning", data: { said: "aloud" }, logger: "chatter" }]);
  });

  it("is notified of changed lists and resources if it subscribes", async () => {
    await slot.standing;
    const changed = new Promise<void>((resolve) => slot.onToolsChanged(resolve));
    const updated = new Promise<string>((resolve) => slot.onUpdated(resolve));
    const uri = "note://watched";
    const filter = { toolsListChanged: true, resourceSubscriptions: [uri] };
    const subscription = isModern ? await slot.v2?.listen(filter) : undefined;
    expect(subscription?.honoredFilter ?? filter).toMatchObject(filter);
    if (!isModern) await slot.client.subscribeResource({ uri });

    await slot.call("change_tools");
    await within(3000, "the changed list", changed);
    expect(await names(slot)).toContain("extra");
    await slot.call("change_note");
    expect(await within(3000, "the update", updated)).toBe(uri);
    await slot.call("change_tools");
    await expect.poll(() => names(slot)).not.toContain("extra");
    await subscription?.close();
  });

  it.runIf(!isModern)("pings", async () => {
    await expect(slot.client.ping()).resolves.toEqual({});
  });

  it.runIf(!isModern)("gets no notification of a resource it unsubscribed from", async () => {
    const heard: string[] = [];
    slot.onUpdated((uri) => void heard.push(uri));
    const changed = new Promise<void>((resolve) => slot.onToolsChanged(resolve));
    await slot.client.subscribeResource({ uri: "note://watched" });
    await slot.client.unsubscribeResource({ uri: "note://watched" });
    await slot.call("change_note");
    await slot.call("change_tools"); // what follows on the same stream shows that nothing was on its way
    await within(3000, "the changed list", changed);
    expect(heard).toEqual([]);
  });
});

describe.each(legacyHttp)("a session over HTTP: $name", (wire) => {
  /** Answers the client's request for a standing stream with no, so that its session counts as idle. */
  const withoutStream: Fetch = (url, init) =>
    init?.method === "GET" ? Promise.resolve(new Response(null, { status: 405 })) : fetch(url, init);

  it("ends when the client says so, and is gone", async () => {
    await using served = await listen(fixture());
    await using slot = await wire.connect(served.mcp);
    await slot.standing;
    const id = slot.http?.sessionId ?? "";
    expect(id).not.toBe("");
    await slot.http?.terminateSession();
    const headers = { "content-type": "application/json", "mcp-session-id": id };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
    const answer = await fetch(served.mcp, { method: "POST", headers, body });
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ id: 1, error: { message: "Session not found" } });
    expect((await fetch(served.mcp, { method: "DELETE", headers })).status).toBe(404);
    expect((await fetch(served.mcp, { headers: { ...headers, accept: "text/event-stream" } })).status).toBe(404);
  });

  it.each([
    ["before it said anything", "hang", { key: "silent" }],
    ["after it reported progress", "count", { to: 2 }],
  ])("cancels a call %s, and the client hears of no error", async (_, name, input) => {
    await using served = await listen(fixture());
    const answers: Promise<Response>[] = [];
    const watched: Fetch = (url, init) => {
      const answer = fetch(url, init);
      if (typeof init?.body === "string" && init.body.includes(`"name":"${name}"`)) answers.push(answer);
      if (new Headers(init?.headers).has("last-event-id")) answers.push(answer);
      return answer;
    };
    await using slot = await wire.connect(served.mcp, { fetch: watched });
    const errors: string[] = [];
    Object.assign(slot.client, { onerror: ({ message }: Error) => errors.push(message) });
    const leaving = new AbortController();
    const begun = new Promise<void>((resolve) => {
      const onprogress = name === "count" ? () => resolve() : undefined;
      void slot.call(name, input, { signal: leaving.signal, ...(onprogress && { onprogress }) }).catch(() => undefined);
    });
    await (name === "count" ? begun : slot.call("hang_seen", { key: "silent" }));
    leaving.abort();
    const [answer] = answers;
    expect((await answer)?.headers.get("content-type")).toBe("text/event-stream");
    // A client that knows the stream's last event asks for the rest once, and learns that there is none.
    if (name === "count") await expect.poll(async () => (await answers[1])?.status).toBe(405);
    expect((await slot.call("say")).content[0]?.text).toBe("hello");
    expect(errors).toEqual([]);
  });

  it("cancels what runs in it when the client ends it", async () => {
    const gateway = fixture();
    await using served = await listen(gateway);
    await using slot = await wire.connect(served.mcp);
    const hanging = slot.call("hang", { key: "end" }).catch(() => "gone");
    await slot.call("hang_seen", { key: "end" });
    await slot.http?.terminateSession();
    expect(await within(3000, "the abort", gateway.call("abort_seen", { key: "end" }))).toBe("end");
    await slot.client.close();
    expect(await hanging).toBe("gone");
  });

  it("that was idle too long is closed: 404, and a new client can connect", async () => {
    await using served = await listen(fixture(), { sessionIdleMs: 600 });
    await using slot = await wire.connect(served.mcp, { fetch: withoutStream });
    // Looking would keep it alive, so look more seldom than it lives.
    await expect.poll(() => statusOf(slot.call("say")), { interval: 1500, timeout: 30_000 }).toBe(404);
    await using again = await wire.connect(served.mcp);
    expect((await again.call("say")).content[0]?.text).toBe("hello");
  });

  it("closes an older session when there are too many, the idle first", async () => {
    await using served = await listen(fixture(), { maxSessions: 2 });
    await using idle = await wire.connect(served.mcp, { fetch: withoutStream });
    await using busy = await wire.connect(served.mcp);
    await busy.standing;
    await using newest = await wire.connect(served.mcp, { fetch: withoutStream });
    expect(await statusOf(idle.call("say"))).toBe(404);
    expect((await busy.call("say")).content[0]?.text).toBe("hello");
    expect((await newest.call("say")).content[0]?.text).toBe("hello");
  });

  it("belongs to who opened it", async () => {
    const authenticate = ({ headers }: { headers: Record<string, unknown> }) =>
      ({ kind: "token", id: String(headers["authorization"]), scopes: [] }) as const;
    await using served = await listen(fixture(), { authenticate });
    await using slot = await wire.connect(served.mcp);
    const headers = {
      "content-type": "application/json",
      "mcp-session-id": slot.http?.sessionId ?? "",
      authorization: "someone else",
    };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
    expect((await fetch(served.mcp, { method: "POST", headers, body })).status).toBe(404);
  });
});

describe.each(http)("closing the server under an official client: $name", (wire) => {
  it("cancels a call that does not end, and completes", async () => {
    const gateway: Server = fixture();
    await using served = await listen(gateway);
    await using slot = await wire.connect(served.mcp);
    await slot.standing;
    const hanging: Promise<CallResult | undefined> = slot.call("hang", { key: "close" }).catch(() => undefined);
    await slot.call("hang_seen", { key: "close" });
    await within(5000, "closing", gateway.close());
    await slot.client.close();
    expect(await within(3000, "the call", hanging)).toBeUndefined();
  });
});

const names = async ({ client, v2 }: Slot): Promise<string[]> => {
  const { tools } = v2 ? await v2.listTools(undefined, { cacheMode: "refresh" }) : await client.listTools();
  return tools.map(({ name }) => name);
};

/** The older era wraps what is no object, and may wrap what is one. */
function isPlainObject(structured: unknown, value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return typeof structured === "object" && structured !== null && !("result" in structured);
}

/** The HTTP status that a client's request failed with; 0 where it did not fail. */
async function statusOf(request: Promise<unknown>): Promise<number> {
  try {
    await request;
    return 0;
  } catch (error) {
    const { code, status, data, message } = error as {
      code?: number;
      status?: number;
      data?: { status?: number };
      message: string;
    };
    return [code, status, data?.status, Number(/\b(\d{3})\b/.exec(message)?.[1])].find((n) => Number(n) >= 400) ?? -1;
  }
}
