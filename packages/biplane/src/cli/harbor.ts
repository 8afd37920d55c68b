import { rename, writeFile } from "node:fs/promises";
import { Environment, isRecord, messageOf, tryParseJson } from "@biplane/core/internal";
import { version } from "../host/version.ts";
import { harborEpisode, harborRewards, serveHarborEpisode } from "../trainers/harbor-episode.ts";
import { harborTasks } from "../trainers/harbor-tasks.ts";
import { command, file, option } from "./command/define.ts";
import { inputError, usageError } from "./command/exit-code.ts";
import { listenUntilStopped } from "./listen.ts";
import { openServed } from "./target/open-served.ts";
import { readTarget } from "./target/read-target.ts";
import { targetArg } from "./target/target-arg.ts";
import { shellArgument } from "./terminal/shell-quote.ts";
import { exportArgs, openExport, writeExport } from "./trainers/open-export.ts";

const { server: _, ...initArgs } = exportArgs;
const { controlUrl } = harborEpisode;

const init = command("Write task folders for Harbor: a container with one episode, and a script that scores it", {
  args: {
    ...initArgs,
    image: option("Image with the environment, made by biplane image (default: built for built-in environments)"),
  },
  run: async ({ args, rawArgs }) => {
    const { kind } = readTarget(args.target);
    if (kind !== "environment" && kind !== "module")
      throw usageError("Harbor starts the environment in a container. Pass a built-in environment or a module.");
    if (kind === "module" && args.image === undefined)
      throw usageError(
        "A module needs --image, an image that has it. Make one: biplane image ./environment.ts --trainers",
      );
    const { name, tasks } = await openExport(args, rawArgs);
    const folder = args.folder ?? `${name}-tasks`;
    const files = harborTasks({ name, tasks, target: args.target, image: args.image, version });
    const next = [`harbor run -p ${shellArgument(folder)} -a claude-code -m anthropic/claude-opus-4-1`];
    await writeExport(folder, files, { isForced: args.force, next });
  },
});

const serve = command("Serve one episode of an environment; runs in the container of a task", {
  args: {
    target: {
      ...targetArg,
      description: "The environment: a built-in one (frozen-lake) or a module (./environment.ts)",
    },
    episode: option('Seed and config of the episode, such as {"seed":7,"config":{}}', { default: "{}" }),
    url: option("Address for agents, which reach the tools of the episode there", { default: "http://0.0.0.0:8000" }),
    control: option("Loopback address of the control plane, for biplane harbor score", { default: controlUrl }),
  },
  run: async ({ args }) => {
    const { seed, config } = readEpisode(args.episode);
    const served = await openServed(readTarget(args.target));
    if (!(served instanceof Environment))
      throw inputError(`${args.target} is not an environment, so it has no episodes.`);
    await listenUntilStopped({
      url: args.url,
      listen: () => serveHarborEpisode(served, { url: args.url, controlUrl: args.control, seed, config }),
      close: () => served.close(),
      welcome: (address) => `Serving one episode of ${served.name} at ${address}`,
    });
  },
});

const score = command("Print the reward of the episode as JSON; fails if there is none", {
  args: {
    control: option("Address of the control plane", { default: controlUrl }),
    out: option("The file to write (default: standard output)", { takes: file }),
  },
  run: async ({ args }) => {
    const rewards = await harborRewards(args.control).catch((error: unknown) => {
      throw inputError(messageOf(error));
    });
    const text = `${JSON.stringify(rewards)}\n`;
    if (args.out === undefined) process.stdout.write(text);
    else {
      await writeFile(`${args.out}.new`, text);
      await rename(`${args.out}.new`, args.out);
    }
  },
});

/** `biplane harbor init frozen-lake -n 20` */
export const harborCommand = command("Evaluate with Harbor", { subCommands: { init, serve, score } });

function readEpisode(text: string): { seed: number | undefined; config: unknown } {
  const episode = tryParseJson(text);
  if (!isRecord(episode)) throw usageError(`--episode must be a JSON object, not ${JSON.stringify(text)}.`);
  const { seed, config } = episode;
  if (seed !== undefined && !Number.isSafeInteger(seed))
    throw usageError(`seed in --episode must be an integer, not ${JSON.stringify(seed)}.`);
  return { seed: seed as number | undefined, config };
}
