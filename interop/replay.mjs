// Runs a Python script that plays our server, and plays the same rollouts again in process.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { gallery } from "@biplane/gallery";
import { findTask, startOfTask } from "../packages/core/src/environment/task-catalog.ts";
import { fragile } from "./fragile.ts";

/** The environments that are played, by name. */
export const makers = { ...gallery, fragile };
const bin = process.platform === "win32" ? "Scripts" : "bin";

/** Passes the checks of the script on, and adds one: the rewards of its rollouts are those of the same in process. */
export async function replayChecks(script, [url, home], more = []) {
  const path = fileURLToPath(new URL(`python/${script}`, import.meta.url));
  const child = spawn(join(home, bin, "python"), [path, url, ...more], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((resolve) => child.once("close", resolve));
  const different = [];
  const count = { rollouts: 0, masked: 0, steps: 0 };
  for await (const line of createInterface(child.stdout)) {
    if (!line.startsWith('{"rollout"')) {
      console.log(line);
      continue;
    }
    const { rollout } = JSON.parse(line);
    const expected = await play(rollout);
    count.rollouts++;
    count.steps += rollout.actions.length;
    if (rollout.masked) count.masked++;
    const { reward, finished, masked } = rollout;
    const isEqual = reward === expected.reward && finished === expected.finished && masked === expected.masked;
    if (!isEqual) different.push(`${JSON.stringify(rollout)} is ${JSON.stringify(expected)} in process`);
  }
  const code = await ended;
  const isOk = code === 0 && different.length === 0 && count.rollouts > 0 && count.masked > 0;
  const note = isOk
    ? `${count.rollouts} rollouts, ${count.steps} calls, ${count.masked} masked`
    : `exit code ${code}, ${count.rollouts} rollouts, ${count.masked} masked; ${different.slice(0, 3).join("; ")}`;
  const check = "Rewards, ends and masks are those of the same rollouts in process";
  console.log(JSON.stringify({ check, result: isOk ? "ok" : "fail", note }));
}

async function play({ environment: name, split, index, actions }) {
  const environment = makers[name]();
  const episode = await environment.start(startOfTask(await findTask(environment, split, index)));
  for (const [tool, input] of actions) await environment.call(episode, tool, input).catch(() => undefined);
  const masked = episode.failure?.masked ?? false;
  const result = { reward: masked ? null : episode.totalReward, finished: !masked && episode.isOver, masked };
  await environment.close();
  return result;
}
