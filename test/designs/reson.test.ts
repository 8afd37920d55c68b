import { describe, expect, test } from "vitest";
import { app, server, tool } from "biplane";
import type { Server } from "biplane";
import { methods, uiUri } from "biplane/apps/bridge";
import type { SandboxResource, ViewRequests } from "biplane/apps/bridge";
import { AppRegistry } from "biplane/apps/registry";
import { connect } from "biplane/client";

const html = "<!doctype html><title>Poll</title><p>Vote</p>";
const page = app({ html, name: "poll" });

/** A server with a plain tool and one with a page. */
const polls = (): Server =>
  server({
    name: "polls",
    version: "1.0.0",
    tools: [
      tool({
        name: "echo",
        input: { type: "object", properties: { text: { type: "string" } } },
        run: ({ text }) => text,
      }),
      tool({ name: "show_poll", description: "Shows a poll", ui: page, run: () => ({ votes: 3 }) }),
    ],
  });

describe("a client", () => {
  test.each([
    ["HTTP", "http://127.0.0.1:0"],
    ["WebSocket", "ws://127.0.0.1:0"],
  ])("calls tools over %s, of a server that one serve() put there", async (_, address) => {
    await using subject = polls();
    const { url } = await subject.serve(address);
    await using client = await connect(`${url}/mcp`);
    expect((await client.listTools()).map(({ name }) => name)).toEqual(["echo", "show_poll"]);
    expect((await client.callTool("echo", { text: "hi" })).content).toEqual([{ type: "text", text: "hi" }]);
  });
});

test("a tool that is added while the server runs can be called", async () => {
  await using subject = polls();
  await using client = await connect(subject);
  subject.add(tool({ name: "later", run: () => "added" }));
  expect((await client.callTool("later")).content).toEqual([{ type: "text", text: "added" }]);
});

describe("a tool with a page", () => {
  test("names its resource in _meta.ui.resourceUri, and the page is listed and read as a resource", async () => {
    await using subject = polls();
    await using client = await connect(subject, { apps: true });
    expect(client.capabilities).toHaveProperty("resources");
    const poll = (await client.listTools()).find(({ name }) => name === "show_poll");
    expect(poll?._meta).toMatchObject({ ui: { resourceUri: page.uri } });
    expect(page.uri).toMatch(/^ui:\/\/poll/);
    expect(await client.listResources()).toMatchObject([{ uri: page.uri, mimeType: "text/html;profile=mcp-app" }]);
    expect((await client.readResource(page.uri)).contents).toMatchObject([{ uri: page.uri, text: html }]);
  });

  test("sends no HTML in its result", async () => {
    await using subject = polls();
    await using client = await connect(subject, { apps: true });
    const result = await client.callTool("show_poll");
    expect(result).toMatchObject({ structuredContent: { votes: 3 } });
    expect(JSON.stringify(result)).not.toContain("<p>");
  });
});

describe("apps, as exported", () => {
  test("SANDBOX_PROXY_READY and SANDBOX_RESOURCE_READY are method constants with the spec's names", () => {
    const { sandboxProxyReady: SANDBOX_PROXY_READY, sandboxResourceReady: SANDBOX_RESOURCE_READY } = methods;
    expect(SANDBOX_PROXY_READY).toBe("ui/notifications/sandbox-proxy-ready");
    expect(SANDBOX_RESOURCE_READY).toBe("ui/notifications/sandbox-resource-ready");
  });

  test("SandboxResourceReadyParams has html, and may have sandbox, csp and permissions", () => {
    const shortest: SandboxResource = { html };
    const whole: SandboxResource = { html, sandbox: "allow-scripts", csp: {}, permissions: { camera: {} } };
    expect([shortest, whole].map((params) => params.html)).toEqual([html, html]);
  });

  test("RequestDisplayModeResult is { mode }", () => {
    const result: ViewRequests[typeof methods.requestDisplayMode]["result"] = { mode: "fullscreen" };
    expect(Object.keys(result)).toEqual(["mode"]);
  });

  test("ui_uri() makes the address of a resource", () => {
    expect(uiUri("polls", "poll")).toBe("ui://polls/poll");
  });

  test("UiResourceRegistry handles resources/list and resources/read, apart from a server", () => {
    const registry = new AppRegistry();
    const uri = registry.add(page, { uri: uiUri("polls", "poll") });
    expect(registry.toolMeta(uri)).toMatchObject({ ui: { resourceUri: "ui://polls/poll" } });
    expect(registry.list()).toMatchObject([{ uri, mimeType: "text/html;profile=mcp-app" }]);
    expect(registry.read(uri)).toMatchObject({ contents: [{ uri, text: html }] });
  });
});
