import { expect, test } from "vitest";
import { environment } from "biplane";
import type { Principal } from "biplane";

/** A trainer by `Bearer trainer-…`, an agent by any other token. */
const authenticate = ({ headers }: { headers: { authorization?: string | undefined } }): Principal | undefined => {
  const token = /^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1];
  if (token === undefined) return undefined;
  return { kind: token.startsWith("trainer") ? "trainer" : "token", id: token, scopes: [] };
};

const counter = (maxEpisodes = 1000) =>
  environment({
    name: "counter",
    maxEpisodes,
    start: ({ random }) => ({ count: 0, secret: random.integers(0, 1_000_000) }),
    observe: ({ count }) => ({ count }),
    tools: (tool) => ({ add: tool({ run: (_, { state }) => void state.count++ }) }),
    reward: ({ after }) => after.count,
    status: () => ({ terminated: false, truncated: false }),
  });

function client(url: string, token: string) {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", accept: "application/json" };
  const post = async (body: object, session?: string) => {
    const more = session === undefined ? {} : { "mcp-session-id": session };
    const response = await fetch(`${url}/mcp`, {
      method: "POST",
      headers: { ...headers, accept: "application/json, text/event-stream", ...more },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...body }),
    });
    const text = await response.text();
    const data = /^data: (.*)$/m.exec(text)?.[1] ?? text;
    return { id: response.headers.get("mcp-session-id") ?? "", message: JSON.parse(data || "{}") as Message };
  };
  return {
    open: (extra?: object) =>
      post({
        method: "initialize",
        params: {
          protocolVersion: "2025-06-18",
          capabilities: {},
          clientInfo: { name: "c", version: "1", ...(extra && { _extra: extra }) },
        },
      }),
    add: (session: string) => post({ method: "tools/call", params: { name: "add", arguments: {} } }, session),
    reward: (name: string) =>
      fetch(`${url}/control/reward`, { headers: { ...headers, "mcp-session-id": name } }).then(
        async (response) => (await response.json()) as { reward?: number },
      ),
  };
}

interface Message {
  readonly result?: { readonly isError?: boolean };
  readonly error?: { readonly code: number; readonly message: string };
}

test("an agent cannot choose seed, config or name by clientInfo, and a trainer can", async () => {
  await using subject = counter();
  const { url } = await subject.serve({ url: "http://127.0.0.1:0", authenticate });
  for (const extra of [{ seed: 1 }, { config: {} }, { session_id: "r-1" }]) {
    const { message, id } = await client(url, "agent").open(extra);
    expect(message.error?.message).toContain("for trainers");
    expect(id).toBe("");
  }
  expect((await client(url, "agent").open()).message.error).toBeUndefined();
  expect((await client(url, "trainer-a").open({ seed: 1, session_id: "r-1" })).message.error).toBeUndefined();
});

test("a name that one trainer uses is not given to another, so each reads the reward of its own rollout", async () => {
  await using subject = counter();
  const { url } = await subject.serve({ url: "http://127.0.0.1:0", authenticate });
  const [first, second] = [client(url, "trainer-a"), client(url, "trainer-b")];
  const { id } = await first.open({ session_id: "r-1" });
  await first.add(id);
  expect((await second.open({ session_id: "r-1" })).message.error?.message).toContain("Another caller uses");
  expect(await first.reward("r-1")).toMatchObject({ reward: 1 });
  // Its own caller may start the rollout again.
  expect((await first.open({ session_id: "r-1" })).message.error).toBeUndefined();
  expect(await first.reward("r-1")).toMatchObject({ reward: 0 });
});

test("one agent holds at most a tenth of the episodes, and a trainer as many as there are", async () => {
  await using subject = counter(50);
  const { url } = await subject.serve({ url: "http://127.0.0.1:0", authenticate });
  const agent = client(url, "agent");
  const outcomes: boolean[] = [];
  for (let at = 0; at < 8; at++) {
    const { message } = await agent.add((await agent.open()).id);
    outcomes.push(message.error === undefined);
  }
  expect(outcomes).toEqual([true, true, true, true, true, false, false, false]);
  const other = client(url, "other");
  expect((await other.add((await other.open()).id)).message.error).toBeUndefined();
  const trainer = client(url, "trainer-a");
  for (let at = 0; at < 44; at++) expect((await trainer.add((await trainer.open()).id)).message.error).toBeUndefined();
  expect((await trainer.add((await trainer.open()).id)).message.error?.message).toContain("All 50 episodes");
});
