import { argument, command, toggle, number, option } from "./command/define.ts";
import { isRecord } from "@biplane/core/internal";
import type { Client, Progress, ToolInfo } from "@biplane/core/client";
import { usageError } from "./command/exit-code.ts";
import type { Params } from "@biplane/core/internal";
import { callUntilAnswered } from "./target/call-until-answered.ts";
import { connectOptions, connectArgs } from "./target/connect-args.ts";
import { terminalAnswers } from "./target/terminal-answers.ts";
import { openTarget } from "./target/open-target.ts";
import { readArguments } from "./target/read-arguments.ts";
import { splitTarget } from "./target/read-target.ts";
import { targetArg } from "./target/target-arg.ts";
import { formatJson, showResult } from "./target/show-result.ts";
import { parseJsonArgument } from "./target/typed-value.ts";
import { cleanLine } from "./terminal/clean-text.ts";
import { didYouMean } from "./terminal/did-you-mean.ts";
import { interruptSignal } from "./terminal/interrupt.ts";

/** `biplane call <target> <tool> key=value`: prints the result; exits with 1 if the tool failed. */
export const callCommand = command("Call a tool of any MCP server", {
  args: {
    target: targetArg,
    tool: argument("The tool's name; biplane tools lists them"),
    arguments: argument("key=value, converted to the type in the tool's schema, or key:=json", {
      valueHint: "key=value …",
      required: false,
    }),
    ...connectArgs,
    timeout: option("Timeout of a request, and of the wait for an approval, in seconds (default: 30)", {
      takes: number,
    }),
    json: option("All arguments as one JSON object"),
    raw: toggle("Print the whole result as JSON"),
  },
  run: async ({ args, rawArgs }) => {
    const { target, rest } = splitTarget(args._, rawArgs);
    const [name = "", ...pairs] = rest;
    const connection = connectOptions(args);
    await using open = await openTarget(target, { ...connection, answers: terminalAnswers() });
    const tool = await findTool(open.client, name);
    const input =
      args.json === undefined ? readArguments(tool, pairs) : withPairs(wholeInput(args.json), { tool, pairs });
    using interrupt = interruptSignal();
    const result = await callUntilAnswered(open.client, {
      name,
      input,
      timeoutMs: connection.timeoutMs ?? 30_000,
      signal: interrupt.signal,
      onProgress: printProgress,
      resetTimeoutOnProgress: true,
    });
    process.stdout.write(`${args.raw ? formatJson(result) : showResult(result)}\n`);
    if (result.isError === true) process.exitCode = 1;
  },
});

async function findTool(client: Client, name: string): Promise<ToolInfo> {
  const tools = await client.listTools();
  const found = tools.find((tool) => tool.name === name);
  if (found) return found;
  const known = tools.map((tool) => tool.name);
  const listed = `Its tools: ${known.slice(0, 20).join(", ")}${known.length > 20 ? " …" : ""}.`;
  const hint = didYouMean(name, known, known.length === 0 ? "It has no tools." : listed);
  throw usageError(`The server has no tool ${JSON.stringify(name)}. ${hint}`);
}

function wholeInput(text: string): Params {
  const input = parseJsonArgument("--json", text);
  if (isRecord(input)) return input;
  throw usageError("--json must be a JSON object, such as '{\"key\": 1}'.");
}

/** `key=value` pairs override the `--json` object. Either may hold the required arguments. */
function withPairs(input: Params, { tool, pairs }: { tool: ToolInfo; pairs: readonly string[] }): Params {
  return { ...input, ...readArguments({ ...tool, inputSchema: { ...tool.inputSchema, required: [] } }, pairs) };
}

function printProgress({ progress, total, message }: Progress): void {
  const amount = total === undefined ? String(progress) : `${progress}/${total}`;
  process.stderr.write(`${cleanLine(`${amount}${message === undefined ? "" : ` ${message}`}`)}\n`);
}
