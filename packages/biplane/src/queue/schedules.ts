import { BiplaneError } from "@biplane/core";
import { messageOf } from "@biplane/core/internal";
import type { Schedule } from "pg-boss";
import { queueNames } from "./queue-tables.ts";
import type { RolloutQueue } from "./rollout-queue.ts";

/** A run that starts again and again. */
export interface RunSchedule {
  readonly name: string;
  readonly cron: string;
  readonly timeZone: string;
  /** The command line of the run, from `rollout` on. */
  readonly args: readonly string[];
}

/** A schedule that is due. */
export interface DueRun {
  readonly job: string;
  readonly schedule: string;
  readonly args: readonly string[];
}

/** Adds a schedule, or replaces the one of the same name. */
export async function addSchedule({ boss }: RolloutQueue, schedule: RunSchedule): Promise<void> {
  const { name, cron, timeZone, args } = schedule;
  if (!/^[\w.-]{1,50}$/.test(name))
    throw new BiplaneError(
      "INVALID_INPUT",
      `The name of a schedule has 1 to 50 letters, digits, dots, dashes and underscores, not ${JSON.stringify(name)}.`,
    );
  try {
    await boss.schedule(queueNames.schedules, cron, { schedule: name, args }, { tz: timeZone, key: name });
  } catch (error) {
    throw new BiplaneError(
      "INVALID_INPUT",
      `The schedule ${JSON.stringify(cron)} in ${timeZone} is not valid: ${messageOf(error)}. Use five fields, such as "0 3 * * *" for 3 o'clock every night.`,
      { cause: error },
    );
  }
}

/** The schedules by name, each with the next time it is due. */
export async function listSchedules({ boss }: RolloutQueue): Promise<(RunSchedule & { next: Date | undefined })[]> {
  const found = await boss.getSchedules(queueNames.schedules);
  return found.map((each) => {
    const schedule = scheduleFrom(each);
    const [next] = boss.previewSchedule(schedule.cron, { tz: schedule.timeZone, count: 1 });
    return { ...schedule, next };
  });
}

/** Throws if there is no such schedule. */
export async function findSchedule({ boss }: RolloutQueue, name: string): Promise<RunSchedule> {
  const found = (await boss.getSchedules(queueNames.schedules)).find(({ key }) => key === name);
  if (found) return scheduleFrom(found);
  throw new BiplaneError(
    "INVALID_INPUT",
    `There is no schedule ${JSON.stringify(name)}. List the schedules with \`biplane schedule list\`.`,
  );
}

export async function removeSchedule(queue: RolloutQueue, name: string): Promise<void> {
  await findSchedule(queue, name);
  await queue.boss.unschedule(queueNames.schedules, name);
}

/** Makes a schedule due now. A worker starts its run. */
export async function makeDue(queue: RolloutQueue, name: string): Promise<void> {
  const { args } = await findSchedule(queue, name);
  await queue.boss.send(queueNames.schedules, { schedule: name, args });
}

/** Takes a schedule that is due. If this process dies, another one takes it ten minutes later. */
export async function takeDue({ boss }: RolloutQueue): Promise<DueRun | undefined> {
  const [job] = await boss.fetch<Omit<DueRun, "job">>(queueNames.schedules);
  return job && { job: job.id, ...job.data };
}

/** Tries a due schedule again later, and the third time not any more. */
export async function failDue({ boss }: RolloutQueue, { job }: DueRun, reason: string): Promise<void> {
  await boss.fail(queueNames.schedules, job, { message: reason });
}

function scheduleFrom({ key, cron, timezone, data }: Schedule): RunSchedule {
  const { args = [] } = (data ?? {}) as { args?: readonly string[] };
  return { name: key, cron, timeZone: timezone, args };
}
