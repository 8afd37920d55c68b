import { expect, test } from "vitest";
import { queryAudit } from "../../src/admin/audit/query.ts";
import type { Settings } from "../../src/desk/contract.ts";
import { openHouse, passphrase, referred, stored } from "./openapi-house.ts";
import type { Json } from "./openapi-house.ts";

const config = `
name: \${NAME:-house}
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

test("every key of the config is there with what holds and whether it was said, and no secret", async () => {
  await using house = await openHouse({ config });
  const answer = await house.ask("GET /api/settings", undefined, await house.logIn());
  const { file, entries, people } = answer.json as unknown as Settings;
  expect(file).toBe("biplane.yaml");
  expect(people).toEqual([{ name: "ada", scopes: ["*"] }]);
  const rows = Object.fromEntries(entries.map(({ key, value, isDefault }) => [key, [value, isDefault]]));
  expect(rows).toMatchObject({
    name: ["(hidden)", false],
    store: ["/somewhere/kept.db", false],
    "approvals.byClient": [true, false],
    "approvals.expiresMinutes": [60, true],
    "approvals.simulated.seed": [null, true],
    listen: ["http://127.0.0.1:8000", true],
    policyDefault: ["deny", true],
    limits: [{ global: { perSecond: 5, burst: 10 } }, false],
    "secrets.values.CRM": ["(hidden)", false],
    "packs.fetch": [{ apiKey: "(hidden)", header: "(hidden)", allow: ["127.0.0.1"] }, false],
    "mcpServers.crm": [
      { url: "https://(hidden)@crm.example.com/mcp?(hidden)", headers: { Authorization: "(hidden)" } },
      false,
    ],
    "mcpServers.tool": [{ command: "crm", args: "2 of them, (hidden)", env: { TOKEN: "(hidden)" } }, false],
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

test("a secret that stands under an innocent key is not shown either, once the house knows it", async () => {
  await using house = await openHouse({ config: `packs: { web: { note: "${stored}" } }` });
  const { text } = await house.ask("GET /api/settings", undefined, await house.logIn());
  expect(text).not.toContain(stored);
  expect(text).toContain("REDACTED:STORED");
});

test("a person is let in, can log in, and is shut out with everything that was his", async () => {
  await using house = await openHouse();
  const ada = await house.logIn();
  const bob = { name: "Bob", passphrase, scopes: ["approvals", "calls"] };
  const made = await house.ask("POST /api/people", bob, ada);
  expect(made.status).toBe(201);
  expect(made.json).toEqual({ name: "bob", scopes: ["approvals", "calls"], createdAt: expect.any(String) as string });
  expect(made.text).not.toContain(passphrase);
  const his = await house.logIn("bob");
  expect((await house.ask("GET /api/approvals", undefined, his)).status).toBe(200);
  expect((await house.ask("GET /api/people", undefined, his)).status).toBe(403);
  const again = await house.ask("POST /api/people", bob, ada);
  expect([again.status, again.json["message"]]).toEqual([400, "there is somebody called bob already"]);
  expect((await house.ask("DELETE /api/people/bob", undefined, ada)).status).toBe(204);
  expect((await house.ask("GET /api/approvals", undefined, his)).status).toBe(401);
  expect((await house.ask("DELETE /api/people/bob", undefined, ada)).status).toBe(404);
  await house.audit.flush();
  const lines = await queryAudit(house.store, { principal: "ada" });
  expect(lines.map((line) => "tool" in line && line.tool)).toEqual(
    expect.arrayContaining(["people/add", "people/remove"]),
  );
  expect(JSON.stringify(await queryAudit(house.store, {}))).not.toContain(passphrase);
});

test("nobody gives what he does not have, takes from whoever has more, or shuts himself out", async () => {
  await using house = await openHouse();
  await house.join("porter", ["people", "calls"]);
  await house.join("guest", ["calls"]);
  const porter = await house.logIn("porter");
  const give = (scopes: unknown) => house.ask("POST /api/people", { name: "new", passphrase, scopes }, porter);
  for (const scopes of [["*"], ["secrets"], ["calls", "approvals"]]) expect((await give(scopes)).status).toBe(403);
  expect((await house.ask("DELETE /api/people/ada", undefined, porter)).status).toBe(403);
  expect((await house.ask("DELETE /api/people/porter", undefined, porter)).status).toBe(403);
  expect((await house.ask("DELETE /api/people/PORTER", undefined, porter)).status).toBe(403);
  expect((await house.ask("DELETE /api/people/ada", undefined, await house.logIn())).status).toBe(403);
  expect((await house.ask("DELETE /api/people/guest", undefined, porter)).status).toBe(204);
  expect((await give(["calls"])).status).toBe(201);
  expect((await house.people.list()).map(({ name }) => name)).toEqual(["ada", "new", "porter"]);
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
])("somebody with %s is not let in", async (_, body) => {
  await using house = await openHouse();
  expect((await house.ask("POST /api/people", body, await house.logIn())).status).toBe(400);
  expect(await house.people.list()).toHaveLength(1);
});

test("people are listed in pages", async () => {
  await using house = await openHouse();
  for (const name of ["bob", "cyd"]) await house.join(name, []);
  const ada = await house.logIn();
  const first = await house.ask("GET /api/people?limit=2", undefined, ada);
  expect(first.json).toMatchObject({ people: [{ name: "ada" }, { name: "bob" }], next: "bob" });
  expect((await house.ask("GET /api/people?limit=2&after=bob", undefined, ada)).json).toMatchObject({
    people: [{ name: "cyd" }],
    next: null,
  });
});
