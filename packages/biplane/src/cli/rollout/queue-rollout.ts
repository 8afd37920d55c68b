import { enqueueRun } from "../../queue/enqueue-run.ts";
import { checkPostgres, openQueue } from "../../queue/rollout-queue.ts";
import type { RolloutQueue } from "../../queue/rollout-queue.ts";
import { make } from "../../rollout/make.ts";
import { isActive } from "../../store/runs/run.ts";
import type { Run } from "../../store/runs/run.ts";
import type { SqlStore } from "../../store/sql-store.ts";
import { inputError, usageError } from "../command/exit-code.ts";
import { connectOptions } from "../target/connect-args.ts";
import { codeOf, hashOfCode } from "./code-hash.ts";
import { evaluate, readEvaluation } from "./evaluation.ts";
import { followRun, howToFollow } from "./follow-run.ts";
import { openAgent } from "./open-agent.ts";
import { openModels } from "./open-models.ts";
import { withoutUndefined, readName, settingsOf } from "./rollout-args.ts";
import type { RolloutArgs } from "./rollout-args.ts";
import { openRolloutTarget, openRows, readStyle, targetKind, wholeNumber } from "./rollout-target.ts";
import type { RunSettings } from "./rollout-target.ts";
import { chooseRun, openRuns } from "./runs-store.ts";

/** `biplane rollout … --queue`: lets workers play the run, and shows how far they are. */
export async function queueRollout(given: RolloutArgs, rawArgs: readonly string[]): Promise<void> {
  checkPostgres(given.store);
  checkQueueable(given);
  const { judge } = await openModels(given);
  const evaluation = await readEvaluation(given, judge?.chat);
  await using store = await openRuns(given);
  await using queue = await openQueue({ store, url: given.store });
  const run = await enqueue(given, rawArgs, { store, queue });
  if (!run) return;
  process.stderr.write(`Queued ${run.rows * run.repetitions} rollouts as the run ${run.id}.\n`);
  if (!given.wait) process.stdout.write(`${howToFollow(run, store)}\n`);
  else await evaluate(store, await followRun(store, run), evaluation);
}

export interface EnqueueParts {
  readonly store: SqlStore;
  readonly queue: RolloutQueue;
  /** The job of a due schedule, which only one process can use. */
  readonly job?: string;
}

/** Queues the run that a command line describes. Undefined if another process used the job. */
export async function enqueue(
  given: RolloutArgs,
  rawArgs: readonly string[],
  { store, queue, job }: EnqueueParts,
): Promise<Run | undefined> {
  const before = given.resume === undefined ? undefined : await chooseRun(store, given.resume);
  if (before && isActive(before)) throw inputError(`The run ${before.id} is being played. There is nothing to resume.`);
  const settings = before
    ? (before.settings as RunSettings)
    : await withCode({
        ...settingsOf(given, rawArgs),
        ...withoutUndefined({ bearer: given.bearer, header: given.header, retries: given.retries }),
      });
  const models = await openModels(settings);
  const { target, close } = await openRolloutTarget(settings, {
    user: models.user?.options,
    judge: models.judge?.chat,
  });
  try {
    const { agent } = await openAgent(settings, models);
    const options = { ...targetKind(settings), ...connectOptions(given) };
    await using envs = await make(target, { rows: await openRows(target, settings, options), ...options });
    const pass = given.scorer === undefined && given.pass !== undefined ? Number(given.pass) : undefined;
    return await enqueueRun(queue, envs, {
      ...withoutUndefined({ name: readName(given.name), pass, job }),
      store,
      agent,
      settings,
      steps: wholeNumber("steps", settings["steps"] ?? "512", 1),
      repetitions: wholeNumber("repetitions", settings["repetitions"] ?? "1", 1),
      style: readStyle(settings),
      concurrency: given.concurrency === undefined ? undefined : wholeNumber("concurrency", given.concurrency, 1),
      priority: Number(given.priority),
      ...(before && { run: before.id, resume: true }),
    });
  } finally {
    await close();
  }
}

/** Throws if workers cannot play the run. */
export function checkQueueable(given: RolloutArgs): void {
  const local = (["fork", "record", "trace-file", "openai-log", "max-cost"] as const).find((name) =>
    isGiven(given[name]),
  );
  if (local !== undefined) throw usageError(`--${local} needs a run in one process. Leave out --${local} or --queue.`);
  const waits = (["scorer", "export", "threshold", "max-standard-error"] as const).find((name) => isGiven(given[name]));
  if (!given.wait && waits !== undefined)
    throw usageError(`--${waits} needs the end of the run. Leave out --no-wait, or use biplane score when it is over.`);
  if (given.agent === "person") throw usageError("Workers cannot ask a person. Use another --agent with --queue.");
  const value = given.header?.replace(/^[^:]*:\s*(Bearer\s+)?/i, "");
  for (const [name, secret] of [["bearer", given.bearer] as const, ["header", value] as const])
    if (secret !== undefined && !/^\$(\w+|\{\w+\})$/.test(secret))
      throw usageError(
        `With --queue, --${name} must name a variable that the workers have, such as '$TOKEN' in single quotes: the queue stores no secrets.`,
      );
  if (Math.abs(Number(given.priority)) > maxPriority)
    throw usageError(`--priority must be from -${maxPriority} to ${maxPriority}, not ${given.priority}.`);
}

const maxPriority = 1_000_000;

function isGiven(value: string | boolean | undefined): boolean {
  return value !== undefined && value !== false;
}

/** Adds the hash of the code that workers load, so that none plays something else. */
async function withCode(settings: RunSettings): Promise<RunSettings> {
  const code = codeOf(settings);
  return code ? { ...settings, code: await hashOfCode(code) } : settings;
}
