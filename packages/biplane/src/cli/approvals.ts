import { argument, command, toggle, option } from "./command/define.ts";
import type { ApprovalAnswer, Approval, ApprovalScope } from "../governance/approvals/approval.ts";
import { openApprovals } from "../governance/approvals/approvals.ts";
import type { Approvals } from "../governance/approvals/approvals.ts";
import { DeliveryQueue } from "../governance/notifications/delivery-queue.ts";
import { printableText } from "../observe/printable.ts";
import { inputError, usageError } from "./command/exit-code.ts";
import { localPerson, openCommandAudit, storeArgs, storeOptions } from "./store-args.ts";
import type { StoreArgs } from "./store-args.ts";
import { parseJsonArgument } from "./target/typed-value.ts";
import { openPersistentState } from "../host/state.ts";

const ids = argument("Ids, or their first characters, from biplane approvals list, separated by spaces; or use --all", {
  valueHint: "id …",
  required: false,
});
const all = toggle("All waiting calls");

const list = command("List calls that wait for an answer", {
  args: { all: toggle("Include answered calls"), ...storeArgs },
  run: ({ args }) =>
    withApprovals(args, async (approvals) => {
      const found = await approvals.list(args.all ? {} : { status: "waiting" });
      if (found.length === 0) process.stdout.write("No calls are waiting.\n");
      for (const approval of found) process.stdout.write(shown(approval));
    }),
});

const approve = command("Approve calls: once, --always for the same input, or for a --pattern", {
  args: {
    ids,
    all,
    always: toggle("Also approve later calls with the same input and caller"),
    pattern: option('Also approve later calls that match: \'{"arguments":{"amount":{"max":100}}}\''),
    everyone: toggle("With --always or --pattern: for every caller"),
    comment: option("Kept with the decision and in the audit log"),
    ...storeArgs,
  },
  run: async ({ args }) => {
    const { comment } = args;
    await answerAll(args, { verdict: "approve", scope: scopeOf(args), ...(comment !== undefined && { comment }) });
  },
});

const reject = command("Reject calls; the caller receives the reason", {
  args: { ids, all, reason: option("Reason sent to the caller", { required: true }), ...storeArgs },
  run: async ({ args }) => answerAll(args, { verdict: "reject", reason: args.reason }),
});

const grants = command("List standing approvals, given with --always or --pattern", {
  args: storeArgs,
  run: ({ args }) =>
    withApprovals(args, async (approvals) => {
      const found = await approvals.grants();
      if (found.length === 0) process.stdout.write("There are no standing approvals.\n");
      for (const { id, tool, hash, pattern, preview = "", principal, grantedBy, grantedAt } of found) {
        const what = hash === undefined ? JSON.stringify(pattern) : `${tool} ${preview} (${hash.slice(0, 19)}…)`;
        const caller = principal ? `${principal.kind} ${principal.id}` : "everyone";
        const line = `${id}  ${what}  for ${caller}  by ${grantedBy} at ${grantedAt}`;
        process.stdout.write(`${printableText(line)}\n`);
      }
    }),
});

const revoke = command("Revoke a standing approval", {
  args: { id: argument("Id from biplane approvals grants"), ...storeArgs },
  run: ({ args }) =>
    withApprovals(args, async (approvals) => {
      if (!(await approvals.revoke(args.id, localPerson())))
        throw inputError(`No standing approval has the id ${args.id}. See biplane approvals grants.`);
      process.stdout.write("Revoked.\n");
    }),
});

/** `biplane approvals approve <id>`: answers waiting calls, including those of servers running on the same store. */
export const approvalsCommand = command("Approve or reject calls that wait for a person", {
  subCommands: { list, approve, reject, grants, revoke },
});

async function withApprovals(args: StoreArgs, work: (approvals: Approvals) => Promise<void>): Promise<void> {
  await using state = await openPersistentState(storeOptions(args));
  await using audit = openCommandAudit(state.store);
  // Servers on the store send the answers to the targets that were sent the questions.
  await work(openApprovals({ store: state.store, audit, outbox: new DeliveryQueue(state.store, []) }));
}

function answerAll(args: StoreArgs & { _: string[]; all: boolean }, answer: ApprovalAnswer): Promise<void> {
  return withApprovals(args, async (approvals) => {
    const waiting = (await approvals.list({ status: "waiting", limit: 1000 })).map(({ id }) => id);
    if (waiting.length === 0 && args.all) throw inputError("No calls are waiting.");
    const chosen = args.all ? waiting : args._.map((given) => fullId(given, waiting));
    if (chosen.length === 0) throw usageError("Pass an id from biplane approvals list, or --all.");
    for (const approval of await approvals.answer(chosen, answer, localPerson())) process.stdout.write(shown(approval));
  });
}

/** The waiting call whose id is or starts with this text. */
function fullId(given: string, waiting: readonly string[]): string {
  if (waiting.includes(given)) return given;
  const found = waiting.filter((id) => id.startsWith(given));
  if (found.length > 1) throw usageError(`${given} matches several waiting calls: ${found.join(", ")}.`);
  return found[0] ?? given;
}

type ScopeArgs = { always: boolean; pattern?: string | undefined; everyone: boolean };

function scopeOf({ always, pattern, everyone }: ScopeArgs): ApprovalScope {
  const callers = { for: everyone ? "everyone" : "caller" } as const;
  if (pattern !== undefined) return { kind: "pattern", pattern: parseJsonArgument("--pattern", pattern), ...callers };
  return always ? { kind: "always", ...callers } : { kind: "once" };
}

/** The subject of the question if it is not the input. A script's source is shown line by line. */
function aboutLines(subject: unknown): string[] {
  if (subject === undefined) return [];
  const { source, ...rest } = Object(subject) as { source?: unknown };
  const text = typeof source === "string" ? source.split("\n").map((line) => `  | ${line}`) : [];
  return [`  about ${JSON.stringify(typeof source === "string" ? rest : subject)}`, ...text];
}

/** Agents control the input, so every line is escaped for the terminal. */
function shown(approval: Approval): string {
  const { id, status, tool, question, input, principal, agent, askedAt, answeredBy, reason } = approval;
  const lines = [
    `${id}  ${status}  ${askedAt}`,
    `  ${question}`,
    `  ${tool} ${JSON.stringify(input)}`,
    ...aboutLines(approval.subject),
    `  asked by ${agent.agentId} (${principal.kind} ${principal.id})`,
    ...(approval.approvers === undefined
      ? []
      : [`  approved by ${approval.votes?.length ?? 0} of ${approval.approvers} people`]),
    ...(approval.assignee === undefined ? [] : [`  assigned to ${approval.assignee}`]),
    ...(answeredBy ? [`  answered by ${answeredBy}${reason ? `: ${reason}` : ""}`] : []),
  ];
  return `${lines.map((line) => printableText(line)).join("\n")}\n\n`;
}
