import { serverOf } from "@biplane/core/internal";
import { describe, expect, test } from "vitest";
import { connect } from "biplane/client";
import { app, reply, server, tool } from "biplane";
import type { CallEnd } from "biplane";
import { LiveCall } from "../../packages/core/src/call/live-call.ts";
import type { Route } from "../../packages/core/src/tool/call.ts";

const html = "<!doctype html><p>board</p>";
const page = app({ html, name: "board", csp: { connectDomains: ["https://api.example.com"] }, prefersBorder: true });

function games() {
  return server({
    name: "games",
    version: "1.0.0",
    tools: [
      tool({
        name: "look",
        description: "Shows the board",
        ui: page,
        run: (_, call) => (call.showsApps ? reply([], { structured: { at: 3 } }) : "The board, in words"),
      }),
      tool({ name: "roll", description: "Only the page's button", ui: { visibility: ["app"] }, run: () => 4 }),
      tool({ name: "think", description: "Only the model", ui: { visibility: ["model"] }, run: () => "hm" }),
      tool({ name: "wave", description: "Has nothing to do with it", run: () => "o/" }),
    ],
  });
}

const eras = ["modern", "legacy"] as const;

describe.each(eras)("in the %s era", (era) => {
  test("a client that shows apps gets the page's URI, under the current and the former key", async () => {
    await using client = await connect(games(), { era, apps: true });
    expect(client.capabilities["extensions"]).toHaveProperty("io.modelcontextprotocol/ui", {});
    const [look, roll, think, wave] = await client.listTools();
    expect(look?._meta).toEqual({ ui: { resourceUri: page.uri }, "ui/resourceUri": page.uri });
    expect(roll?._meta).toEqual({ ui: { visibility: ["app"] } });
    expect(think?._meta).toEqual({ ui: { visibility: ["model"] } });
    expect(wave).not.toHaveProperty("_meta");
    const ui = { csp: { connectDomains: ["https://api.example.com"] }, prefersBorder: true };
    expect(await client.listResources()).toMatchObject([
      { uri: page.uri, mimeType: "text/html;profile=mcp-app", size: html.length, _meta: { ui } },
    ]);
    const { contents } = await client.readResource(page.uri);
    expect(contents).toEqual([{ uri: page.uri, mimeType: "text/html;profile=mcp-app", text: html, _meta: { ui } }]);
  });

  test("other clients get text, and no tool that is only for pages", async () => {
    await using client = await connect(games(), { era });
    const tools = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["look", "think", "wave"]);
    expect(tools.every((each) => !("_meta" in each))).toBe(true);
    expect(await client.listResources()).toEqual([]);
    expect((await client.callTool("look")).content).toEqual([{ type: "text", text: "The board, in words" }]);
    await expect(client.callTool("roll")).rejects.toThrow("Unknown tool: roll");
  });

  test("the page's data is also text for the model", async () => {
    await using client = await connect(games(), { era, apps: true });
    const looked = await client.callTool("look");
    expect(looked).toMatchObject({ content: [{ type: "text", text: '{"at":3}' }], structuredContent: { at: 3 } });
    expect(await client.callTool("roll")).toMatchObject({ content: [{ type: "text", text: "4" }] });
  });

  test("a server without pages does not declare the extension", async () => {
    await using client = await connect(server({ name: "plain", version: "1" }), { era, apps: true });
    expect(client.capabilities["extensions"] ?? {}).not.toHaveProperty("io.modelcontextprotocol/ui");
  });
});

