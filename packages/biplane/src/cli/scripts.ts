import { inputError } from "./command/exit-code.ts";
import { argument, command, option } from "./command/define.ts";
import type { StandingDecision } from "../governance/approvals/approval.ts";
import { printableText } from "../observe/printable.ts";
import { unifiedDiff } from "../pack/filesystem/unified-diff.ts";
import type { Script } from "../pack/script/script.ts";
import type { ScriptApprovalState } from "../pack/script/approval-state.ts";
import { localPerson } from "./store-args.ts";
import { scriptReviewArgs, withScriptReview } from "./scripts/open-review.ts";
import type { ScriptReviewArguments } from "./scripts/open-review.ts";
import { runScriptCommand, testScriptCommand } from "./scripts/run.ts";

const name = argument("The script's name, without .star");
const sha256 = option("Only if the file has this hash, printed by biplane scripts show; at least 8 digits");

const list = command("List scripts and their approval status", {
  args: scriptReviewArgs,
  run: ({ args }) =>
    withScriptReview(args, async ({ scripts }) => {
      const listed = await scripts.library.list();
      if (listed.length === 0) process.stdout.write(`No scripts in ${scripts.settings.root}.\n`);
      for (const { name: each, script, problem } of listed) {
        const status = script ? (await scripts.approvalState(script)).status : "unusable";
        const about = script ? (script.header.description ?? "") : problem;
        process.stdout.write(printableText(`${each.padEnd(24)} ${status.padEnd(9)} ${about}`.trimEnd()).concat("\n"));
      }
    }),
});

const show = command("Show a script's source, hash, secrets and approval status", {
  args: { name, ...scriptReviewArgs },
  run: ({ args }) =>
    withScriptReview(args, async ({ scripts }) => {
      const script = await scripts.library.read(args.name);
      process.stdout.write(`${about(script, await scripts.approvalState(script))}\n${textOf(script.source)}`);
    }),
});

const diff = command("Show the changes since a script was last approved", {
  args: { name, ...scriptReviewArgs },
  run: ({ args }) =>
    withScriptReview({ ...args, needsStore: true }, async ({ scripts }) => {
      const script = await scripts.library.read(args.name);
      const before = await scripts.approvedSource(script);
      if (!before) throw inputError(`${script.file} has never been approved. See biplane scripts show ${args.name}.`);
      if (before.hash === script.sha256) return void process.stdout.write("No changes since the last approval.\n");
      process.stdout.write(textOf(await unifiedDiff(before.source, script.source, { path: script.file })));
    }),
});

const approve = command("Approve a script for all callers, until its file changes", {
  args: { name, sha256, ...scriptReviewArgs },
  run: async ({ args }) => decide(args, { verdict: "approve" }),
});

const reject = command("Reject a script; callers receive the reason", {
  args: {
    name,
    sha256,
    reason: option("Reason sent to callers", { required: true }),
    ...scriptReviewArgs,
  },
  run: async ({ args }) => decide(args, { verdict: "reject", reason: args.reason }),
});

/** `biplane scripts approve weather`: takes effect in servers running on the same store. */
export const scriptsCommand = command("Review, approve, run and test Starlark scripts", {
  subCommands: { list, show, diff, approve, reject, run: runScriptCommand, test: testScriptCommand },
});

type DecideArgs = ScriptReviewArguments & { readonly name: string; readonly sha256?: string | undefined };

/** Reads the file once, so that the output shows exactly what was decided about. */
function decide(args: DecideArgs, verdict: StandingDecision): Promise<void> {
  return withScriptReview({ ...args, needsStore: true }, async ({ scripts }) => {
    const script = await scripts.library.read(args.name);
    const expected = args.sha256?.replace(/^sha256:/, "");
    if (expected !== undefined && (expected.length < 8 || !script.sha256.startsWith(expected)))
      throw inputError(
        `${script.file} has changed: its sha256 is now ${script.sha256}. Review it again with biplane scripts show ${args.name}.`,
      );
    await scripts.decide(script, verdict, localPerson());
    process.stdout.write(about(script, await scripts.approvalState(script)));
  });
}

function about({ file, sha256: hash, header }: Script, { status, by, at, reason }: ScriptApprovalState): string {
  const { description, secrets } = header;
  const lines = [
    `${file}  ${status}${by === undefined ? "" : ` by ${by}`}${at === undefined ? "" : ` at ${at}`}`,
    ...(reason === undefined ? [] : [`  reason:  ${reason}`]),
    ...(description === undefined ? [] : [`  ${description}`]),
    `  secrets: ${secrets.length === 0 ? "none" : secrets.join(", ")}`,
    `  sha256:  ${hash}`,
  ];
  return `${lines.map((line) => printableText(line)).join("\n")}\n`;
}

/** Escapes control and bidirectional characters, which could hide code from the reviewer. */
function textOf(source: string): string {
  const lines = source.replace(/\n$/, "").split("\n");
  return lines.map((line) => `${line.split("\t").map(printableText).join("\t")}\n`).join("");
}
