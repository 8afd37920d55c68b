import { expect, test } from "vitest";
import { allow, environment } from "biplane";

const hello = (seed: number) => ({
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "agent", version: "1", _extra: { session_id: "mine", seed } },
});

/** An environment whose number follows from its seed. */
function dice(mode: "simulation" | "production") {
  return environment({
    name: "dice",
    version: "1",
    start: ({ random }) => ({ number: random.random() }),
    observe: ({ number }) => ({ number }),
    tools: (tool) => ({ look: tool({ description: "Look at the dice", run: () => undefined }) }),
  }).govern({ mode, policies: [() => allow()], limits: false });
}

async function look(url: string, seed: number): Promise<unknown> {
  const post = (method: string, params: object, session?: string) =>
    fetch(`${url}/mcp`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...(session !== undefined && { "mcp-session-id": session }),
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
  const session = (await post("initialize", hello(seed))).headers.get("mcp-session-id") ?? "";
  const called = await post("tools/call", { name: "look", arguments: {} }, session);
  const { result } = (await called.json()) as { result: { content: { text: string }[]; isError?: true } };
  expect(result).not.toHaveProperty("isError");
  return result.content[0]?.text;
}

test("in production an agent does not choose the seed of its episode; in simulation Eval Protocol's client does", async () => {
  for (const mode of ["simulation", "production"] as const) {
    await using subject = dice(mode);
    const { url } = await subject.serve("http://127.0.0.1:0");
    const [first, second] = [await look(url, 7), await look(url, 7)];
    expect(first).toMatch(/\d/);
    if (mode === "simulation") expect(second).toBe(first);
    else expect(second).not.toBe(first);
  }
});

test("in production the endpoints of trainers and of single episodes do not exist", async () => {
  await using subject = dice("production");
  const { url } = await subject.serve("http://127.0.0.1:0");
  const paths = ["/reset", "/step", "/state", "/control/reward", "/control/episodes", "/e/x/mcp", "/ws"];
  for (const path of paths) {
    expect((await fetch(`${url}${path}`)).status).toBe(404);
    expect((await fetch(`${url}/env/dice${path}`, { method: "POST", body: "{}" })).status).toBe(404);
  }
});
