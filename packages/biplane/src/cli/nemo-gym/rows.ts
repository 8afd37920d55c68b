import type { Environment } from "@biplane/core";
import { closeObjects, firstPrompt, isForModel, placedTasks, publicTask, startOfTask } from "@biplane/core/internal";
import type { PlacedTask } from "@biplane/core/internal";

/** A row of a dataset: what the model is asked and may call, and the place of its task. */
export interface NemoGymRow {
  readonly responses_create_params: object;
  readonly [field: string]: unknown;
}

/**
 * One row for each task. The server starts the same episode for it, so that the observation in the prompt is right.
 * The answer stays with the server.
 */
export async function datasetRows(
  environment: Environment,
  { split, most }: { readonly split: string; readonly most: number },
): Promise<NemoGymRow[]> {
  const rows: NemoGymRow[] = [];
  for (const placed of (await placedTasks(environment, split)).slice(0, most))
    rows.push({ ...publicTask(environment, placed), responses_create_params: await paramsOf(environment, placed) });
  return rows;
}

async function paramsOf(environment: Environment, placed: PlacedTask): Promise<object> {
  const episode = await environment.start(startOfTask(placed));
  try {
    const { system, user } = firstPrompt(episode, placed.task);
    const input = [
      ...(system === undefined ? [] : [{ role: "system", content: system }]),
      { role: "user", content: user },
    ];
    return { input, tools: toolsOf(environment), parallel_tool_calls: false };
  } finally {
    await environment.episodes.end(episode);
  }
}

/** Tools as the Responses API has them. Not every schema fits its strict mode. */
function toolsOf({ server }: Environment): object[] {
  return Array.from(server.tools)
    .filter(isForModel)
    .map(({ name, description = "", input }) => ({
      type: "function",
      name,
      description,
      parameters: closeObjects(input.json),
      strict: false,
    }));
}
