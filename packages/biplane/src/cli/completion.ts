import { argument, command, oneOf, option } from "./command/define.ts";
import { usageError } from "./command/exit-code.ts";
import { bashScript } from "./completion/bash.ts";
import { fishScript } from "./completion/fish.ts";
import { completionNames, nameKinds } from "./completion/names.ts";
import type { CompletionNames } from "./completion/tables.ts";
import { commandTree } from "./completion/command-tree.ts";
import type { CompletionCommand } from "./completion/command-tree.ts";
import { zshScript } from "./completion/zsh.ts";

/** `biplane completion bash`: prints a completion script for the shell. */
export const completionCommand = command("Print a completion script for bash, zsh or fish", {
  args: {
    shell: argument("bash, zsh or fish", { takes: oneOf("bash", "zsh", "fish"), required: false }),
    names: option(`Used by the script: print names of a kind (${nameKinds.join(", ")})`, {
      takes: oneOf(...nameKinds),
    }),
  },
  run: async ({ args }) => {
    const kind = nameKinds.find((each) => each === args.names);
    if (kind) {
      for (const name of await completionNames(kind)) process.stdout.write(`${name}\n`);
      return;
    }
    const write = Object.hasOwn(scripts, args.shell ?? "") ? scripts[args.shell ?? ""] : undefined;
    if (!write) throw usageError(`Pass a shell: ${Object.keys(scripts).join(", ")}.`);
    const [environments, packs] = await Promise.all([completionNames("environments"), completionNames("packs")]);
    process.stdout.write(write(await commandTree(), { environments, packs }));
  },
});

const scripts: Readonly<Record<string, (commands: readonly CompletionCommand[], names: CompletionNames) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};
