import type { Environment } from "../../environment/environment.ts";
import type { StartOptions } from "../../environment/episodes.ts";
import { findTask, startOfTask } from "../../environment/task-catalog.ts";
import { isRecord } from "../../is-record.ts";
import { invalidField, refuseOtherFields } from "../detail-error.ts";
import { startOptions } from "../openenv/socket.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A request of `/seed_session`. */
export interface NemoSeed {
  /** The id that the environment server chose. A legacy request has none. */
  readonly id: string | undefined;
  /** Which try of which rollout the session is for. */
  readonly rollout: string;
  /** The fields that say how the episode starts. */
  readonly data: Fields;
}

/** Reads a typed request, or the dataset row that is a legacy one. */
export function readSeed(fields: Fields): NemoSeed {
  if (!("resources_session_id" in fields)) return { id: undefined, rollout: "", data: fields };
  refuseOtherFields(fields, ["resources_session_id", "episode_id", "task_id", "task_data"]);
  const { task_id: task, task_data: data } = fields;
  if (!isRecord(task)) throw invalid(["task_id"], "Input should be a valid dictionary", task);
  refuseOtherFields(task, ["taskset", "task_id"], ["task_id"]);
  if (data !== undefined && data !== null && !isRecord(data))
    throw invalid(["task_data"], "Input should be a valid dictionary", data);
  return { id: readSessionId(fields), rollout: readRollout(fields["episode_id"]), data: data ?? {} };
}

/** The id of a session in a typed request. */
export function readSessionId({ resources_session_id: id }: Fields): string {
  if (typeof id === "string" && id.length > 0 && id.length <= 256) return id;
  throw invalid(["resources_session_id"], "Input should be a string of 1 to 256 characters", id);
}

/** Reads `{rollout_id, attempt}` as one text. */
export function readRollout(episode: unknown): string {
  if (!isRecord(episode)) throw invalid(["episode_id"], "Input should be a valid dictionary", episode);
  refuseOtherFields(episode, ["rollout_id", "attempt"], ["episode_id"]);
  const { rollout_id: rollout, attempt = 0 } = episode;
  if (typeof rollout !== "string" || rollout.length > 256 || !/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(rollout))
    throw invalid(["episode_id", "rollout_id"], "Use 1 to 256 letters, digits and . _ -", rollout);
  if (!Number.isSafeInteger(attempt) || Number(attempt) < 0)
    throw invalid(["episode_id", "attempt"], "Input should be a valid integer of at least 0", attempt);
  return `${rollout} ${String(attempt)}`;
}

/** How the episode of a row starts: as the task at `split` and `index`, or with `seed` and `config`. */
export async function startOfRow(environment: Environment, data: Fields): Promise<StartOptions> {
  const { split, index, seed, config } = data;
  if (typeof split === "string" && typeof index === "number")
    return startOfTask(await findTask(environment, split, index));
  return startOptions({ seed, config });
}

function invalid(loc: readonly string[], msg: string, input: unknown) {
  return invalidField(loc, { type: "value_error", msg, input });
}
