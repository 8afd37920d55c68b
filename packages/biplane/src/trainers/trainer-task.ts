import { setTimeout as pause } from "node:timers/promises";
import { BiplaneError } from "@biplane/core";
import type { EnvironmentClient } from "@biplane/core/client";
import type { Connector } from "@biplane/core/internal";
import { beginWithRetries } from "../rollout/begin.ts";
import { messageText } from "../rollout/message.ts";
import { firstMessages } from "../rollout/prompt.ts";
import { setupOf } from "../rollout/row.ts";
import type { Row } from "../rollout/row.ts";

/** A row as the files of a trainer hold it: how its episode starts, and what the model reads first. */
export interface TrainerTask {
  readonly id: string;
  /** Null if each episode has another one. */
  readonly seed: number | null;
  readonly config: Readonly<Record<string, unknown>>;
  /** The system message, or an empty text. */
  readonly system: string;
  /** The user message, with the first observation. */
  readonly prompt: string;
}

/** What the files of a trainer are made from. */
export interface TrainerExport {
  /** The environment's name. */
  readonly name: string;
  /** The server that the trainer connects to. */
  readonly url: string;
  readonly tasks: readonly TrainerTask[];
}

/** Starts each row's episode once, to read its first observation. */
export async function trainerTasks(connector: Connector, rows: readonly Row[]): Promise<TrainerTask[]> {
  const tasks: TrainerTask[] = [];
  const ids = new Set<string>();
  for (const [index, row] of rows.entries()) {
    const task = await trainerTask(connector, row, index);
    if (ids.has(task.id))
      throw new BiplaneError("INVALID_INPUT", `Two rows have the id ${JSON.stringify(task.id)}. Give each its own.`);
    ids.add(task.id);
    tasks.push(task);
  }
  return tasks;
}

async function trainerTask(connector: Connector, row: Row, index: number): Promise<TrainerTask> {
  const setup = setupOf(row, index);
  const { seed: _, ...config } = setup.context;
  let client: EnvironmentClient | undefined;
  try {
    const start = await beginWithRetries(
      { index, seed: setup.seed, config: setup.context, rowId: setup.id },
      {
        connector,
        groups: undefined,
        signal: new AbortController().signal,
        sleep: (ms) => pause(ms),
        random: Math.random,
        onClient: (opened) => (client = opened),
      },
    );
    const messages = firstMessages(row, setup, { start, style: "json" });
    const textOf = (isSystem: boolean) =>
      messages
        .filter(({ role }) => (role === "system") === isSystem)
        .map(messageText)
        .join("\n\n");
    return { id: setup.id, seed: safeSeed(setup.seed), config, system: textOf(true), prompt: textOf(false) };
  } finally {
    await client?.close();
  }
}

/** Trainers carry seeds as JSON numbers. */
function safeSeed(seed: number | bigint | null): number | null {
  if (seed === null || Number.isSafeInteger(seed)) return seed as number | null;
  throw new BiplaneError("INVALID_INPUT", `The seed ${seed} is too large for JSON. Use at most 2^53 - 1.`);
}
