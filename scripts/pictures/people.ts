import { readFile } from "node:fs/promises";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { passphrase, signIn } from "./admin.ts";
import type { Admin } from "./admin.ts";
import { hour, minute, pass } from "./clock.ts";
import { changedScript, writeScript } from "./config.ts";

/** Who works at the support team, and the tokens of the programs that work for it. */
export interface Staff {
  readonly ben: Admin;
  readonly tokens: Readonly<Record<TokenName, string>>;
}

const tokenNames = ["support-bot", "refund-agent", "night-shift", "grpo-trainer"] as const;
export type TokenName = (typeof tokenNames)[number];

/** Adds people, invitations, tokens, secrets, published rules and decisions about scripts. */
export async function addStaff(ada: Admin, { url, folder }: { url: string; folder: string }): Promise<Staff> {
  for (const [name, role] of [
    ["ben", "approver"],
    ["chen", "operator"],
    ["dora", "viewer"],
  ]) {
    await ada.ask("POST /api/people", { name, passphrase, role });
    pass(3 * minute);
  }
  await ada.ask("POST /api/invitations", { role: "approver", days: 7, note: "Grace, night shift" });
  const tokens: Record<string, string> = {};
  for (const principal of tokenNames) {
    const kind = principal === "grpo-trainer" ? "trainer" : "token";
    const scopes = principal === "refund-agent" ? ["orders"] : [];
    const { token } = await ada.ask<{ token: string }>("POST /api/access-tokens", { principal, kind, scopes });
    tokens[principal] = token;
    pass(2 * minute);
  }
  await ada.ask("POST /api/access-tokens", { principal: "old-importer", days: 0.25 });
  for (const [name, rotateDays] of [
    ["CRM_TOKEN", 90],
    ["MAIL_PASSWORD", 30],
    ["PAYMENTS_KEY", 365],
  ] as const)
    await ada.ask(`PUT /api/secrets/${name}`, { value: `value-of-${name.toLowerCase()}-1234567890`, rotateDays });
  await publishRules(ada);
  await decideScripts(ada, folder);
  return { ben: await signIn(url, "ben"), tokens: tokens as Staff["tokens"] };
}

async function publishRules(ada: Admin): Promise<void> {
  const first = `- name: no-bulk-letters
  tool: mail_send
  agent: "bulk-*"
  deny: No bulk letters.
`;
  await ada.ask("POST /api/policies/publish", { draft: first, base: 0, comment: "After the newsletter of last week" });
  pass(hour);
  const second = `${first}- name: ask-about-old-orders
  tool: order_refund
  arguments:
    order: { like: "O-33*" }
  ask: "Is old order {arguments.order} still refundable?"
`;
  await ada.ask("POST /api/policies/publish", { draft: second, base: 1, comment: "Orders before 2024 need a look" });
}

/** One script is approved, one was changed since, and one is new. */
async function decideScripts(ada: Admin, folder: string): Promise<void> {
  for (const name of ["daily_report", "goodwill_voucher"]) {
    const source = await readFile(join(folder, "scripts", `${name}.star`));
    const hash = createHash("sha256").update(source).digest("hex");
    await ada.ask(`POST /api/scripts/${name}/verdict`, { verdict: "approve", hash });
    pass(4 * minute);
  }
  pass(2 * hour);
  await writeScript(folder, "goodwill_voucher", changedScript);
}
