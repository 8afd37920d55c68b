import { pythonName } from "../trainers/python-name.ts";
import { verifiersPackage } from "../trainers/verifiers-package.ts";
import { command } from "./command/define.ts";
import { shellArgument } from "./terminal/shell-quote.ts";
import { exportArgs, openExport, writeExport } from "./trainers/open-export.ts";

const init = command("Write a Python package for verifiers and its hub, which plays an environment over MCP", {
  args: exportArgs,
  run: async ({ args, rawArgs }) => {
    const made = await openExport(args, rawArgs);
    const folder = args.folder ?? pythonName(made.name);
    const place = shellArgument(folder);
    const next = ["biplane serve …   # the environment", `uv pip install -e ${place}`, `vf-eval @ ${place}/eval.toml`];
    await writeExport(folder, verifiersPackage(made), { isForced: args.force, next });
  },
});

/** `biplane verifiers init frozen-lake -n 20` */
export const verifiersCommand = command("Train and evaluate with verifiers", { subCommands: { init } });
