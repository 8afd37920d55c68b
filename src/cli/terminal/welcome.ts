import { Environment } from "../../environment/environment.ts";
import type { Served } from "../../wire/wing.ts";
import { cleanLine } from "./clean-text.ts";
import { exampleInput } from "./example-input.ts";
import { quotedWord, shellWord } from "./shell-word.ts";
import { fit } from "./width.ts";

/** What to do next with what is served: for one server it fits on a screen of 80 columns and 24 rows. */
export function welcome(served: readonly Served[], address: string): string {
  const [first] = served;
  const url = address.replace(/^ws/, "http");
  const lines = [
    "",
    ...served.flatMap((each, at) => doors(each, at === 0 ? url : `${url}/env/${each.name}`)),
    `  Open the page:  ${url}/`,
    "",
    ...(first ? tryIt(first, url) : []),
    "",
    "  In the MCP settings of a desktop host:",
    `    ${JSON.stringify(first?.name ?? "biplane")}: { "type": "http", "url": "${url}/mcp" }`,
    "",
    "  Stop with Ctrl-C.",
  ];
  return lines.map((line) => cleanLine(line)).join("\n");
}

function doors(each: Served, base: string): string[] {
  const server = each instanceof Environment ? each.server : each;
  const names = Array.from(server.tools, ({ name }) => name);
  return [
    `  ${each.name} ${each.version} is up.`,
    "",
    fit(`  tools     ${names.length === 0 ? "none" : names.join(", ")}`, columns),
    `  agents    ${base}/mcp`,
    ...(isTrained(each) ? [`  trainers  ${base}   (OpenEnv, Eval Protocol, TRL)`] : []),
    "",
  ];
}

const columns = 80;

/** Whether the doors of trainers are open. */
function isTrained(each: Served): boolean {
  return each instanceof Environment && each.server.mode === "simulation";
}

/** A call to copy. In an environment a call needs an episode, so the trainer's door is tried, where it is open. */
function tryIt(first: Served, url: string): string[] {
  if (isTrained(first)) return play(url);
  const tools = first instanceof Environment ? [] : Array.from(first.tools);
  const tool = tools.find(({ annotations }) => annotations.readOnlyHint === true) ?? tools[0];
  if (!tool) return ["  Look around, in another terminal:", `    npx biplane inspect ${url}/mcp`];
  const example = exampleInput(tool.input.json);
  return [
    "  Call a tool, in another terminal:",
    `    curl -s ${url}/mcp/execute -d ${quotedWord(JSON.stringify({ tool: tool.name, arguments: example }))}`,
    `    npx biplane call ${url}/mcp ${tool.name} ${words(example)}`.trimEnd(),
  ];
}

function play(url: string): string[] {
  return [
    "  Play, in another terminal:",
    `    curl -s ${url}/reset -d '{"seed":7}'`,
    `    npx biplane rollout --url ${url} --agent random -n 5`,
    "    npx biplane show last",
  ];
}

function words(input: Readonly<Record<string, unknown>>): string {
  return Object.entries(input)
    .map(([key, value]) =>
      typeof value === "string" ? `${key}=${shellWord(value)}` : `${key}:=${shellWord(JSON.stringify(value))}`,
    )
    .join(" ");
}
