import { defineCommand } from "citty";
import { Browser } from "./inspect/browser.ts";
import { summary } from "./inspect/summary.ts";
import { connectOptions, targetArgs } from "./target/target-args.ts";
import { openTarget } from "./target/open-target.ts";
import { readWords } from "./target/read-target.ts";
import { friendly } from "./terminal/friendly.ts";

/** `biplane inspect <server>`: tools, resources and prompts to look at and to try, in the terminal. */
export const inspectCommand = defineCommand({
  meta: { name: "inspect", description: "Look around in any MCP server, and try what it has" },
  args: {
    server: {
      type: "positional",
      description: "A URL, config.json#name, a .ts file, a name of the gallery, or a command after --",
      required: false,
    },
    ...targetArgs,
    print: { type: "boolean", description: "Print what there is instead, as without a terminal", default: false },
  },
  run: ({ args, rawArgs }) =>
    friendly(async () => {
      const { target } = readWords(args._, rawArgs);
      const { stdin: input, stdout: output } = process;
      const isPrinted = args.print || !input.isTTY || !output.isTTY || process.env["TERM"] === "dumb";
      const browser = new Browser();
      const answers = isPrinted ? {} : browser.answers;
      // On a screen of its own, a stray line would be written over what is there.
      const quiet = isPrinted ? {} : { onWarning: () => undefined };
      await using open = await openTarget(target, { ...connectOptions(args), answers, ...quiet });
      if (isPrinted) output.write(`${await summary(open.client)}\n`);
      else await browser.run(open.client, { input, output });
    }),
});
