import { defineCommand } from "citty";
import type { Verdict } from "../admin/approvals/approval.ts";
import { BiplaneError } from "../errors.ts";
import { printableText } from "../observe/printable.ts";
import { unifiedDiff } from "../pack/filesystem/unified-diff.ts";
import type { Script } from "../pack/script/script.ts";
import type { Standing } from "../pack/script/standing.ts";
import { personHere } from "./person.ts";
import { deskArgs, openDesk } from "./script-desk.ts";
import type { DeskArguments } from "./script-desk.ts";
import { run, test } from "./script-run.ts";

const name = { type: "positional", description: "The script, without .star", required: true } as const;
const sha256 = { type: "string", description: "Only if the file still has this hash, as show printed it" } as const;

const list = defineCommand({
  meta: { name: "list", description: "The scripts, and what was decided about each" },
  args: deskArgs,
  run: async ({ args }) => {
    await using desk = await openDesk(args);
    const { library, settings } = desk.scripts;
    const listed = await library.list();
    if (listed.length === 0) process.stdout.write(`There are no scripts in ${settings.root}.\n`);
    for (const { name: each, script, problem } of listed) {
      const status = script ? (await desk.scripts.standing(script)).status : "unusable";
      const about = script ? (script.header.description ?? "") : problem;
      process.stdout.write(printableText(`${each.padEnd(24)} ${status.padEnd(9)} ${about}`.trimEnd()).concat("\n"));
    }
  },
});

const show = defineCommand({
  meta: { name: "show", description: "The text of a script, its hash, its secrets, and what was decided about it" },
  args: { name, ...deskArgs },
  run: async ({ args }) => {
    await using desk = await openDesk(args);
    const script = await desk.scripts.library.read(args.name);
    process.stdout.write(`${about(script, await desk.scripts.standing(script))}\n${textOf(script.source)}`);
  },
});

const diff = defineCommand({
  meta: { name: "diff", description: "What has changed since a script was last approved" },
  args: { name, ...deskArgs },
  run: async ({ args }) => {
    await using desk = await openDesk(args, { mustKeep: true });
    const script = await desk.scripts.library.read(args.name);
    const before = await desk.scripts.approvedSource(script);
    if (!before)
      throw new BiplaneError("INVALID_INPUT", `${script.file} has never been approved: see biplane scripts show`);
    if (before.hash === script.sha256) return void process.stdout.write("It is as it was approved.\n");
    process.stdout.write(textOf(unifiedDiff(before.source, script.source, script.file)));
  },
});

const approve = defineCommand({
  meta: { name: "approve", description: "Let a script run as it is now, whoever calls it, until it changes" },
  args: { name, sha256, ...deskArgs },
  run: async ({ args }) => decide(args, { verdict: "approve" }),
});

const reject = defineCommand({
  meta: { name: "reject", description: "Keep a script as it is now from running; callers are told why" },
  args: { name, sha256, reason: { type: "string", description: "Why", required: true }, ...deskArgs },
  run: async ({ args }) => decide(args, { verdict: "reject", reason: args.reason }),
});

/** `biplane scripts approve weather`: people's side of the script pack, also for servers that run now on the same store. */
export const scriptsCommand = defineCommand({
  meta: { name: "scripts", description: "Starlark scripts: list, show, diff, approve, reject, run, test" },
  subCommands: { list, show, diff, approve, reject, run, test },
});

type Deciding = DeskArguments & { readonly name: string; readonly sha256?: string | undefined };

/** The file is read once: what is shown here is what was decided about. */
async function decide(args: Deciding, verdict: Verdict): Promise<void> {
  await using desk = await openDesk(args, { mustKeep: true });
  const script = await desk.scripts.library.read(args.name);
  const expected = args.sha256?.replace(/^sha256:/, "");
  if (expected !== undefined && (expected.length < 8 || !script.sha256.startsWith(expected)))
    throw new BiplaneError(
      "INVALID_INPUT",
      `${script.file} is not what you looked at: its sha256 is ${script.sha256} now`,
    );
  await desk.scripts.decide(script, verdict, personHere());
  process.stdout.write(about(script, await desk.scripts.standing(script)));
}

function about({ file, sha256: hash, header }: Script, { status, by, at, reason }: Standing): string {
  const { description, secrets } = header;
  const lines = [
    `${file}  ${status}${by === undefined ? "" : ` by ${by}`}${at === undefined ? "" : ` at ${at}`}`,
    ...(reason === undefined ? [] : [`  because: ${reason}`]),
    ...(description === undefined ? [] : [`  ${description}`]),
    `  secrets: ${secrets.length === 0 ? "none" : secrets.join(", ")}`,
    `  sha256:  ${hash}`,
  ];
  return `${lines.map((line) => printableText(line)).join("\n")}\n`;
}

/** Nothing in a script moves the cursor or turns the direction of writing while it is being judged. */
function textOf(source: string): string {
  const lines = source.replace(/\n$/, "").split("\n");
  return lines.map((line) => `${line.split("\t").map(printableText).join("\t")}\n`).join("");
}
