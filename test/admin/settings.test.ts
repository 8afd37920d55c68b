import { expect, test } from "vitest";
import { queryAudit } from "../../packages/biplane/src/governance/audit/query.ts";
import { resolveConfig } from "../../packages/biplane/src/config/resolve-config.ts";
import { settingsEntries } from "../../packages/biplane/src/admin/settings/settings-entries.ts";
import type { SettingsBody } from "../../packages/biplane/src/admin/settings/settings-api.ts";
import { openGateway, passphrase, referred, stored } from "./openapi-server.ts";
import type { Json } from "./openapi-server.ts";

const config = `
name: \${NAME:-gateway}
store: ./kept.db
approvals:
  byClient: true
secrets:
  values:
    CRM: \${REFERRED}
packs:
  fetch:
    apiKey: plain-key-in-the-file
    header: "Bearer \${REFERRED}"
    allow: [127.0.0.1]
mcpServers:
  crm:
    url: https://user:password-in-url@crm.example.com/mcp?token=token-in-query
    headers: { Authorization: header-value }
  tool:
    command: crm
    args: [--token, token-in-arguments]
    env: { TOKEN: token-in-env }
auth:
  tokens:
    - { id: ada, hash: "sha256:${"0".repeat(64)}" }
    - { id: gym, token: token-in-the-file-itself, kind: trainer }
limits:
  global: { perSecond: 5, burst: 10 }
policies:
  - { tool: "refund_*", ask: "Refund it?" }
`;

test("every config key is listed with its value and source, and no secret", async () => {
  await using gateway = await openGateway({ config });
  const answer = await gateway.ask("GET /api/settings", undefined, await gateway.logIn());
  const { file, entries, people } = answer.json as unknown as SettingsBody;
  expect(file).toBe("biplane.yaml");
  expect(people).toEqual([{ name: "ada", scopes: ["*"] }]);
  const rows = Object.fromEntries(entries.map(({ key, value, isDefault }) => [key, [value, isDefault]]));
  expect(rows).toMatchObject({
    name: ["gateway", false],
    store: ["/somewhere/kept.db", false],
    "approvals.byClient": [true, false],
    "approvals.expiresMinutes": [60, true],
    "approvals.simulated": [null, true],
    listen: ["http://127.0.0.1:8000", true],
    policyDefault: ["deny", true],
    "limits.perPrincipal.perSecond": [10, true],
    "limits.global.perSecond": [5, false],
    "limits.global.burst": [10, false],
    "limits.concurrency.perPrincipal": [50, true],
    "keep.calls": ["30d", true],
    "secrets.values.CRM": ["(hidden)", false],
    "packs.fetch": [{ apiKey: "(hidden)", header: "(hidden)", allow: ["127.0.0.1"] }, false],
    "mcpServers.crm.url": ["https://(hidden)@crm.example.com/mcp?(hidden)", false],
    "mcpServers.crm.headers.Authorization": ["(hidden)", false],
    "mcpServers.tool.command": ["crm", false],
    "mcpServers.tool.args": ["2 arguments (hidden)", false],
    "mcpServers.tool.env.TOKEN": ["(hidden)", false],
    "auth.tokens": [
      [
        { id: "ada", hash: "(hidden)", kind: "token", scopes: [] },
        { id: "gym", token: "(hidden)", kind: "trainer", scopes: [] },
      ],
      false,
    ],
  });
  for (const secret of [
    referred,
    stored,
    "plain-key-in-the-file",
    "password-in-url",
    "token-in-query",
    "header-value",
    "token-in-arguments",
    "token-in-env",
    "token-in-the-file-itself",
    passphrase,
  ])
    expect(answer.text).not.toContain(secret);
});

test("each value says where it was set, also a nested one, and what the file refers to", async () => {
  const text = `
name: \${NAME:-gateway}
http: { maxBodyBytes: "\${BODY}" }
limits:
  concurrency: { perPrincipal: 7 }
packs:
  fetch: { header: "Bearer \${CRM}" }
`;
  const resolved = resolveConfig({
    file: { name: "biplane.yaml", text },
    environment: { BODY: "2048", BIPLANE_MODE: "production" },
    flags: { "logging.level": "debug" },
    secret: (name) => (name === "CRM" ? "kept-in-the-store" : undefined),
  });
  const inForce = { listen: "http://127.0.0.1:4321", "http.fastLane": true };
  const entries = settingsEntries(resolved, { inForce });
  const [origins, values] = [
    Object.fromEntries(entries.map(({ key, origin }) => [key, origin])),
    Object.fromEntries(entries.map(({ key, value }) => [key, value])),
  ];
  expect(origins).toMatchObject({
    name: { kind: "file", line: 2, references: [{ name: "NAME", from: "default" }] },
    "http.maxBodyBytes": { kind: "file", line: 3, references: [{ name: "BODY", from: "environment" }] },
    "http.fastLane": { kind: "default" },
    "limits.concurrency.perPrincipal": { kind: "file", line: 5 },
    "limits.perPrincipal.burst": { kind: "default" },
    mode: { kind: "environment", name: "BIPLANE_MODE" },
    "logging.level": { kind: "flag", name: "logging.level" },
    "logging.format": { kind: "default" },
  });
  expect(values).toMatchObject({
    name: "gateway",
    listen: "http://127.0.0.1:4321",
    "http.maxBodyBytes": 2048,
    "http.fastLane": true,
    mode: "production",
    "packs.fetch": { header: "(hidden)" },
  });
});

