// Our server with all governance: policies, limits, approvals, secrets, an audit log on disk, metrics. `strict` waits for
// the disk; a number sets the number of secrets.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rules, server, tool } from "biplane";
import { openApprovals, openAudit, openSecrets } from "biplane/governance";
import { createMetrics } from "biplane/observe";
import { openStore } from "biplane/store";
import { z } from "zod";
import { ready } from "./control.mjs";

const [, , kind = "batched", count = "20"] = process.argv;
const store = await openStore(join(mkdtempSync(join(tmpdir(), "biplane-bench-")), "store.db"));
const audit = openAudit({ store, strict: kind === "strict", onFault: (fault) => console.error(fault) });
const environment = Object.fromEntries(
  Array.from({ length: Number(count) }, (_, at) => [`BIPLANE_SECRET_S${at}`, `secret-${at}-${Math.sin(at)}-value`]),
);
const secrets = await openSecrets({ store, key: Buffer.alloc(32, 1), environment });
const page = Array.from(
  { length: 150 },
  (_, at) => `Line ${at} of a page: nothing in it has to be hidden, and it is long.`,
);

const app = server({
  name: "bench",
  version: "1.0.0",
  tools: {
    add: tool({
      description: "Adds two numbers",
      input: z.object({ a: z.number(), b: z.number() }),
      run: ({ a, b }) => ({ sum: a + b }),
    }),
    page: tool({ description: "Gives a page", run: () => page.join("\n") }),
  },
  policies: [
    rules(
      [
        { tool: "admin_*", principal: { scopes: ["admin"] }, allow: true },
        { tool: "admin_*", deny: "Only for admins" },
        { tool: "add", arguments: { a: { min: 1e9 } }, ask: "That much?" },
      ],
      { otherwise: "allow" },
    ),
  ],
  limits: { perPrincipal: { perSecond: 1e9, burst: 1e9 }, global: { perSecond: 1e9, burst: 1e9 } },
  approver: openApprovals({ store, audit }),
  audit,
  secrets,
  store,
  meters: [createMetrics()],
});

const { url } = await app.serve("http://127.0.0.1:0");
ready(Number(new URL(url).port));
