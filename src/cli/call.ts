import { defineCommand } from "citty";
import { unknownName } from "../call/rules/near-miss.ts";
import type { Client } from "../client/client.ts";
import type { Progress } from "../client/options.ts";
import type { ToolInfo } from "../client/results.ts";
import { BiplaneError } from "../errors.ts";
import { isObject } from "../protocol/rpc.ts";
import type { Params } from "../protocol/rpc.ts";
import { connectOptions, targetArgs } from "./target/target-args.ts";
import { terminalAnswers } from "./target/terminal-answers.ts";
import { openTarget } from "./target/open-target.ts";
import { readArguments } from "./target/read-arguments.ts";
import { readWords } from "./target/read-target.ts";
import { showJson, showResult } from "./target/show-result.ts";
import { json } from "./target/typed-value.ts";
import { cleanLine } from "./terminal/clean-text.ts";
import { friendly } from "./terminal/friendly.ts";

/** `biplane call <server> <tool> key=value`: calls a tool, prints what it says, and fails if it did. */
export const callCommand = defineCommand({
  meta: {
    name: "call",
    description: "Call a tool of any MCP server: biplane call <server> <tool> key=value key:=json",
  },
  args: {
    server: {
      type: "positional",
      description: "A URL, config.json#name, a .ts file, a name of the gallery, or a command after --",
      required: false,
    },
    tool: { type: "positional", description: "The tool", required: false },
    arguments: {
      type: "positional",
      description: "key=value, typed by the tool's schema, or key:=json",
      required: false,
    },
    ...targetArgs,
    json: { type: "string", description: "All arguments as one JSON object" },
    raw: { type: "boolean", description: "The whole result as JSON", default: false },
  },
  run: ({ args, rawArgs }) =>
    friendly(async () => {
      const { target, rest } = readWords(args._, rawArgs);
      const [name, ...words] = rest;
      if (name === undefined) throw new BiplaneError("INVALID_DEFINITION", "say which tool; biplane tools lists them");
      await using open = await openTarget(target, { ...connectOptions(args), answers: terminalAnswers() });
      const tool = await findTool(open.client, name);
      const input =
        args.json === undefined ? readArguments(tool, words) : withWords(wholeInput(args.json), tool, words);
      const stop = new AbortController();
      const interrupt = () => stop.abort();
      process.once("SIGINT", interrupt);
      try {
        const result = await open.client.callTool(name, input, {
          signal: stop.signal,
          onProgress: tell,
          resetTimeoutOnProgress: true,
        });
        process.stdout.write(`${args.raw ? showJson(result) : showResult(result)}\n`);
        if (result.isError === true) process.exitCode = 1;
      } finally {
        process.off("SIGINT", interrupt);
      }
    }),
});

async function findTool(client: Client, name: string): Promise<ToolInfo> {
  const tools = await client.listTools();
  const found = tools.find((tool) => tool.name === name);
  if (found) return found;
  const known = tools.map((tool) => tool.name);
  const hint =
    known.length === 0
      ? "is not a tool of this server; it has none"
      : unknownName(name, known, "a tool of this server");
  throw new BiplaneError("TOOL_NOT_FOUND", `${JSON.stringify(name)} ${hint}`);
}

function wholeInput(text: string): Params {
  const input = json("--json", text);
  if (isObject(input)) return input;
  throw new BiplaneError("INVALID_INPUT", "--json must be an object, such as '{\"key\": 1}'");
}

/** What is written word by word goes over what is in the object; what is needed may be in either. */
function withWords(input: Params, tool: ToolInfo, words: readonly string[]): Params {
  return { ...input, ...readArguments({ ...tool, inputSchema: { ...tool.inputSchema, required: [] } }, words) };
}

function tell({ progress, total, message }: Progress): void {
  const how = total === undefined ? String(progress) : `${progress}/${total}`;
  process.stderr.write(`${cleanLine(`${how}${message === undefined ? "" : ` ${message}`}`)}\n`);
}
