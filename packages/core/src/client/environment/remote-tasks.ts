import { BiplaneError } from "../../errors.ts";
import { isRecord } from "../../is-record.ts";
import type { Task } from "../../environment/tasks.ts";
import { requestJson } from "./request-json.ts";
import type { RequestJsonOptions } from "./request-json.ts";

/** Reads the tasks of a split over OpenEnv's task API. */
export async function remoteTasks(
  base: string,
  split: string,
  connection: Pick<RequestJsonOptions, "http" | "options">,
): Promise<readonly Task[]> {
  try {
    const { body: names } = await requestJson(`${base}/list_environments`, { ...connection, method: "GET" });
    const name = String(Array.isArray(names) ? names[0] : names);
    const url = `${base}/${encodeURIComponent(name)}/tasks`;
    const { body } = await requestJson(url, { ...connection, method: "POST", body: { split } });
    return isRecord(body) && Array.isArray(body["tasks"]) ? (body["tasks"] as Task[]) : [];
  } catch (error) {
    if (!(error instanceof BiplaneError) || error.code !== "NOT_SUPPORTED") throw error;
    throw new BiplaneError("NOT_SUPPORTED", `${base} has no tasks: ${error.message}`, { cause: error });
  }
}