test("a self-declared extension without the type of page counts for nothing", async () => {
  const capabilities = { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html"] } } };
  await using client = await connect(games(), { capabilities });
  expect((await client.listTools()).map(({ name }) => name)).toEqual(["look", "think", "wave"]);
});

describe("who may call what", () => {
  const cases: [Route, string, string][] = [
    ["app", "look", "done"],
    ["app", "roll", "done"],
    ["app", "wave", "done"],
    ["app", "think", "POLICY_DENIED"],
    ["mcp", "roll", "TOOL_NOT_FOUND"],
    ["execute", "roll", "TOOL_NOT_FOUND"],
    ["step", "roll", "TOOL_NOT_FOUND"],
    ["code", "roll", "TOOL_NOT_FOUND"],
    ["script", "roll", "TOOL_NOT_FOUND"],
    ["people", "roll", "done"],
    ["direct", "roll", "done"],
    ["mcp", "think", "done"],
    ["code", "think", "done"],
  ];
  test.each(cases)("by %s, %s: %s", async (route, name, expected) => {
    const agent = { agentId: "a", model: undefined, requestId: "1", metadata: {} };
    const principal = { kind: "local", id: "local", scopes: [] } as const;
    const outcome = await serverOf(games()).perform(new LiveCall({ tool: name, input: {}, route, agent, principal }));
    expect(outcome.status === "failed" ? outcome.error.code : outcome.status).toBe(expected);
  });

  test("policies, limits, hooks and redaction see calls of a page as they see others", async () => {
    const seen: CallEnd[] = [];
    const secret = "s3cret-value-of-the-gateway";
    const gateway = server({
      name: "gateway",
      version: "1",
      secrets: { KEY: secret },
      hooks: [{ onEnd: (end) => seen.push(end) }],
      tools: [
        tool({
          name: "tell",
          description: "Tells",
          ui: page,
          run: () => reply([], { structured: { key: secret }, meta: { key: secret } }),
        }),
      ],
    });
    gateway.policy((_, __, ___, { route }) =>
      route === "app" ? { verdict: "allow" } : { verdict: "deny", reason: "no" },
    );
    await expect(gateway.call("tell")).rejects.toThrow("no");
    expect(JSON.stringify(await gateway.call("tell", {}, { route: "app" }))).not.toContain(secret);
    expect(seen).toMatchObject([{ tool: "tell", route: "app" }]);
    expect(JSON.stringify(seen)).not.toContain(secret);
  });
});

describe("mounted", () => {
  test("a page comes with its tool, also from a remote server and if it is not listed", async () => {
    await using listening = await games().serve("http://127.0.0.1:0");
    await using front = server({ name: "front", version: "1" });
    await front.mount("games", `${listening.url}/mcp`);
    await using client = await connect(front, { apps: true });
    const look = (await client.listTools()).find(({ name }) => name === "look");
    expect(look?._meta).toEqual({ ui: { resourceUri: page.uri }, "ui/resourceUri": page.uri });
    expect((await client.readResource(page.uri)).contents[0]).toMatchObject({ text: html });
    await using plain = await connect(front);
    expect((await plain.listTools()).map(({ name }) => name)).toEqual(["look", "think", "wave"]);
  });

  test("two servers with the same URI for different pages are kept apart", async () => {
    const named = (name: string) => {
      const uri = "ui://same/page.html";
      const mine = { name: "page", uri, mimeType: "text/html;profile=mcp-app" };
      return server({
        name,
        version: "1",
        tools: [
          tool({ name: `show_${name}`, description: "Shows", meta: { ui: { resourceUri: uri } }, run: () => name }),
        ],
        resources: [{ ...blank, ...mine, read: () => `<p>${name}</p>` }],
      });
    };
    const front = server({ name: "front", version: "1" }).mount("a", named("a")).mount("b", named("b"));
    await using client = await connect(front, { apps: true });
    for (const tool of await client.listTools()) {
      const { resourceUri } = (tool._meta as { ui: { resourceUri: string } }).ui;
      expect((await client.readResource(resourceUri)).contents).toMatchObject([
        { uri: resourceUri, text: `<p>${tool.name.slice(5)}</p>` },
      ]);
    }
  });

  test("a page leaves with the last tool that has it", () => {
    const [one, other] = ["one", "other"].map((name) => tool({ name, description: "x", ui: page, run: () => 1 }));
    const shared = server({ name: "s", version: "1", tools: [one, other].flatMap((each) => each ?? []) });
    expect([...shared.resources]).toHaveLength(1);
    if (one) shared.remove(one);
    expect([...shared.resources]).toHaveLength(1);
    if (other) shared.remove(other);
    expect([...shared.resources]).toHaveLength(0);
  });
});

const blank = {
  template: undefined,
  title: undefined,
  description: undefined,
  size: undefined,
  icons: undefined,
  meta: undefined,
  complete: {},
};
