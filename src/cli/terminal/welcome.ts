import { Environment } from "../../environment/environment.ts";
import type { Tool } from "../../tool/tool.ts";
import type { Served } from "../../wire/wing.ts";
import { cleanLine } from "./clean-text.ts";
import { exampleInput } from "./example-input.ts";
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
  const isTrained = each instanceof Environment && server.mode === "simulation";
  return [
    `  ${each.name} ${each.version} is up.`,
    "",
    fit(`  tools     ${names.length === 0 ? "none" : names.join(", ")}`, columns),
    `  agents    ${base}/mcp`,
    ...(isTrained ? [`  trainers  ${base}   (OpenEnv, Eval Protocol, TRL)`] : []),
    "",
  ];
}

const columns = 80;

/** A call to copy. In an environment a call needs an episode, so the trainer's door is tried. */
function tryIt(first: Served, url: string): string[] {
  const server = first instanceof Environment ? first.server : first;
  const tools = Array.from(server.tools);
  const tool = tools.find(({ annotations }) => annotations.readOnlyHint === true) ?? tools[0];
  if (!tool) return ["  Look around, in another terminal:", `    npx biplane inspect ${url}/mcp`];
  const example = exampleInput(tool.input.json);
  if (first instanceof Environment) return step(tool, example, url);
  return [
    "  Call a tool, in another terminal:",
    `    curl -s ${url}/mcp/execute -d ${quoted(JSON.stringify({ tool: tool.name, arguments: example }))}`,
    `    npx biplane call ${url}/mcp ${tool.name} ${words(example)}`.trimEnd(),
  ];
}

function step({ name }: Tool, example: Record<string, unknown>, url: string): string[] {
  return [
    "  Play, in another terminal:",
    `    curl -s ${url}/reset -d '{"seed":7}'`,
    `    npx biplane rollout --url ${url} --agent random -n 5`,
    `    npx biplane call ${url}/mcp ${name} ${words(example)}`.trimEnd(),
  ];
}

function words(input: Readonly<Record<string, unknown>>): string {
  return Object.entries(input)
    .map(([key, value]) =>
      typeof value === "string" ? `${key}=${bare(value)}` : `${key}:=${bare(JSON.stringify(value))}`,
    )
    .join(" ");
}

function bare(text: string): string {
  return /^[\w.,:/@+-]+$/.test(text) ? text : quoted(text);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
