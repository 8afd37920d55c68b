import { defineCommand } from "citty";
import { connectOptions, targetArgs } from "./target/target-args.ts";
import { openTarget } from "./target/open-target.ts";
import { readWords } from "./target/read-target.ts";
import { showJson } from "./target/show-result.ts";
import { firstLine, signature } from "./target/signature.ts";
import { friendly } from "./terminal/friendly.ts";
import { styler } from "./terminal/style.ts";

/** `biplane tools <server>`: what tools a server has, and what they take. */
export const toolsCommand = defineCommand({
  meta: { name: "tools", description: "List the tools of any MCP server" },
  args: {
    server: {
      type: "positional",
      description: "A URL, config.json#name, a .ts file, a name of the gallery, or a command after --",
      required: false,
    },
    ...targetArgs,
    raw: { type: "boolean", description: "As JSON, with schemas", default: false },
  },
  run: ({ args, rawArgs }) =>
    friendly(async () => {
      const { target } = readWords(args._, rawArgs);
      await using open = await openTarget(target, connectOptions(args));
      const tools = await open.client.listTools();
      if (args.raw) process.stdout.write(`${showJson(tools)}\n`);
      else if (tools.length === 0) process.stderr.write("This server has no tools.\n");
      const style = styler(process.stdout);
      for (const tool of args.raw ? [] : tools) {
        const about = firstLine(tool.description);
        process.stdout.write(`${style(signature(tool), "bold")}\n${about === "" ? "" : `    ${about}\n`}`);
      }
    }),
});