test("each setting says what it does, without links to files that the page does not have", () => {
  const entries = settingsEntries(resolveConfig({ file: { name: "biplane.yaml", text: "code: {}" } }));
  const abouts = Object.fromEntries(entries.map(({ key, about }) => [key, about]));
  expect(abouts).toMatchObject({
    name: "Name of the installation",
    policies: "Rules, in order of evaluation",
    "code.limits.wallMs": "Wall-clock time, without waits for approval. Limits of one action",
    "limits.held.codeBytes.total": "Maximum for all callers together. Bytes of code state",
  });
  expect(Object.entries(abouts).filter(([, about]) => about === undefined || about.includes("]("))).toEqual([]);
});

test("a known secret is not shown under an innocent key either", async () => {
  await using gateway = await openGateway({ config: `packs: { web: { note: "${stored}" } }` });
  const { text } = await gateway.ask("GET /api/settings", undefined, await gateway.logIn());
  expect(text).not.toContain(stored);
  expect(text).toContain("REDACTED:STORED");
});

test("a person is added, can log in, and is removed with all their sessions and tokens", async () => {
  await using gateway = await openGateway();
  const ada = await gateway.logIn();
  const bob = { name: "Bob", passphrase, scopes: ["approvals", "calls"] };
  const made = await gateway.ask("POST /api/people", bob, ada);
  expect(made.status).toBe(201);
  expect(made.json).toEqual({
    name: "bob",
    role: null,
    provider: null,
    scopes: ["approvals", "calls"],
    createdAt: expect.any(String) as string,
  });
  expect(made.text).not.toContain(passphrase);
  const bobs = await gateway.logIn("bob");
  expect((await gateway.ask("GET /api/approvals", undefined, bobs)).status).toBe(200);
  expect((await gateway.ask("GET /api/people", undefined, bobs)).status).toBe(403);
  const again = await gateway.ask("POST /api/people", bob, ada);
  expect([again.status, again.json["message"]]).toEqual([
    400,
    "An account named bob already exists. Choose another name.",
  ]);
  expect((await gateway.ask("DELETE /api/people/bob", undefined, ada)).status).toBe(204);
  expect((await gateway.ask("GET /api/approvals", undefined, bobs)).status).toBe(401);
  expect((await gateway.ask("DELETE /api/people/bob", undefined, ada)).status).toBe(404);
  await gateway.audit.flush();
  const lines = await queryAudit(gateway.store, { principal: "ada" });
  expect(lines.map((line) => "tool" in line && line.tool)).toEqual(
    expect.arrayContaining(["people/add", "people/remove"]),
  );
  expect(JSON.stringify(await queryAudit(gateway.store, {}))).not.toContain(passphrase);
});

test("nobody can grant a scope they lack, change a person with more scopes, or remove themselves", async () => {
  await using gateway = await openGateway();
  await gateway.join("porter", ["people", "calls"]);
  await gateway.join("guest", ["calls"]);
  const porter = await gateway.logIn("porter");
  const give = (scopes: unknown) => gateway.ask("POST /api/people", { name: "new", passphrase, scopes }, porter);
  for (const scopes of [["*"], ["secrets"], ["calls", "approvals"]]) expect((await give(scopes)).status).toBe(403);
  expect((await gateway.ask("DELETE /api/people/ada", undefined, porter)).status).toBe(403);
  expect((await gateway.ask("DELETE /api/people/porter", undefined, porter)).status).toBe(403);
  expect((await gateway.ask("DELETE /api/people/PORTER", undefined, porter)).status).toBe(403);
  expect((await gateway.ask("DELETE /api/people/ada", undefined, await gateway.logIn())).status).toBe(403);
  expect((await gateway.ask("DELETE /api/people/guest", undefined, porter)).status).toBe(204);
  expect((await give(["calls"])).status).toBe(201);
  expect((await gateway.people.list()).map(({ name }) => name)).toEqual(["ada", "new", "porter"]);
});

test.each<[string, Json]>([
  ["no scopes", { name: "bob", passphrase }],
  ["a scope that is none", { name: "bob", passphrase, scopes: ["approval"] }],
  ["scopes that are no list", { name: "bob", passphrase, scopes: "*" }],
  ["one twice", { name: "bob", passphrase, scopes: ["calls", "calls"] }],
  ["a weak passphrase", { name: "bob", passphrase: "short", scopes: [] }],
  ["a name that is none", { name: "<script>", passphrase, scopes: [] }],
  ["no name", { passphrase, scopes: [] }],
  ["an unknown key", { name: "bob", passphrase, scopes: [], admin: true }],
])("a person with %s is refused", async (_, body) => {
  await using gateway = await openGateway();
  expect((await gateway.ask("POST /api/people", body, await gateway.logIn())).status).toBe(400);
  expect(await gateway.people.list()).toHaveLength(1);
});

test("people are listed in pages", async () => {
  await using gateway = await openGateway();
  for (const name of ["bob", "cyd"]) await gateway.join(name, []);
  const ada = await gateway.logIn();
  const first = await gateway.ask("GET /api/people?limit=2", undefined, ada);
  expect(first.json).toMatchObject({ people: [{ name: "ada" }, { name: "bob" }], next: "bob" });
  expect((await gateway.ask("GET /api/people?limit=2&after=bob", undefined, ada)).json).toMatchObject({
    people: [{ name: "cyd" }],
    next: null,
  });
});
