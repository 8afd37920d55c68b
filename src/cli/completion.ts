import { defineCommand } from "citty";
import { BiplaneError } from "../errors.ts";
import { bashScript } from "./completion/bash.ts";
import { fishScript } from "./completion/fish.ts";
import { namesOf, wordKinds } from "./completion/names.ts";
import type { Names } from "./completion/tables.ts";
import { placesOf } from "./completion/tree.ts";
import type { Place } from "./completion/tree.ts";
import { zshScript } from "./completion/zsh.ts";

/** `biplane completion bash`: a script after which the Tab key knows every command and option. */
export const completionCommand = defineCommand({
  meta: { name: "completion", description: "Print what makes the Tab key complete commands, in bash, zsh or fish" },
  args: {
    shell: { type: "positional", description: "bash, zsh or fish", required: false },
    words: { type: "string", description: `Print names instead, for the scripts: ${wordKinds.join(", ")}` },
  },
  run: async ({ args }) => {
    const kind = wordKinds.find((each) => each === args.words);
    if (kind) {
      for (const name of await namesOf(kind)) process.stdout.write(`${name}\n`);
      return;
    }
    const write = Object.hasOwn(scripts, args.shell ?? "") ? scripts[args.shell ?? ""] : undefined;
    if (!write) throw new BiplaneError("INVALID_INPUT", `say for which shell: ${Object.keys(scripts).join(", ")}`);
    const [environments, packs] = await Promise.all([namesOf("environments"), namesOf("packs")]);
    process.stdout.write(write(await placesOf(), { environments, packs }));
  },
});

const scripts: Readonly<Record<string, (places: readonly Place[], names: Names) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};
