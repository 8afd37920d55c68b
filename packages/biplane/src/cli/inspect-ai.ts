import { inspectTask } from "../trainers/inspect-task.ts";
import { pythonName } from "../trainers/python-name.ts";
import { command } from "./command/define.ts";
import { shellArgument } from "./terminal/shell-quote.ts";
import { exportArgs, openExport, writeExport } from "./trainers/open-export.ts";

/** `biplane inspect-ai frozen-lake -n 20` */
export const inspectAiCommand = command("Write a task for Inspect AI: an episode per sample, scored by the server", {
  args: exportArgs,
  run: async ({ args, rawArgs }) => {
    const made = await openExport(args, rawArgs);
    const name = pythonName(made.name);
    const folder = args.folder ?? name;
    const next = [
      "biplane serve …   # the environment",
      'pip install inspect-ai "mcp<2"',
      `cd ${shellArgument(folder)} && inspect eval ${name}.py --model openai/gpt-4o-mini`,
    ];
    await writeExport(folder, inspectTask(made), { isForced: args.force, next });
  },
});
