import { command, countFromOne, number, oneOf, option, toggle } from "./command/define.ts";
import type { GivenArgs } from "./command/define.ts";
import { rules } from "@biplane/core";
import { plural } from "@biplane/core/internal";
import { answerJudge } from "../recording/answer-judge.ts";
import { environmentFromRecording } from "../recording/recorded-environment.ts";
import { liveFallback } from "../recording/live-fallback.ts";
import type { LiveFallback } from "../recording/live-fallback.ts";
import { readSessionRecordings } from "../recording/read-sessions.ts";
import { listenUntilStopped } from "./listen.ts";
import { recordingArg } from "./recording-arg.ts";
import { judgeArgs, openModels } from "./rollout/open-models.ts";
import { finiteNumber, wholeNumber } from "./rollout/rollout-target.ts";
import { openServed } from "./target/open-served.ts";
import { readTarget } from "./target/read-target.ts";
import { cleanLine } from "./terminal/clean-text.ts";
import { warn } from "./terminal/warn.ts";

const args = {
  file: recordingArg,
  url: option("Address: http://host:port, ws://host:port or stdio", { default: "http://127.0.0.1:8000" }),
  name: option("The environment's name (default: that of the recorded server)"),
  order: option("strict: calls in their recorded order; any: the same calls in any order", {
    takes: oneOf("strict", "any"),
    default: "strict",
  }),
  "end-on-divergence": toggle("End an episode at the first call that was not recorded there"),
  steps: option("Calls after which an episode is truncated (default: twice the recorded ones, and 10 more)", {
    takes: countFromOne,
  }),
  "path-weight": option("Weight of the path in the reward (default: 0.5, or 1 without a final answer)", {
    takes: number,
  }),
  "answer-weight": option("Weight of the final answer in the reward", { takes: number, default: "0.5" }),
  live: option("Target for calls that are not in the recording; only read-only tools may run"),
  "judge-model": judgeArgs["judge-model"],
  "judge-key": judgeArgs["judge-key"],
  "base-url": option("Base URL of the judge's /chat/completions, unless --judge-model names it"),
  "allow-live": option("With --live: the tools that may run instead, comma-separated; * stands for any characters"),
} as const;

const fromRecording = command("Serve recorded sessions as an environment; each session is a task", {
  args,
  run: async ({ args: given }) => {
    const recordings = await readSessionRecordings(given._);
    for (const warning of recordings.warnings) warn(warning);
    const { order, name, steps, "path-weight": path, "answer-weight": answer } = given;
    const { judge } = await openModels({
      "judge-model": given["judge-model"],
      "judge-key": given["judge-key"],
      "base-url": given["base-url"],
    });
    const live = await openLive(given);
    const environment = environmentFromRecording(recordings, {
      order: order === "any" ? "any" : "strict",
      endOnDivergence: given["end-on-divergence"],
      ...(name !== undefined && { name }),
      ...(steps !== undefined && { maxSteps: wholeNumber("steps", steps, 1) }),
      weights: {
        answer: finiteNumber("answer-weight", answer),
        ...(path !== undefined && { path: finiteNumber("path-weight", path) }),
      },
      ...(judge && { judge: answerJudge(judge.chat) }),
      ...(live && { live }),
    });
    await listenUntilStopped({
      url: given.url,
      listen: () => environment.serve(given.url),
      close: () => environment.close(),
      welcome: (address) =>
        `${cleanLine(`  ${environment.name}: ${plural(recordings.sessions.length, "recorded session")}`)}\n\nEnvironment: ${address}\nStop with Ctrl-C.`,
    });
  },
});

/** `biplane env from-recording sessions.jsonl` */
export const envCommand = command("Make environments", { subCommands: { "from-recording": fromRecording } });

async function openLive({
  live,
  "allow-live": tools,
}: Pick<GivenArgs<typeof args>, "live" | "allow-live">): Promise<LiveFallback | undefined> {
  if (live === undefined) return undefined;
  const allowed = tools?.split(",").map((each) => each.trim());
  return liveFallback(await openServed(readTarget(live)), {
    ...(allowed && { policies: [rules([{ tool: allowed, allow: true }], { otherwise: "deny" })] }),
  });
}
