import { expect, test } from "vitest";
import { ask, deny } from "biplane";
import { resolveConfig } from "../../packages/biplane/src/config/resolve-config.ts";
import { settingsEntries } from "../../packages/biplane/src/admin/settings/settings-entries.ts";
import { callAs, openServedGateway, secret } from "../admin/admin-server.ts";
import type { Json } from "../admin/admin-server.ts";

const encoded = [secret, Buffer.from(secret).toString("base64"), Buffer.from(secret).toString("hex")];

test("whatever an agent does with a secret, nothing that people are shown has it", async () => {
  await using gateway = await openServedGateway({
    server: {
      policies: [
        (_, name, input) => {
          const said = JSON.stringify(input);
          if (name === "echo") return deny(`not ${said}`);
          if (name === "fail") return ask(`May it say ${said}?`);
          return { verdict: "allow" };
        },
      ],
    },
  });
  const mine = await gateway.logIn();
  const live = await gateway.listen("/api/events?topics=calls", mine);
  for (const value of encoded) {
    const input = { text: value, [value]: value };
    for (const tool of ["echo", "fail", "leak", "shout", value, "sell"])
      await callAs(value, gateway.shop, { tool, input: tool === "leak" ? {} : input, session: "s" });
    await callAs("robot", gateway.shop, { tool: "fail", input: { text: value } });
    await callAs("robot", gateway.shop, { tool: "echo", input: { text: value } });
    for (const way of ["mcp-2026-07-28", "mcp-2025-11-25", "execute", "code", "app"]) {
      const body = { server: "shop", tool: "echo", input: { text: value }, via: [way] };
      expectNone((await gateway.ask("POST /api/calls", body, mine)).text);
    }
  }
  const lists = ["calls", "approvals", "grants", "audit", "tools", "connections"].map((name) => `${name}?limit=1000`);
  const read = (path: string) => gateway.ask(`GET /api/${path}`, undefined, mine);
  const seen = await Promise.all([...lists, "overview"].map(read));
  for (const { status, text } of seen) {
    expect(status).toBe(200);
    expectNone(text);
  }
  const calls = seen[0]?.json["calls"] as Json[];
  expect(calls.length).toBeGreaterThan(20);
  for (const { id } of calls) expectNone((await gateway.ask(`GET /api/calls/${String(id)}`, undefined, mine)).text);
  for (const { id } of (seen[1]?.json["approvals"] ?? []) as Json[])
    expectNone((await gateway.ask(`GET /api/approvals/${String(id)}`, undefined, mine)).text);
  const told = await live.next("calls");
  expectNone(JSON.stringify(told));
  live.close();
});

test("a token in the address of a mounted server is not shown with the settings", () => {
  const text = "mcpServers: { far: { url: 'http://127.0.0.1:9/k/biplane_t_hidden/mcp?key=hidden' } }";
  const resolved = resolveConfig({ file: { name: "biplane.yaml", text }, environment: {} });
  const shown = JSON.stringify(settingsEntries(resolved));
  expect(shown).toContain("127.0.0.1:9");
  expect(shown).not.toContain("_hidden");
  expect(shown).not.toContain("key=hidden");
});

/** The principal comes from authentication, not from the request. */
function expectNone(text: string): void {
  const said = text.replaceAll(/"principal":\{[^}]*\}/g, "");
  for (const value of encoded) expect(said.includes(value)).toBe(false);
}
