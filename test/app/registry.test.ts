import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import {
  CallToolRequestSchema,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { expect, test } from "vitest";
import { app } from "biplane";
import { appMimeType, methods, protocolVersion, uiUri } from "biplane/apps/bridge";
import type { HostNotifications, SandboxResource, ViewRequests } from "biplane/apps/bridge";
import { appUriOf, resourceOf } from "biplane/apps/host";
import { AppRegistry } from "biplane/apps/registry";

const html = "<!doctype html><p>Weather</p>";

test("a URI is made of a server and a name", () => {
  expect(uiUri("weather", "chart")).toBe("ui://weather/chart");
  expect(uiUri("my server", "charts/by day")).toBe("ui://my%20server/charts/by%20day");
  expect(() => uiUri("", "chart")).toThrow('needs a server and a name, not "" and "chart"');
  expect(() => uiUri("weather", "")).toThrow("needs a server and a name");
});

test("the bridge has the methods of the stable revision and the types of their messages", () => {
  expect(protocolVersion).toBe("2026-01-26");
  expect(methods).toMatchObject({
    initialize: "ui/initialize",
    requestDisplayMode: "ui/request-display-mode",
    toolCancelled: "ui/notifications/tool-cancelled",
    hostContextChanged: "ui/notifications/host-context-changed",
    sandboxProxyReady: "ui/notifications/sandbox-proxy-ready",
    sandboxResourceReady: "ui/notifications/sandbox-resource-ready",
  });
  const ready: SandboxResource = { html, sandbox: "allow-scripts", csp: {}, permissions: { camera: {} } };
  const initialize: ViewRequests["ui/initialize"]["params"] = {
    appInfo: { name: "weather", version: "1" },
    appCapabilities: { experimental: {}, tools: {}, availableDisplayModes: ["inline"] },
    protocolVersion,
  };
  const cancelled: HostNotifications[typeof methods.toolCancelled] = {};
  const shown: ViewRequests[typeof methods.requestDisplayMode]["result"] = { mode: "inline" };
  expect([ready, initialize, cancelled, shown]).toHaveLength(4);
});

test("a registry serves its apps in a server of the official SDK", async () => {
  const registry = new AppRegistry();
  const csp = { connectDomains: ["https://api.example.com"] };
  const uri = registry.add(app({ html, name: "weather", title: "Weather", csp }), { uri: uiUri("weather", "chart") });
  const server = new Server({ name: "weather", version: "1" }, { capabilities: { tools: {}, resources: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [{ name: "forecast", inputSchema: { type: "object" as const }, _meta: registry.toolMeta(uri) }],
  }));
  server.setRequestHandler(CallToolRequestSchema, () => ({ content: [] }));
  server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: [...registry.list()] }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }) => {
    const found = registry.read(params.uri);
    return { contents: found ? [...found.contents] : [] };
  });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await server.connect(theirs);
  const client = new Client({ name: "host", version: "1" });
  await client.connect(ours);
  const [tool] = (await client.listTools()).tools;
  expect(tool && appUriOf(tool)).toBe("ui://weather/chart");
  const [listed] = (await client.listResources()).resources;
  expect(listed).toMatchObject({ uri, name: "weather", title: "Weather", mimeType: appMimeType, size: html.length });
  const page = resourceOf(await client.readResource({ uri }), listed);
  expect(page).toMatchObject({ uri, html, csp });
  await client.close();
});

test("a registry refuses what would hide an app", () => {
  const registry = new AppRegistry();
  const one = app({ html, name: "one" });
  expect(registry.add(one)).toBe(one.uri);
  expect(registry.add(one)).toBe(one.uri);
  expect(registry.get(one.uri)).toBe(one);
  expect(() => registry.add(app({ html: "<p>", name: "two" }), { uri: one.uri })).toThrow(
    `Two apps have the URI ${one.uri}`,
  );
  expect(() => registry.add(one, { uri: "https://example.com" })).toThrow("must begin with ui://");
  expect(registry.read("ui://nothing")).toBeUndefined();
  expect(() => registry.toolMeta("ui://nothing")).toThrow("No app has the URI ui://nothing");
});
