import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { server, tool } from "biplane";
import { startHost } from "biplane/host";
import type { SettingsBody } from "../../packages/biplane/src/admin/settings/settings-api.ts";
import { loadConfig } from "../../packages/biplane/src/config/load-config.ts";
import { knownNames } from "../../packages/biplane/src/host/known-names.ts";
import { sessionHeaders } from "../support/session.ts";

const passphrase = "correct horse battery staple";
const folders: string[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

const echo = tool({
  name: "echo",
  input: { type: "object", properties: { text: { type: "string" } } },
  run: (input) => input,
});

/** A host with a config file, and ada, who reads its settings. */
async function start(text: string, settings: Readonly<Record<string, unknown>> = {}) {
  const folder = await mkdtemp(join(tmpdir(), "biplane-in-force-"));
  folders.push(folder);
  const config = join(folder, "biplane.yaml");
  await writeFile(config, text);
  const flags = { listen: "http://127.0.0.1:0", "logging.level": "error", ...settings };
  const host = await startHost({ serve: [server({ name: "mine", tools: [echo] })], folder, config, settings: flags });
  const setUp = await fetch(`${host.url}/api/setup`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code: await host.setupCode(), name: "ada", passphrase }),
  });
  const headers = { ...(await sessionHeaders(setUp)), "content-type": "application/json" };
  const ask = async (line: string, body?: unknown) => {
    const [method = "", path = ""] = line.split(" ");
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    return (await fetch(`${host.url}${path}`, init)).json() as Promise<Record<string, unknown>>;
  };
  const { entries } = (await ask("GET /api/settings")) as unknown as SettingsBody;
  const resolved = await loadConfig({ file: config, folder, flags, known: await knownNames() });
  return { host, ask, entries, resolved, [Symbol.asyncDispose]: () => host.close() };
}

const valueOf = (entries: SettingsBody["entries"], key: string) => entries.find((each) => each.key === key)?.value;

test("every value of the config is shown as the server has it, or hidden, and nothing else is", async () => {
  vi.stubEnv("BIPLANE_PEOPLE_IDLE_HOURS", "3");
  await using started = await start(
    [
      "name: support-team",
      "keep: { calls: 12h, traces: 90d }",
      "limits: { perPrincipal: { perSecond: 5, burst: 9 }, perTool: { echo: { perSecond: 1, burst: 2 } } }",
      "packs: { web: { allow: [127.0.0.1] } }",
      "policies: [{ tool: echo, allow: true }]",
    ].join("\n"),
    { "approvals.expiresMinutes": 5 },
  );
  const { entries, resolved } = started;
  const inForce = new Map(entries.map(({ key, value }) => [key, value]));
  const missing: string[] = [];
  for (const [key, value] of leavesOf(resolved.config)) {
    const shown = inForce.get(key);
    if (key === "listen") expect(shown).toBe(started.host.url);
    else if (shown !== "(hidden)" && JSON.stringify(shown) !== JSON.stringify(value)) missing.push(key);
    inForce.delete(key);
  }
  expect(missing).toEqual([]);
  // What is left is not in the config: not set, or what the host uses instead.
  const left = [...inForce].filter(([, value]) => value !== null).map(([key]) => key);
  expect(left.sort()).toEqual([
    "http.discoverable",
    "http.fastLane",
    "http.maxBodyBytes",
    "http.orsRewards",
    "http.sandboxUrl",
    "store",
  ]);
  expect(valueOf(entries, "people.idleHours")).toBe(3);
  expect(valueOf(entries, "limits.perTool.echo.burst")).toBe(2);
});

test("what the config leaves open is shown as the host uses it", async () => {
  await using started = await start("http: { maxBodyBytes: 2048 }", {});
  const { host, ask, entries } = started;
  const status = async (path: string, init: RequestInit = {}) => (await fetch(`${host.url}${path}`, init)).status;
  const call = (length: number) => {
    const body = JSON.stringify({ tool: "echo", arguments: { text: "" } });
    const text = "x".repeat(length - body.length);
    return status("/mcp/execute", { method: "POST", body: JSON.stringify({ tool: "echo", arguments: { text } }) });
  };
  const maxBodyBytes = Number(valueOf(entries, "http.maxBodyBytes"));
  expect([await call(maxBodyBytes), await call(maxBodyBytes + 1)]).toEqual([200, 413]);
  expect(valueOf(entries, "http.discoverable")).toBe(true);
  expect(await status("/mcp/server-card")).toBe(200);
  expect(valueOf(entries, "policyDefault")).toBe("allow");
  expect(valueOf(entries, "listen")).toBe(host.url);
  expect(valueOf(entries, "name")).toBe((await ask("GET /api/overview"))["name"]);
});

test("an invitation names the installation", async () => {
  await using started = await start("name: support-team");
  const { key } = await started.ask("POST /api/invitations", { role: "viewer" });
  expect(await started.ask("POST /api/invitations/read", { key })).toMatchObject({ server: "support-team" });
});

/** The plain values and the lists of a config, by key. */
function leavesOf(value: unknown, path = ""): [string, unknown][] {
  const isGroup = typeof value === "object" && value !== null && !Array.isArray(value);
  if (!isGroup || Object.keys(value).length === 0) return value === undefined ? [] : [[path, value]];
  return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, path === "" ? key : `${path}.${key}`));
}
