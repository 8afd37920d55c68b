import { defineCommand } from "citty";
import type { Answer, Approval, Hold } from "../admin/approvals/approval.ts";
import { openApprovals } from "../admin/approvals/approvals.ts";
import type { Approvals } from "../admin/approvals/approvals.ts";
import { openAudit } from "../admin/audit/audit.ts";
import { BiplaneError, messageOf } from "../errors.ts";
import { printableText } from "../observe/printable.ts";
import { houseArgs, houseOptions } from "./house-args.ts";
import { personHere } from "./person.ts";
import { openKeptState } from "./state.ts";

const ids = {
  type: "positional",
  description: "The id of a call that waits; several may follow, or --all",
  required: false,
} as const;
const all = { type: "boolean", description: "Every call that waits", default: false } as const;

const list = defineCommand({
  meta: { name: "list", description: "What waits for an answer; --all also shows what was answered" },
  args: { all: { type: "boolean", description: "Answered ones too", default: false }, ...houseArgs },
  run: async ({ args }) => {
    await using desk = await openDesk(args);
    const found = await desk.approvals.list(args.all ? {} : { status: "waiting" });
    if (found.length === 0) process.stdout.write("Nothing waits.\n");
    for (const approval of found) process.stdout.write(shown(approval));
  },
});

const approve = defineCommand({
  meta: { name: "approve", description: "Say yes: once, or --always for exactly this input, or for a --pattern" },
  args: {
    ids,
    all,
    always: { type: "boolean", description: "From now on, for exactly this input and caller", default: false },
    pattern: {
      type: "string",
      description: 'From now on, for calls like this: \'{"arguments":{"amount":{"max":100}}}\'',
    },
    everyone: { type: "boolean", description: "With --always or --pattern: whoever calls", default: false },
    ...houseArgs,
  },
  run: async ({ args }) => answerAll(args, { verdict: "approve", hold: holdOf(args) }),
});

const reject = defineCommand({
  meta: { name: "reject", description: "Say no; the caller is told why" },
  args: { ids, all, reason: { type: "string", description: "Why", required: true }, ...houseArgs },
  run: async ({ args }) => answerAll(args, { verdict: "reject", reason: args.reason }),
});

const grants = defineCommand({
  meta: { name: "grants", description: "What was approved for good" },
  args: { ...houseArgs },
  run: async ({ args }) => {
    await using desk = await openDesk(args);
    const found = await desk.approvals.grants();
    if (found.length === 0) process.stdout.write("Nothing is approved for good.\n");
    for (const { id, tool, hash, pattern, principal, grantedBy, grantedAt } of found) {
      const what = hash === undefined ? JSON.stringify(pattern) : `${tool}, exactly ${hash.slice(0, 19)}…`;
      const whose = principal ? `${principal.kind} ${principal.id}` : "everyone";
      process.stdout.write(printableText(`${id}  ${what}  for ${whose}  by ${grantedBy} at ${grantedAt}`).concat("\n"));
    }
  },
});

const revoke = defineCommand({
  meta: { name: "revoke", description: "Take back what was approved for good" },
  args: {
    id: { type: "positional", description: "As biplane approvals grants shows it", required: true },
    ...houseArgs,
  },
  run: async ({ args }) => {
    await using desk = await openDesk(args);
    if (!(await desk.approvals.revoke(args.id, personHere())))
      throw new BiplaneError("INVALID_INPUT", `nothing is approved for good as ${args.id}`);
    process.stdout.write("Taken back.\n");
  },
});

/** `biplane approvals approve <id>`: answers calls that wait, also those of servers that run now on the same store. */
export const approvalsCommand = defineCommand({
  meta: { name: "approvals", description: "Calls that wait for a person: list, approve, reject, grants, revoke" },
  subCommands: { list, approve, reject, grants, revoke },
});

interface Desk extends AsyncDisposable {
  readonly approvals: Approvals;
}

async function openDesk(args: { config?: string | undefined; store?: string | undefined }): Promise<Desk> {
  const state = await openKeptState(houseOptions(args));
  const onFault = (fault: unknown) => process.stderr.write(`biplane: the audit log failed: ${messageOf(fault)}\n`);
  const audit = openAudit({ store: state.store, strict: true, onFault });
  return {
    approvals: openApprovals({ store: state.store, audit }),
    async [Symbol.asyncDispose]() {
      await audit.close();
      await state[Symbol.asyncDispose]();
    },
  };
}

type Answering = { _: string[]; all: boolean; config?: string | undefined; store?: string | undefined };

async function answerAll(args: Answering, answer: Answer): Promise<void> {
  await using desk = await openDesk(args);
  const waiting = args.all
    ? (await desk.approvals.list({ status: "waiting", limit: 1000 })).map(({ id }) => id)
    : args._;
  if (waiting.length === 0)
    throw new BiplaneError(
      "INVALID_INPUT",
      args.all ? "nothing waits" : "say which: an id of biplane approvals list, or --all",
    );
  for (const approval of await desk.approvals.answer(waiting, answer, personHere()))
    process.stdout.write(shown(approval));
}

function holdOf({
  always,
  pattern,
  everyone,
}: {
  always: boolean;
  pattern?: string | undefined;
  everyone: boolean;
}): Hold {
  const whose = { for: everyone ? "everyone" : "caller" } as const;
  if (pattern !== undefined) return { kind: "pattern", pattern: readJson(pattern), ...whose };
  return always ? { kind: "always", ...whose } : { kind: "once" };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new BiplaneError("INVALID_INPUT", `--pattern is not JSON: ${messageOf(error)}`);
  }
}

/** What a policy asks about instead of the input: a script's text line by line, the rest as it is. */
function aboutLines(subject: unknown): string[] {
  if (subject === undefined) return [];
  const { source, ...rest } = Object(subject) as { source?: unknown };
  const text = typeof source === "string" ? source.split("\n").map((line) => `  | ${line}`) : [];
  return [`  about ${JSON.stringify(typeof source === "string" ? rest : subject)}`, ...text];
}

/** What an agent sent is shown as text, whatever it is. */
function shown(approval: Approval): string {
  const { id, status, tool, question, input, principal, agent, askedAt, answeredBy, reason } = approval;
  const lines = [
    `${id}  ${status}  ${askedAt}`,
    `  ${question}`,
    `  ${tool} ${JSON.stringify(input)}`,
    ...aboutLines(approval.subject),
    `  asked by ${agent.agentId} (${principal.kind} ${principal.id})`,
    ...(answeredBy ? [`  answered by ${answeredBy}${reason ? `: ${reason}` : ""}`] : []),
  ];
  return `${lines.map((line) => printableText(line)).join("\n")}\n\n`;
}
