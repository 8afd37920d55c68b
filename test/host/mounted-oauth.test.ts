import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { server, tool } from "biplane";
import type { Principal } from "biplane";
import { oauthResource } from "biplane/governance";
import { startHost } from "biplane/host";
import { stringify } from "yaml";
import { resolveConfig } from "../../packages/biplane/src/config/resolve-config.ts";
import { openTokenServer } from "../governance/access/token-server.ts";
import type { TokenServer } from "../governance/access/token-server.ts";
import { freePort } from "../support/free-port.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

test("a mounted server is reached with a secret that the config refers to", async () => {
  const { seen } = await callMounted(() => ({ clientSecret: "${BILLING_SECRET}" }));
  expect(seen).toMatchObject([{ identity: { subject: "program", clientId: "program" } }]);
});

test("a mounted server is reached with a key, and tokens that are bound to another key", async () => {
  const { seen } = await callMounted(() => ({ privateKey: { pem: "${BILLING_KEY}" }, dpop: true }));
  expect(seen[0]?.identity?.keyThumbprint).toMatch(/^[\w-]{43}$/);
});

test("a mounted server is reached for a person whose company vouches for it", async () => {
  const { seen } = await callMounted(async (issuer, folder) => {
    await writeFile(join(folder, "id-token"), `${await issuer.idToken("ada@example.com")}\n`);
    const provider = { clientId: "company-app", clientSecret: "company-app-secret", idTokenFile: "./id-token" };
    return {
      clientSecret: "${BILLING_SECRET}",
      idJag: { tokenEndpoint: `${issuer.issuer}/idp/token`, ...provider },
    };
  });
  expect(seen[0]?.identity?.subject).toBe("ada@example.com");
});

test("a mounted server is reached with the identity of the platform", async () => {
  const { seen } = await callMounted(async (issuer, folder) => {
    await writeFile(join(folder, "token"), await issuer.platformToken("system:serviceaccount:tools:biplane"));
    return { workloadIdentity: { file: "./token" } };
  });
  expect(seen[0]?.identity?.subject).toBe("system:serviceaccount:tools:biplane");
});

test("a server that names another authorization server gets no credentials", async () => {
  const { seen, issuer, status } = await callMounted(() => ({
    clientSecret: "${BILLING_SECRET}",
    issuer: "https://login.example.com",
  }));
  expect([status, seen, issuer.asked]).toEqual([404, [], []]);
});

test.each<[string, object, string]>([
  ["no issuer", { clientId: "a", clientSecret: "b" }, "issuer"],
  ["no way to authenticate", {}, "needs clientSecret, privateKey or workloadIdentity"],
  ["two of them", { clientSecret: "b", privateKey: { pem: "c" } }, "needs either clientSecret or privateKey"],
  [
    "two assertions",
    {
      clientSecret: "b",
      workloadIdentity: { file: "t" },
      idJag: { tokenEndpoint: "https://idp.example/token", clientId: "c", idTokenFile: "f" },
    },
    "needs either workloadIdentity or idJag",
  ],
])("a config with %s is refused", (what, oauth, message) => {
  const known = what === "no issuer" ? {} : { issuer: "https://login.example.com", clientId: "a" };
  const entry = { url: "https://billing.example.com/mcp", oauth: { ...known, ...oauth } };
  const text = stringify({ mcpServers: { billing: entry } });
  expect(() => resolveConfig({ file: { name: "biplane.yaml", text }, environment: {} })).toThrow(message);
});

test("a program that is started gets no OAuth", () => {
  const oauth = { issuer: "https://login.example.com", clientId: "a", clientSecret: "b" };
  const text = stringify({ mcpServers: { billing: { command: "node", oauth } } });
  expect(() => resolveConfig({ file: { name: "biplane.yaml", text }, environment: {} })).toThrow("needs a url");
});

type WrittenOAuth = (issuer: TokenServer, folder: string) => object | Promise<object>;

/** Mounts a server behind an authorization server, and calls its tool. */
async function callMounted(write: WrittenOAuth) {
  const issuer = await openTokenServer();
  opened.push(issuer);
  const port = await freePort();
  const audience = `http://127.0.0.1:${port}/mcp`;
  const seen: Principal[] = [];
  const pay = tool({ name: "pay", run: (_, call) => void seen.push(call.principal) });
  const billing = server({ name: "billing", version: "1.0.0", tools: [pay] });
  opened.push(billing);
  const authenticate = oauthResource({ issuer: issuer.issuer, audience });
  await billing.serve({ url: `http://127.0.0.1:${port}`, authenticate });
  const folder = await temporaryFolder();
  opened.push(folder);
  vi.stubEnv("BILLING_SECRET", "program-secret");
  vi.stubEnv("BILLING_KEY", issuer.clientKey);
  const oauth = { issuer: issuer.issuer, clientId: "program", ...(await write(issuer, folder.path)) };
  const config = { mcpServers: { billing: { url: audience, oauth } } };
  await writeFile(join(folder.path, "biplane.yaml"), stringify(config));
  const settings = { listen: "http://127.0.0.1:0", "logging.level": "error" };
  const host = await startHost({ folder: folder.path, settings });
  opened.push({ [Symbol.asyncDispose]: () => host.close() });
  const called = await fetch(`${host.url}/mcp/execute`, { method: "POST", body: '{"tool":"pay"}' });
  return { seen, issuer, status: called.status };
}
