import { rename, writeFile } from "node:fs/promises";
import { command, file, option } from "./command/define.ts";
import { inputError } from "./command/exit-code.ts";
import { connectArgs, connectOptions } from "./target/connect-args.ts";
import { openTarget } from "./target/open-target.ts";
import { splitTarget } from "./target/read-target.ts";
import { targetArg } from "./target/target-arg.ts";
import { label } from "./terminal/label.ts";
import { shellArgument } from "./terminal/shell-quote.ts";
import { typesModule } from "./types/types-module.ts";

/** `biplane types http://127.0.0.1:8000/mcp --out shop.ts` */
export const typesCommand = command("Write a TypeScript module with the types of a server's tools", {
  args: {
    target: targetArg,
    ...connectArgs,
    out: option("The file to write (default: standard output)", { takes: file }),
  },
  run: async ({ args, rawArgs }) => {
    const { target } = splitTarget(args._, rawArgs);
    await using open = await openTarget(target, connectOptions(args));
    const tools = await open.client.listTools();
    if (tools.length === 0) throw inputError("The server has no tools.");
    const { name, version } = open.client.serverInfo;
    const server = { name: label(name), version: label(version) };
    const again = ["npx", "biplane", "types", ...withoutSecrets(rawArgs)].map(shellArgument).join(" ");
    const text = typesModule(tools, { server, command: again });
    if (args.out === undefined) return void process.stdout.write(text);
    await writeFile(`${args.out}.new`, text);
    await rename(`${args.out}.new`, args.out);
    process.stderr.write(`Wrote the types of ${tools.length} tools to ${args.out}\n`);
  },
});

/** The command line without tokens and headers. */
function withoutSecrets(rawArgs: readonly string[]): string[] {
  return rawArgs.filter((each, at) => {
    const before = rawArgs[at - 1] ?? "";
    return !/^--(bearer|header)(=|$)/.test(each) && before !== "--bearer" && before !== "--header";
  });
}
