import { command, toggle } from "./command/define.ts";
import { connectOptions, connectArgs } from "./target/connect-args.ts";
import { openTarget } from "./target/open-target.ts";
import { splitTarget } from "./target/read-target.ts";
import { targetArg } from "./target/target-arg.ts";
import { formatJson } from "./target/show-result.ts";
import { firstLine, signature } from "./target/signature.ts";
import { styler } from "./terminal/style.ts";

/** `biplane tools <target>` */
export const toolsCommand = command("List the tools of any MCP server", {
  args: {
    target: targetArg,
    ...connectArgs,
    raw: toggle("Print JSON with schemas"),
  },
  run: async ({ args, rawArgs }) => {
    const { target } = splitTarget(args._, rawArgs);
    await using open = await openTarget(target, connectOptions(args));
    const tools = await open.client.listTools();
    if (args.raw) process.stdout.write(`${formatJson(tools)}\n`);
    else if (tools.length === 0) process.stderr.write("The server has no tools.\n");
    const style = styler(process.stdout);
    for (const tool of args.raw ? [] : tools) {
      const about = firstLine(tool.description);
      process.stdout.write(`${style(signature(tool), "bold")}\n${about === "" ? "" : `    ${about}\n`}`);
    }
  },
});
