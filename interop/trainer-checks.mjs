// What the suites of trainers share: files written by our commands, rollouts in process to compare with, and checks.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gallery } from "@biplane/gallery";

const root = fileURLToPath(new URL("..", import.meta.url));
const bin = process.platform === "win32" ? "Scripts" : "bin";

/** The words that start our program, from source. */
export const biplaneWords = [
  process.execPath,
  "--import",
  import.meta.resolve("tsx"),
  "--conditions=biplane-source",
  join(root, "packages", "biplane", "src", "cli", "main.ts"),
];

/** Runs a command line of ours. */
export async function biplane(...words) {
  const [node, ...rest] = biplaneWords;
  const { code, output } = await run(node, [...rest, ...words]);
  if (code !== 0) throw new Error(`biplane ${words.join(" ")} exited with ${code}: ${output.slice(-500)}`);
  return output;
}

/** A program of the suite's virtual environment. */
export function program(home, name) {
  return join(home, bin, name);
}

/** Runs a program to its end. What it writes goes to the log of the suite. */
export function run(command, words, { cwd = root, env = {}, seconds = 240 } = {}) {
  return new Promise((resolve) => {
    const options = { cwd, env: { ...process.env, ...env }, timeout: seconds * 1000, maxBuffer: 2 ** 28 };
    execFile(command, words, options, (error, stdout, stderr) => {
      process.stderr.write(`$ ${command} ${words.join(" ")}\n${stdout}${stderr}\n`);
      resolve({ code: error ? (error.code ?? -1) : 0, output: `${stdout}${stderr}`, stdout });
    });
  });
}

/** Plays actions in process until the episode is over: [[tool, input], …]. */
export async function playHere(name, { seed, config, actions }) {
  const environment = gallery[name]();
  const episode = await environment.start({ seed, config });
  for (const [tool, input] of actions) {
    if (episode.isOver) break;
    await environment.call(episode, tool, input);
  }
  const played = { reward: episode.totalReward, steps: episode.stepCount };
  await environment.close();
  return played;
}

/** Prints a check. `work` throws if it fails, and may return a note. */
export async function check(title, work) {
  const line = { check: title, result: "ok", note: "" };
  try {
    line.note = (await work()) ?? "";
  } catch (error) {
    process.stderr.write(`${error.stack}\n`);
    Object.assign(line, { result: "fail", note: String(error.message).slice(0, 500) });
  }
  console.log(JSON.stringify(line));
}
