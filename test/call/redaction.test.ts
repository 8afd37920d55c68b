import { afterAll, beforeAll, expect, test } from "vitest";
import { environment, form, server, tool } from "biplane";
import { openSocket } from "../wire/openenv/socket.ts";

const secret = "correct-horse-battery";
const encoded = Buffer.from(`before ${secret} after`).toString("base64");

const tools = {
  tell: tool({ run: () => ({ text: `it is ${secret}`, [secret]: 1, encoded }) }),
  fail: tool({
    run: () => {
      throw new Error(`cannot log in with ${secret}`);
    },
  }),
  talk: tool({
    run: async (_, call) => {
      call.log("info", { password: secret });
      call.progress(1, { message: `using ${secret}` });
      await Promise.resolve();
      return "done";
    },
  }),
  ask: tool({
    interactive: true,
    run: async (_, call) => void (await call.ask("q", form(`Is it ${secret}?`, { type: "object" }))),
  }),
};

const seen: unknown[] = [];
const subject = server({ name: "s", version: "1", tools, secrets: { PASSWORD: secret } });
subject.watch({
  onStart: (start) => seen.push(start),
  onEnd: (end) => seen.push(end),
  onError: (end) => seen.push(end),
});
let url = "";
beforeAll(async () => {
  ({ url } = await subject.serve("http://127.0.0.1:0"));
});
afterAll(() => subject.close());

const modern = (capabilities: object = {}) => ({
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": capabilities,
  "io.modelcontextprotocol/logLevel": "debug",
  progressToken: 1,
});

test.each(Object.keys(tools))("what %s returns leaves over no protocol with the secret in it", async (name) => {
  const call = async (headers: Record<string, string>, meta?: object) => {
    const params = { name, arguments: {}, ...(meta && { _meta: meta }) };
    const response = await fetch(`${url}/mcp`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
    });
    return response.text();
  };
  const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": name };
  const texts = [
    await call({}),
    await call(headers, modern({ elicitation: {} })),
    await fetch(`${url}/mcp/execute`, { method: "POST", body: JSON.stringify({ tool: name }) }).then((response) =>
      response.text(),
    ),
  ];
  for (const text of texts) {
    expect(text).not.toContain(secret);
    const decoded = (text.match(/[\w+/]{16,}/g) ?? []).map((run) => Buffer.from(run, "base64").toString());
    expect(decoded.filter((each) => each.includes(secret))).toEqual([]);
  }
  expect(texts[1]).toContain("[REDACTED:PASSWORD]");
  expect(JSON.stringify(seen)).not.toContain(secret);
});

test("what an agent sends is redacted for those who watch, not for the tool", async () => {
  const got: unknown[] = [];
  const watched: unknown[] = [];
  const input = { type: "object", properties: { text: { type: "string" } } };
  const gateway = server({
    name: "s",
    version: "1",
    secrets: { PASSWORD: secret },
    tools: { take: tool({ input, run: ({ text }) => void got.push(text) }) },
    hooks: [{ onStart: ({ input: given }) => watched.push(given) }],
  });
  await gateway.call("take", { text: secret });
  expect([got, watched]).toEqual([[secret], [{ text: "[REDACTED:PASSWORD]" }]]);
});

test("a trainer's step is redacted like any other", async () => {
  const leaky = environment({
    name: "leaky",
    version: "1",
    secrets: { PASSWORD: secret },
    start: () => ({}),
    observe: () => ({}),
    tools: (define) => ({ tell: define({ run: () => ({ text: secret }) }) }),
  });
  const { url: address } = await leaky.serve("http://127.0.0.1:0");
  const { send, socket } = await openSocket(address);
  expect(JSON.stringify(await send({ type: "step", data: { tool_name: "tell" } }))).not.toContain(secret);
  socket.close();
  await leaky.close();
});

test("a secret too short to be distinguished from ordinary text is an error at definition", () => {
  expect(() => server({ name: "s", version: "1", secrets: { PIN: "1234" } })).toThrow(/PIN is too short/);
});
