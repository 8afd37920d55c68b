import { Agent } from "node:http";
import * as fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { server, tool } from "biplane";
import { Child } from "../support/child.ts";
import { collectFaults } from "../support/faults.ts";
import type { Faults } from "../support/faults.ts";
import { fixture } from "../support/fixture.ts";
import { exchange, firstData, open, upgradeRequest } from "../support/raw-http.ts";
import type { Answered } from "../support/raw-http.ts";
import { bytes, dueFor, dueForMessage, faultIn, junk, nested } from "../support/rpc-fuzz.ts";
import { limit, runs } from "../support/runs.ts";
import { listen, modern, post } from "../support/serving.ts";
import type { Served } from "../support/serving.ts";
import { Socketed } from "../support/socketed.ts";
import { patienceMs, within } from "../support/within.ts";
import { isRecord } from "@biplane/core/internal";

const say = (id: string) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name: "say", arguments: { word: "still here" } },
});

describe("over HTTP, whatever comes", () => {
  let faults: Faults;
  let served: Served;
  const reported: unknown[] = [];
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });

  beforeAll(async () => {
    faults = collectFaults();
    served = await listen(fixture({ onFault: (fault, where) => void reported.push([where, fault]) }), {
      maxBodyBytes: 2_000_000,
    });
  });
  beforeEach(() => {
    faults.seen.length = 0;
    reported.length = 0;
  });
  afterAll(async () => {
    agent.destroy();
    await served[Symbol.asyncDispose]();
    await faults[Symbol.asyncDispose]();
  });

  const send = (body: Buffer | string, options: { path?: string; headers?: Record<string, string> } = {}) =>
    exchange(served.port, body, { agent, ...options });

  async function expectUnharmed(): Promise<void> {
    expect([...(await faults.settled()), ...reported]).toEqual([]);
    expect((await post(served.mcp, say("after"))).json).toMatchObject({
      id: "after",
      result: { content: [{ text: "still here" }] },
    });
  }

  it(
    "POST /mcp answers with a sound message, the right id and a fitting status",
    { timeout: limit(20_000) },
    async () => {
      const property = fc.asyncProperty(bytes, headerHabits, async (body, habit) => {
        faults.seen.length = 0;
        reported.length = 0;
        const answer = await send(body, { headers: headersFor(body, habit) }).catch((error: unknown) => error);
        expect([...(await faults.settled()), ...reported]).toEqual([]);
        expect(complaintAbout(body.toString(), answer as Answered)).toBeUndefined();
      });
      await fc.assert(property, runs(600));
      await expectUnharmed();
    },
  );

  it("POST /mcp/execute answers with a result or an error in words", { timeout: limit(20_000) }, async () => {
    const order = fc.record(
      {
        tool: fc.oneof(fc.constantFrom("say", "add", "fail", "slow", "greet", "picture"), junk),
        arguments: fc.oneof(fc.constantFrom<unknown>({ word: "hi" }, { a: 1, b: 2 }, {}), junk),
        agent: fc.oneof(fc.record({ agent_id: junk, model: junk, metadata: junk, request_id: junk }), junk),
        extra: junk,
      },
      { requiredKeys: [] },
    );
    const body = fc.oneof(
      { weight: 3, arbitrary: order.map((value) => Buffer.from(JSON.stringify(value))) },
      { weight: 1, arbitrary: bytes },
    );
    const property = fc.asyncProperty(body, async (body) => {
      const answer = await send(body, { path: "/mcp/execute" });
      expect(complaintAboutExecute(answer)).toBeUndefined();
    });
    await fc.assert(property, runs(400));
    await expectUnharmed();
  });

  it.each([
    ["/mcp", 129, 400],
    ["/mcp", 5000, 400],
    ["/mcp", 100_000, 400],
    ["/mcp/execute", 129, 400],
    ["/mcp/execute", 100_000, 400],
  ])("%s refuses what nests %i levels deep with %i", async (path, levels, status) => {
    for (const kind of ["lists", "objects"] as const) {
      for (const text of [nested(levels, kind), nested(levels, kind).slice(0, levels)]) {
        expect((await send(text, { path })).status).toBe(status);
      }
    }
    await expectUnharmed();
  });

  it("takes what nests a hundred levels deep, and any number of brackets inside a string", async () => {
    expect(JSON.parse((await send(nested(100, "lists"))).text)).toMatchObject({
      id: "deep",
      result: { isError: true },
    });
    for (const word of ["[".repeat(10_000), `${"{[\\".repeat(500)}"`, '\\"['.repeat(300)]) {
      const body = JSON.stringify({ ...say("flat"), params: { name: "say", arguments: { word } } });
      expect(JSON.parse((await send(body)).text)).toMatchObject({ id: "flat", result: { content: [{ text: word }] } });
    }
  });

  it.each(["name", "uri", "taskId"])("survives a %s that cannot be turned into text", async (key) => {
    const [method, params] = {
      name: ["tools/call", { arguments: {} }] as const,
      uri: ["resources/read", {}] as const,
      taskId: ["tasks/get", {}] as const,
    }[key] ?? ["", {}];
    const { headers, meta } = modern(method);
    const capabilities = { extensions: { "io.modelcontextprotocol/tasks": {} } };
    const _meta = { ...meta, "io.modelcontextprotocol/clientCapabilities": capabilities };
    const odd = { toString: 1, valueOf: 1 };
    const body = { jsonrpc: "2.0", id: 1, method, params: { ...params, [key]: odd, _meta } };
    const answer = await send(JSON.stringify(body), { headers }).catch((error: unknown) => error);
    expect(await faults.settled()).toEqual([]);
    expect(answer).toMatchObject({ text: expect.stringContaining('"code":-32602') as unknown });
    await expectUnharmed();
  });

  it("survives completion arguments that cannot be turned into text", async () => {
    const params = {
      ref: { type: "ref/prompt", name: "review" },
      argument: { name: "style", value: "k" },
      context: { arguments: { code: { toString: 1, valueOf: 1 } } },
    };
    const answer = await send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "completion/complete", params }));
    expect(faultIn(JSON.parse(answer.text))).toBeUndefined();
    await expectUnharmed();
  });

  it("leaves Object.prototype alone", async () => {
    const property = fc.asyncProperty(junk, async (value) => {
      await send(
        JSON.stringify({ ...say("p"), params: { name: "say", arguments: value, _meta: value, __proto__: value } }),
      );
      expect(Object.keys(Object.prototype)).toEqual([]);
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    });
    await fc.assert(property, runs(50));
    await expectUnharmed();
  });

  it("answers every entry of a batch that has an answer coming, in the one revision that has batches", async () => {
    const params = { protocolVersion: "2025-03-26", capabilities: {}, clientInfo: { name: "old", version: "1" } };
    const hello = await post(served.mcp, { jsonrpc: "2.0", id: 0, method: "initialize", params });
    const headers = { "mcp-session-id": hello.headers.get("mcp-session-id") ?? "" };
    const entry = fc.oneof(
      fc.nat().map((id) => say(`b${id}`)),
      fc.nat().map((id) => ({ jsonrpc: "2.0", id, method: "ping", params: 7 })),
      fc.nat().map((id) => ({ id, method: "ping" })),
      fc.constant({ jsonrpc: "2.0", method: "notifications/initialized" }),
      junk,
    );
    const property = fc.asyncProperty(fc.array(entry, { minLength: 1, maxLength: 6 }), async (entries) => {
      const answer = await send(JSON.stringify(entries), { headers });
      const due = (JSON.parse(JSON.stringify(entries)) as unknown[]).map(dueForMessage);
      const ids = due.flatMap((one) => (one.answer === "one" ? [one.id] : []));
      const answers = answer.text === "" ? [] : (JSON.parse(answer.text) as { id: unknown }[]);
      for (const each of answers) expect(faultIn(each)).toBeUndefined();
      expect(answers.map(({ id }) => String(id)).toSorted()).toEqual(ids.map(String).toSorted());
    });
    await fc.assert(property, runs(60));
    for (const empty of ["[]", JSON.stringify(Array.from({ length: 101 }, () => say("x")))]) {
      expect((await send(empty, { headers })).status).toBe(400);
    }
    await expectUnharmed();
  });

  it("refuses a batch elsewhere", async () => {
    const answer = await send(JSON.stringify([say("a"), say("b")]));
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.text)).toMatchObject({ id: null, error: { code: -32600 } });
  });

  it("serves clients that offer to speak HTTP/2 in the clear, as Java's do", async () => {
    const upgrade = { connection: "Upgrade, HTTP2-Settings", upgrade: "h2c", "http2-settings": "AAEAAEAAAAIAAAAB" };
    const answer = await exchange(served.port, JSON.stringify(say("java")), { headers: upgrade });
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text)).toMatchObject({ id: "java", result: {} });
  });

  it.each([
    ["no HTTP at all", "\x16\x03\x01\x02\x00\x01\x00"],
    ["an unknown method", "BREW /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"],
    ["no Host", "POST /mcp HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}"],
    ["a Host that is not ours", "POST /mcp HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 2\r\n\r\n{}"],
    ["two lengths", "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}"],
    ["a negative length", "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -2\r\n\r\n{}"],
    [
      "a length and chunks",
      "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}",
    ],
    ["a broken chunk", "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n"],
    ["a giant header", `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ${"x".repeat(40_000)}\r\n\r\n`],
    ["NUL in a header", "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nX: a\0b\r\n\r\n"],
    ["an odd path", "GET /mcp/../../etc/passwd HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"],
    ["an odd upgrade", "GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"],
    ["an upgrade elsewhere", "GET /x HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"],
  ])("answers %s with an error of HTTP", async (_, raw) => {
    const socket = await open(served.port);
    socket.write(raw, "latin1");
    const answer = await within(patienceMs, "the answer", firstData(socket));
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
    socket.destroy();
    await expectUnharmed();
  });

  it("answers each of several requests sent in one go", async () => {
    const socket = await open(served.port);
    const one = (id: string) => {
      const body = JSON.stringify(say(id));
      return `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    };
    let text = "";
    const both = new Promise<void>((resolve) => {
      socket.on("data", (chunk: Buffer) => {
        text += chunk.toString();
        if (text.includes('"id":"p2"')) resolve();
      });
    });
    socket.write(one("p1") + one("p2"));
    await within(patienceMs, "both answers", both);
    expect(text.indexOf('"id":"p1"')).toBeLessThan(text.indexOf('"id":"p2"'));
    socket.destroy();
  });
});

describe("near the limit of a body's size", () => {
  const maxBodyBytes = 4096;

  it.each(["/mcp", "/mcp/execute"])("%s takes what fits to the byte and refuses what does not", async (path) => {
    await using served = await listen(fixture(), { maxBodyBytes });
    const sized = (size: number, letter: string) => {
      const order = (word: string) =>
        path === "/mcp"
          ? { ...say("big"), params: { name: "say", arguments: { word } } }
          : { tool: "say", arguments: { word } };
      const room = size - Buffer.byteLength(JSON.stringify(order("")));
      const width = Buffer.byteLength(letter);
      return JSON.stringify(order(letter.repeat(Math.floor(room / width)) + "x".repeat(room % width)));
    };
    for (const letter of ["x", "ü", "𝄞"]) {
      for (const chunked of [false, true]) {
        for (const [size, status] of [
          [maxBodyBytes - 1, 200],
          [maxBodyBytes, 200],
          [maxBodyBytes + 1, 413],
          [maxBodyBytes * 20, 413],
        ] as const) {
          const body = sized(size, letter);
          expect(Buffer.byteLength(body)).toBe(size);
          const answer = await exchange(served.port, body, { path, chunked });
          expect([size, chunked, answer.status]).toEqual([size, chunked, status]);
        }
      }
    }
    expect((await post(served.mcp, say("after"))).status).toBe(200);
  });

  it("a body that is announced too large is refused before it is sent", async () => {
    await using served = await listen(fixture(), { maxBodyBytes });
    const socket = await open(served.port);
    socket.write(
      "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 99999999999\r\n\r\n",
    );
    expect(await within(patienceMs, "the refusal", firstData(socket))).toMatch(/^HTTP\/1\.1 413 /);
    socket.destroy();
  });
});

describe("over a WebSocket, whatever comes", () => {
  it("every request gets its answer, and the connection goes on", { timeout: limit(20_000) }, async () => {
    await using faults = collectFaults();
    const reported: unknown[] = [];
    await using served = await listen(fixture({ onFault: (fault) => void reported.push(fault) }));
    const socket = await Socketed.open(served.socket);
    const property = fc.asyncProperty(bytes, fc.boolean(), async (body, binary) => {
      const text = body.toString();
      // A text frame must be UTF-8, or the WebSocket protocol itself ends the connection.
      await socket.mailbox.settle(text, (probe) => {
        socket.send(binary ? body : text);
        socket.send(probe);
      });
    });
    await fc.assert(property, runs(400));
    socket.send(JSON.stringify(say("after")));
    expect(await socket.mailbox.take("after")).toMatchObject({ result: { content: [{ text: "still here" }] } });
    socket.close();
    expect(await faults.settled()).toEqual([]);
    expect(reported).toEqual([]);
  });

  it.each([129, 100_000])("refuses what nests %i levels deep", async (levels) => {
    await using served = await listen(fixture());
    const socket = await Socketed.open(served.socket);
    socket.send(nested(levels, "objects"));
    expect(await socket.mailbox.take("deep")).toMatchObject({ error: { code: -32600 } });
    socket.close();
  });

  it("a frame that is too large or not UTF-8 ends its own connection and no other", async () => {
    await using served = await listen(fixture(), { maxBodyBytes: 4096 });
    const other = await Socketed.open(served.socket);
    const large = await Socketed.open(served.socket);
    large.send("x".repeat(5000));
    expect(await within(patienceMs, "the close", large.closed)).toBe(1009);
    const spoilt = await Socketed.open(served.socket);
    spoilt.sendText(Buffer.from([0xff, 0xfe, 0xc0]));
    expect(await within(patienceMs, "the close", spoilt.closed)).toBe(1007);
    other.send(JSON.stringify(say("other")));
    expect(await other.mailbox.take("other")).toMatchObject({ result: {} });
    other.close();
  });

  it("an id that is in use is refused, and the first call still gets its answer", async () => {
    await using served = await listen(fixture());
    const socket = await Socketed.open(served.socket);
    const call = (id: string, name: string, input: object) =>
      socket.send(JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: input } }));
    call("twin", "hang_seen", { key: "w" });
    call("twin", "say", {});
    expect(await socket.mailbox.take("twin")).toMatchObject({ error: { code: -32600 } });
    call("h", "hang", { key: "w" });
    expect(await socket.mailbox.take("twin")).toMatchObject({ result: { content: [{ text: "w" }] } });
    socket.close();
  });
});

describe("over standard streams, whatever comes", () => {
  let child: Child;
  beforeAll(async () => {
    child = await Child.start({ MAX_BODY_BYTES: "300000" });
  });
  afterAll(() => child.kill());

  it(
    "every line that asks something gets its answer, and the process goes on",
    { timeout: limit(20_000) },
    async () => {
      const property = fc.asyncProperty(bytes, fc.constantFrom("\n", "\r\n", "\n\n  \n"), async (body, ending) => {
        await child.mailbox.settle(body.toString(), (probe) =>
          child.write(Buffer.concat([body, Buffer.from(`${ending}${probe}\n`)])),
        );
      });
      await fc.assert(property, runs(400));
      child.write(`${JSON.stringify(say("after"))}\n`);
      expect(await child.mailbox.take("after")).toMatchObject({ result: { content: [{ text: "still here" }] } });
    },
  );

  it("a line may arrive in pieces of any size, cut anywhere", async () => {
    const cuts = fc.array(fc.nat(), { maxLength: 6 });
    let count = 0;
    const property = fc.asyncProperty(cuts, fc.constantFrom("plain", "ünï", "𝄞𝄞"), async (cuts, word) => {
      const id = `piece ${count++}`;
      const line = Buffer.from(`${JSON.stringify({ ...say(id), params: { name: "say", arguments: { word } } })}\n`);
      const at = [0, ...cuts.map((cut) => cut % line.length).toSorted((a, b) => a - b), line.length];
      for (const [index, from] of at.entries()) child.write(line.subarray(from, at[index + 1] ?? line.length));
      expect(await child.mailbox.take(id)).toMatchObject({ result: { content: [{ text: word }] } });
    });
    await fc.assert(property, runs(40));
  });

  it("several lines may arrive at once", async () => {
    const ids = Array.from({ length: 50 }, (_, index) => `line ${index}`);
    child.write(ids.map((id) => `${JSON.stringify(say(id))}\n`).join(""));
    for (const id of ids) expect(await child.mailbox.take(id)).toMatchObject({ result: {} });
  });

  it.each([129, 40_000])("refuses what nests %i levels deep", async (levels) => {
    child.write(`${nested(levels, "objects")}\n`);
    expect(await child.mailbox.take("deep")).toMatchObject({ error: { code: -32600 } });
  });

  it("a line that is too long is refused once, and the next one is read", async () => {
    child.write("x".repeat(200_000));
    child.write("x".repeat(200_000));
    child.write(`${"x".repeat(1_000_000)}\n${JSON.stringify(say("next"))}\n`);
    expect(await child.mailbox.take(null)).toMatchObject({ error: { code: -32700 } });
    expect(await child.mailbox.take("next")).toMatchObject({ result: {} });
  });

  it("half a line at the end of the input is answered, and the process ends by itself", async () => {
    const short = await Child.start({});
    short.write(`${JSON.stringify(say("whole"))}\n${JSON.stringify(say("last"))}`);
    short.end();
    expect(await short.mailbox.take("last")).toMatchObject({ result: {} });
    expect(await within(5000, "the end of the process", short.exit)).toBe(0);
  });
});

describe("clients that stall", () => {
  const half: Record<string, string> = {
    "half a request line": "POST /mc",
    "half its headers": "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Ty",
    "half its body":
      'POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{"jsonrpc"',
    "half a body to execute": 'POST /mcp/execute HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 500\r\n\r\n{"tool"',
    "half a chunk":
      "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n{",
    "nothing at all": "",
    "an upgrade, and then half a frame": `${upgradeRequest("/mcp")}\x81\xfe\x01`,
    "an upgrade, and then nothing": upgradeRequest("/mcp"),
    "an upgrade that is refused, and never hangs up": upgradeRequest("/nowhere"),
    "what is no HTTP, and never hangs up": "\x16\x03\x01\r\n\r\n",
    "a stream it never reads": "GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n",
  };

  it.each(Object.entries(half))("do not hold up others, nor the closing of the server: %s", async (_, raw) => {
    await using faults = collectFaults();
    const gateway = fixture();
    const served = await listen(gateway, { graceMs: 50 });
    const stalled = await Promise.all(Array.from({ length: 5 }, () => open(served.port, { allowHalfOpen: true })));
    for (const socket of stalled) {
      socket.pause();
      await new Promise<unknown>((resolve) => socket.write(raw, "latin1", resolve));
    }
    expect((await post(served.mcp, say("other"))).status).toBe(200);
    try {
      await within(patienceMs, "closing", gateway.close());
    } finally {
      for (const socket of stalled) socket.destroy();
      await served.listening.closed;
    }
    expect(await faults.settled()).toEqual([]);
  });

  it("and leave in the middle of a call have it cancelled, where no session keeps it", async () => {
    const gateway = fixture();
    await using served = await listen(gateway);
    for (const [path, body] of [
      ["/mcp/execute", { tool: "hang", arguments: { key: "left" } }],
      ["/mcp", { ...say("h"), params: { name: "hang", arguments: { key: "left" } } }],
    ] as const) {
      const socket = await open(served.port);
      const text = JSON.stringify(body);
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
      );
      await gateway.call("hang_seen", { key: "left" });
      socket.destroy();
      expect(await within(patienceMs, "the abort", gateway.call("abort_seen", { key: "left" }))).toBe("left");
    }
  });
});

describe("a mistake in a tool's x-mcp-header", () => {
  it("is an error at definition or in a response, and never ends the process", async () => {
    await using faults = collectFaults();
    const told = await callOdd().catch((error: unknown) => error);
    expect(await faults.settled()).toEqual([]);
    expect(told).toSatisfy((it: { code?: string; id?: number }) => it.code === "INVALID_DEFINITION" || it.id === 1);
  });

  async function callOdd(): Promise<unknown> {
    const input = { type: "object", properties: { region: { type: "string", "x-mcp-header": "not a header" } } };
    const odd = tool({ input, run: () => "ok" });
    const gateway = server({ name: "s", version: "1", limits: false, onFault: () => undefined, tools: { odd } });
    await using served = await listen(gateway);
    const { headers, meta } = modern("tools/call", "odd");
    const params = { name: "odd", arguments: {}, _meta: meta };
    return (await post(served.mcp, { jsonrpc: "2.0", id: 1, method: "tools/call", params }, { headers })).json;
  }
});

/** What is wrong with an answer to what was sent, or undefined. */
function complaintAbout(sent: string, answer: Answered): string | undefined {
  const { status, headers, text } = answer;
  const due = dueFor(sent);
  if (status === 202) return text === "" && due.answer !== "one" ? undefined : "a request was taken for a notification";
  if (status === 403) return undefined; // an Origin that is not ours; the guard is no part of MCP
  if (![200, 400, 404, 406, 413, 415, 503].includes(status)) return `the status is ${status}`;
  const isStream = headers["content-type"] === "text/event-stream";
  const message: unknown = JSON.parse(isStream ? (/data: (.*)\n\n$/.exec(text)?.[1] ?? "") : text);
  const fault = faultIn(message);
  if (fault) return `${fault}: ${text}`;
  const { id, result } = message as { id: unknown; result?: unknown };
  if (result !== undefined && (status !== 200 || due.answer !== "one")) return "there is a result where none is due";
  const expected = due.answer === "one" ? due.id : null;
  const isRight = id === expected || (result === undefined && id === null);
  return isRight ? undefined : `the id is ${String(id)}, not ${String(expected)}`;
}

function complaintAboutExecute({ status, headers, text }: Answered): string | undefined {
  if (![200, 400, 404, 500, 501, 504].includes(status)) return `the status is ${status}`;
  if (headers["content-type"] !== "application/json") return `the type is ${headers["content-type"]}`;
  const answer = JSON.parse(text) as Record<string, unknown>;
  const keys = Object.keys(answer).join(" ");
  if (status === 200) return keys === "result request_id" ? undefined : `a result has ${keys}`;
  if (keys !== "error message") return `an error has ${keys}`;
  return answer["error"] === "INTERNAL" ? "something broke inside" : undefined;
}

/** How a client fills in its headers: as it should, not at all, or with junk. */
const headerHabits = fc.record({
  matching: fc.integer({ min: 0, max: 3 }).map((n) => n > 0),
  accept: fc.constantFrom(undefined, "application/json, text/event-stream", "*/*", ";;q="),
  odd: fc.dictionary(
    fc.constantFrom(
      "mcp-protocol-version",
      "mcp-method",
      "mcp-name",
      "mcp-session-id",
      "mcp-param-region",
      "content-type",
      "last-event-id",
      "origin",
    ),
    fc.oneof(
      fc.constantFrom("", "2025-06-18", "2026-07-28", "=?base64?!!?=", "application/json;charset=x"),
      fc.base64String(),
    ),
    { maxKeys: 2, noNullPrototype: true },
  ),
});

type HeaderHabit = typeof headerHabits extends fc.Arbitrary<infer T> ? T : never;

function headersFor(body: Buffer, { matching, accept, odd }: HeaderHabit): Record<string, string> {
  const headers: Record<string, string> = { ...(accept !== undefined && { accept }) };
  if (matching) Object.assign(headers, matchingHeaders(body));
  return { ...headers, ...odd };
}

/** What an honest client of the modern era would repeat in headers. */
function matchingHeaders(body: Buffer): Record<string, string> {
  let message: unknown;
  try {
    message = JSON.parse(body.toString());
  } catch {
    return {};
  }
  if (!isRecord(message) || !isRecord(message["params"]) || !isRecord(message["params"]["_meta"])) return {};
  const { method, params } = message as { method: unknown; params: Record<string, unknown> };
  const version = (params["_meta"] as Record<string, unknown>)["io.modelcontextprotocol/protocolVersion"];
  const name = params["name"] ?? params["uri"] ?? params["taskId"];
  const all = { "mcp-protocol-version": version, "mcp-method": method, "mcp-name": name };
  const sendable = Object.entries(all).filter(([, value]) => typeof value === "string" && /^[!-~ ]*$/.test(value));
  return Object.fromEntries(sendable) as Record<string, string>;
}
