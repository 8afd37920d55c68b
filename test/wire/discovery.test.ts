import { expect, test } from "vitest";
import { server } from "biplane";
import { serve } from "../../packages/core/src/wire/serve.ts";
import { listen } from "../support/serving.ts";

const described = () =>
  server({ name: "crm", version: "2.1.0", title: "Customers", description: `Finds customers. ${"x".repeat(200)}` });

test("a server has a card, and every server of the port is in the catalogue", async () => {
  const game = server({ name: "game" });
  await using at = await serve([described(), game], { url: "http://127.0.0.1:0" });
  const card = await fetch(`${at.url}/mcp/server-card`, { headers: { accept: "application/mcp-server-card+json" } });
  expect(card.status).toBe(200);
  expect(card.headers.get("content-type")).toBe("application/mcp-server-card+json");
  expect(card.headers.get("access-control-allow-origin")).toBe("*");
  const body = (await card.json()) as { name: string; description: string; remotes: { url: string }[] };
  expect(body).toMatchObject({ name: "localhost/crm", version: "2.1.0", title: "Customers" });
  expect(body.description).toHaveLength(100);
  expect(body.remotes).toMatchObject([{ type: "streamable-http", url: `${at.url}/mcp` }]);

  for (const [path, type] of [
    ["ai-catalog", "application/ai-catalog+json"],
    ["ard", "application/json"],
  ]) {
    const catalogue = await fetch(`${at.url}/.well-known/${path}.json`);
    expect(catalogue.headers.get("content-type")).toBe(type);
    const { entries } = (await catalogue.json()) as { entries: { url: string }[] };
    expect(entries).toMatchObject([
      { identifier: "urn:air:127.0.0.1:mcp:crm", displayName: "Customers", url: `${at.url}/mcp/server-card` },
      { identifier: "urn:air:127.0.0.1:mcp:game", url: `${at.url}/env/game/mcp/server-card` },
    ]);
    for (const { url } of entries) expect((await fetch(url)).status).toBe(200);
  }
});

test("a card has a description also if the server's texts are empty", async () => {
  await using at = await listen(server({ name: "plain", title: " ", description: "" }));
  const card: unknown = await (await fetch(`${at.mcp}/server-card`)).json();
  expect(card).toMatchObject({ description: "The MCP server plain" });
  expect(card).not.toHaveProperty("title");
});

test("a card that the client has is not sent again", async () => {
  await using at = await listen(described());
  const etag = (await fetch(`${at.mcp}/server-card`)).headers.get("etag") ?? "";
  const again = await fetch(`${at.mcp}/server-card`, { headers: { "if-none-match": etag } });
  expect(again.status).toBe(304);
  expect(await again.text()).toBe("");
});

test("a public server says its own name and that it needs a token, to pages of any origin, if the operator wants it", async () => {
  const options = {
    url: "http://0.0.0.0:0",
    publicUrl: "https://tools.example.com",
    authenticate: () => undefined,
  };
  await using hidden = await described().serve(options);
  const local = (url: string) => url.replace("0.0.0.0", "127.0.0.1");
  expect((await fetch(`${local(hidden.url)}/mcp/server-card`)).status).toBe(404);
  await using at = await described().serve({ ...options, discoverable: true });
  const headers = { origin: "https://elsewhere.example" };
  const card = (await (await fetch(`${local(at.url)}/mcp/server-card`, { headers })).json()) as object;
  expect(card).toMatchObject({
    name: "com.example.tools/crm",
    remotes: [{ url: "https://tools.example.com/mcp", headers: [{ name: "Authorization", isSecret: true }] }],
  });
  expect((await fetch(`${local(at.url)}/mcp/server-card`, { method: "OPTIONS", headers })).status).toBe(204);
  expect((await fetch(`${local(at.url)}/mcp`, { method: "POST", headers, body: "{}" })).status).toBe(403);
});

test("pages of other origins do not find out what runs on this machine", async () => {
  await using at = await listen(described());
  const headers = { origin: "https://elsewhere.example" };
  for (const path of ["/mcp/server-card", "/.well-known/ai-catalog.json"])
    expect((await fetch(`${at.base}${path}`, { headers })).status).toBe(403);
});

test("secrets are not in cards", async () => {
  const subject = server({
    name: "s",
    description: "The key is sesame-open-1234",
    secrets: { KEY: "sesame-open-1234" },
  });
  await using at = await listen(subject);
  expect(await (await fetch(`${at.mcp}/server-card`)).text()).not.toContain("sesame");
});

test("unknown servers have no card", async () => {
  await using at = await listen(described());
  expect((await fetch(`${at.base}/env/other/mcp/server-card`)).status).toBe(404);
});
