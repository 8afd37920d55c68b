import { Environment } from "@biplane/core/internal";
import type { Served } from "@biplane/core";
import type { Config } from "../../config/config-schema.ts";
import { cleanLine } from "./clean-text.ts";
import { exampleInput } from "./example-input.ts";
import { shellArgument, shellQuote } from "./shell-quote.ts";
import { fit } from "./width.ts";

export interface WelcomeOptions {
  readonly served: readonly Served[];
  readonly url: string;
  readonly limits: RateLimits;
  /** True if callers need a token. The examples then read it from `$TOKEN`. */
  readonly needsToken?: boolean;
}

type RateLimits = false | Pick<Exclude<Config["limits"], false>, "perPrincipal">;

/** What `biplane serve` prints when it listens. For one server it fits on a screen of 80 columns and 24 rows. */
export function welcome({ served, url: address, limits, needsToken = false }: WelcomeOptions): string {
  const [first] = served;
  const url = address.replace(/^ws/, "http");
  const lines = [
    ...served.flatMap((each, at) => endpoints(each, at === 0 ? url : `${url}/env/${each.name}`)),
    ...(served.length > 1 ? [""] : []),
    `  Admin page  ${url}/`,
    `  Rate limit  ${rateLimit(limits, served)}`,
    "",
    ...(first ? firstSteps(first, { url, needsToken }) : []),
    "",
    "  Add it to a desktop host (npx biplane install lists them):",
    `    npx biplane install cursor ${url}/mcp${needsToken ? " --bearer '$TOKEN'" : ""}`,
    "",
    "  Stop with Ctrl-C.",
  ];
  return lines.map((line) => cleanLine(line)).join("\n");
}

function endpoints(each: Served, base: string): string[] {
  const server = each instanceof Environment ? each.server : each;
  const names = Array.from(server.tools, ({ name }) => name);
  return [
    "",
    `  ${each.name} ${each.version} is running.`,
    "",
    fit(`  Tools       ${names.length === 0 ? "none" : names.join(", ")}`, columns),
    `  Agents      ${base}/mcp`,
    ...(hasTrainerEndpoints(each) ? [`  Trainers    ${base}   (OpenEnv, Eval Protocol, TRL)`] : []),
  ];
}

const columns = 80;

/** Production mode has no trainer endpoints. */
function hasTrainerEndpoints(each: Served): boolean {
  return each instanceof Environment && each.server.mode === "simulation";
}

/** Steps of simulated episodes are exempt from rate limits. */
function rateLimit(limits: RateLimits, served: readonly Served[]): string {
  const rate = limits === false ? false : limits.perPrincipal;
  if (rate === false) return "none (set limits in biplane.yaml)";
  const shown = `${rate.perSecond} calls/s per caller, burst ${rate.burst}`;
  return served.every(hasTrainerEndpoints)
    ? `none in episodes, otherwise ${shown}`
    : `${shown} (limits in biplane.yaml)`;
}

interface StepOptions {
  readonly url: string;
  readonly needsToken: boolean;
}

function firstSteps(first: Served, { url, needsToken }: StepOptions): string[] {
  const tools = Array.from((first instanceof Environment ? first.server : first).tools);
  const tool = tools.find(({ annotations }) => annotations.readOnlyHint === true) ?? tools[0];
  const where = needsToken ? "in another terminal, with a token in $TOKEN" : "in another terminal";
  const bearer = needsToken ? " --bearer '$TOKEN'" : "";
  if (!tool) return [`  Browse it, ${where}:`, `    npx biplane inspect ${url}/mcp${bearer}`];
  const example = exampleInput(tool.input.json);
  const curl = needsToken ? 'curl -s -H "Authorization: Bearer $TOKEN"' : "curl -s";
  const call = `    npx biplane call ${url}/mcp ${tool.name} ${pairs(example)}`.trimEnd() + bearer;
  if (hasTrainerEndpoints(first)) {
    // The call goes on in the episode that the reset started.
    return [
      `  Play an episode, ${where}:`,
      `    ${curl} ${url}/reset -d '{"seed":7}'`,
      call,
      `    npx biplane rollout --url ${url}${needsToken ? "/k/$TOKEN" : ""} --agent random -n 5`,
      "    npx biplane show last",
    ];
  }
  return [
    `  Call a tool, ${where}:`,
    `    ${curl} ${url}/mcp/execute -d ${shellQuote(JSON.stringify({ tool: tool.name, arguments: example }))}`,
    call,
  ];
}

function pairs(input: Readonly<Record<string, unknown>>): string {
  return Object.entries(input)
    .map(([key, value]) =>
      typeof value === "string" ? `${key}=${shellArgument(value)}` : `${key}:=${shellArgument(JSON.stringify(value))}`,
    )
    .join(" ");
}
