import { mkdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Writes the config file of the shop and its scripts to a folder. */
export async function writeConfig(folder: string, hooks: Hooks): Promise<string> {
  const file = join(folder, "biplane.yaml");
  await mkdir(join(folder, "scripts"), { recursive: true });
  await writeFile(file, configText(hooks));
  for (const [name, source] of Object.entries(scripts)) await writeScript(folder, name, source);
  return file;
}

/** Writes a script as of the time of the clock. */
export async function writeScript(folder: string, name: string, source: string): Promise<void> {
  const file = join(folder, "scripts", `${name}.star`);
  await writeFile(file, source);
  const now = Date.now() / 1000;
  await utimes(file, now, now);
}

const scripts = {
  daily_report: `# @description: Counts yesterday's orders by status.
# @secrets: CRM_TOKEN
def main(day = "today"):
    if not secrets.has("CRM_TOKEN"):
        fail("no access to the orders")
    counts = {"open": 41, "shipped": 128, "returned": 9}
    lines = [status + ": " + str(count) for status, count in counts.items()]
    return {"day": day, "report": "\\n".join(lines)}
`,
  restock: `# @description: Orders an article again if fewer than ten are left.
def main(article, pieces = 20):
    if pieces > 200:
        fail("at most 200 pieces at once")
    return {"article": article, "ordered": pieces}
`,
  goodwill_voucher: `# @description: Writes a voucher for a customer who had to wait.
# @secrets: PAYMENTS_KEY
# @param customer: string The customer's number
# @param euros?: integer = 10 The value of the voucher
def main(customer, euros = 10):
    return {"customer": customer, "voucher": "GW-" + customer, "euros": euros}
`,
};

/** Changed after it was approved. */
export const changedScript = `# @description: Writes a voucher for a customer who had to wait.
# @secrets: PAYMENTS_KEY
# @param customer: string The customer's number
# @param euros?: integer = 25 The value of the voucher
def main(customer, euros = 25):
    if euros > 50:
        fail("at most 50 euros")
    return {"customer": customer, "voucher": "GW-" + customer, "euros": euros}
`;

/** Where messages about waiting calls go. */
interface Hooks {
  readonly ops: string;
  readonly night: string;
}

function configText({ ops, night }: Hooks): string {
  return `name: support-team
store: ./support-team.db
environments: [frozen-lake, wordle, connect-four, broadband-support]

packs:
  script: { root: ./scripts }
  memory: { root: ./memory }

policies:
  - { name: read-freely, tool: ["order_get", "order_search", "customer_get", "stock_*"], allow: true }
  - { name: no-refund-at-night, tool: order_refund, time: { from: "01:00", to: "04:00", zone: ${zoneOfNoon()} }, deny: "No refunds between 1 and 4 at night." }
  - { name: small-refunds, tool: order_refund, arguments: { amount: { max: 100 } }, allow: true }
  - { name: two-people, tool: customer_delete, ask: "Delete account {arguments.customer} with its orders and invoices?", approvers: 2 }
  - { name: cancellations, tool: order_cancel, principal: "token:refund-agent", allow: true }
  - { name: no-other-cancellations, tool: order_cancel, deny: "Only the refund agent cancels orders." }
  - { name: scripts-and-memory, tool: ["script_*", "memory_*", "lake_*", "word_*", "drop*", "message_*", "piece_*"], allow: true }
policyDefault: allow

limits:
  perPrincipal: { perSecond: 500, burst: 1000 }

approvals: { expiresMinutes: 90 }
notifications:
  webhooks:
    - { name: ops-channel, url: ${ops}/hook, secret: "\${OPS_SECRET}", answerLinks: true, person: ben }
    - { name: night-phone, url: ${night}/hook, secret: "\${NIGHT_SECRET}" }
  allow: [127.0.0.1]

auth: { storedTokens: true }
people: { idleHours: 48 }
keep: { calls: 90d, traces: 180d }
logging: { level: error }
`;
}

/** A time zone in which it is about noon, so that the pictures are the same whenever they are taken. */
function zoneOfNoon(): string {
  const hours = new Date().getUTCHours() - 12;
  return `Etc/GMT${hours < 0 ? hours : `+${hours}`}`;
}
