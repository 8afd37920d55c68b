import { argument, command, file, option } from "./command/define.ts";
import { chooseSession } from "../recording/choose-session.ts";
import { labelSession } from "../recording/label-session.ts";
import { readSessionRecordings } from "../recording/read-sessions.ts";
import type { SessionRecording } from "../recording/read-sessions.ts";
import { usageError } from "./command/exit-code.ts";
import { recordingArg } from "./recording-arg.ts";
import { duration, short, table } from "./terminal/format.ts";
import { warn } from "./terminal/warn.ts";

const list = command("List the sessions of recordings", {
  args: { file: recordingArg },
  run: async ({ args }) => {
    const { sessions, warnings } = await readSessionRecordings(args._);
    for (const warning of warnings) warn(warning);
    const head = ["session", "began", "calls", "took", "reward", "split", "task"];
    process.stdout.write(`${table(head, sessions.map(rowOf))}\n`);
  },
});

const label = command("Label a session with its task; labels are added to the recording", {
  args: {
    file: argument("The recording", { takes: file, required: true }),
    session: option("The session: its id or a part of it (default: the only one)"),
    id: option("An id for the task"),
    task: option("What the user wanted"),
    answer: option("The expected final answer"),
    criteria: option("Criteria by which a judge scores a final answer"),
    split: option("The split of the task, such as test (default: train)"),
  },
  run: async ({ args }) => {
    const { id, task, answer, criteria, split } = args;
    const given = { id, task, answer, criteria, split };
    const fields = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    if (Object.keys(fields).length === 0)
      throw usageError("Pass at least one of --id, --task, --answer, --criteria and --split.");
    const { sessions } = await readSessionRecordings([args.file]);
    const [only] = sessions;
    if (args.session === undefined && (!only || sessions.length > 1))
      throw usageError(`${args.file} has ${sessions.length} sessions. Choose one with --session.`);
    const session = args.session === undefined ? (only as SessionRecording) : chooseSession(sessions, args.session);
    labelSession(args.file, session.id, fields);
    process.stdout.write(`Labelled ${session.id}: ${Object.keys(fields).join(", ")}.\n`);
  },
});

/** `biplane recordings list sessions.jsonl` */
export const recordingsCommand = command("List and label recorded sessions", { subCommands: { list, label } });

function rowOf({ id, at, calls, label: { id: name, split, task } }: SessionRecording): string[] {
  const rewards = calls.flatMap(({ step }) => (typeof step?.reward === "number" ? [step.reward] : []));
  const [took, total] = [calls.map(({ durationMs }) => durationMs), rewards].map((each) =>
    each.reduce((sum, value) => sum + value, 0),
  );
  return [
    name === undefined ? id : `${name} (${id})`,
    at,
    String(calls.length),
    duration(took ?? 0),
    rewards.length === 0 ? "" : short(total ?? 0),
    split ?? "train",
    (task ?? "").slice(0, 60),
  ];
}
