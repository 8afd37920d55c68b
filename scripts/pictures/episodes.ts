import type { Admin } from "./admin.ts";
import { minute, pass, second } from "./clock.ts";
import { supportTasks } from "../../packages/gallery/src/broadband-support/tasks/support-tasks.ts";

/** The ids of episodes that people play, by name. */
export type PlayedEpisodes = Readonly<Record<"lake" | "wordle" | "four" | "support", string>>;

/** Plays an episode of each environment, some to their end. */
export async function playEpisodes(ada: Admin): Promise<PlayedEpisodes> {
  const task = supportTasks.find(({ level }) => level === 2) ?? supportTasks[0];
  const start = async (server: string, rest: object) =>
    (await ada.ask<{ id: string }>("POST /api/episodes", { server, ...rest })).id;
  const play = async (id: string, calls: readonly (readonly [string, unknown])[]) => {
    for (const [tool, input] of calls) {
      await ada.ask(`POST /api/episodes/${id}/calls`, { tool, input });
      pass(7 * second);
    }
    pass(2 * minute);
    return id;
  };
  const plan = (task?.plan ?? []).slice(0, 5);
  const support = plan.map((step) =>
    typeof step === "string" ? (["message_customer", { message: step }] as const) : step,
  );
  return {
    lake: await play(
      await start("frozen-lake", { seed: "42" }),
      ["DOWN", "DOWN", "RIGHT", "RIGHT"].map((action) => ["lake_move", { action }] as const),
    ),
    wordle: await play(
      await start("wordle", { seed: "3" }),
      ["crane", "moist", "build"].map((word) => ["word_guess", { message: `[${word}]` }] as const),
    ),
    four: await play(
      await start("connect-four", { seed: "1" }),
      [3, 3, 2, 4, 2, 5, 1].map((column) => ["piece_drop", { column }] as const),
    ),
    support: await play(await start("broadband-support", { config: { task_id: task?.id } }), support),
  };
}
