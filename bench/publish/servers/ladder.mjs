// Our server with one more part of governance on each rung: `schema`, `policy`, `limits`, `redaction`, `audit`, `strict audit`.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rules, server, tool } from "biplane";
import { openAudit } from "biplane/governance";
import { openStore } from "biplane/store";
import { z } from "zod";
import { ready } from "../../mcp/servers/control.mjs";

const rungs = ["schema", "policy", "limits", "redaction", "audit", "strict audit"];
const [, , rung, count] = process.argv;
const has = (name) => rungs.indexOf(rung) >= rungs.indexOf(name);

const input = z.object({ a: z.number(), b: z.number() });
const add = () => tool({ description: "Adds two numbers", input, run: ({ a, b }) => ({ sum: a + b }) });
const names = Array.from({ length: Number(count) }, (_, at) => (at === 0 ? "add" : `add_${at}`));
const tools = Object.fromEntries(names.map((name) => [name, add()]));

const policies = [
  rules(
    [
      { tool: "admin_*", principal: { scopes: ["admin"] }, allow: true },
      { tool: "admin_*", deny: "Only for admins" },
      { tool: "add", arguments: { a: { min: 1e9 } }, deny: "The number is too large" },
    ],
    { otherwise: "allow" },
  ),
];
// The limits are checked but never reached.
const limits = { perPrincipal: { perSecond: 1e9, burst: 1e9 }, global: { perSecond: 1e9, burst: 1e9 } };
const secrets = Object.fromEntries(
  Array.from({ length: 20 }, (_, at) => [`S${at}`, `secret-${at}-${Math.sin(at)}-value`]),
);

const app = server({
  name: "bench",
  version: "1.0.0",
  tools,
  limits: has("limits") ? limits : false,
  ...(has("policy") && { policies }),
  ...(has("redaction") && { secrets }),
  ...(has("audit") && { audit: await openAuditLog() }),
});

const { url } = await app.serve("http://127.0.0.1:0");
ready(Number(new URL(url).port));

async function openAuditLog() {
  const store = await openStore(join(mkdtempSync(join(tmpdir(), "biplane-bench-")), "store.db"));
  return openAudit({ store, strict: has("strict audit"), onFault: (fault) => console.error(fault) });
}
