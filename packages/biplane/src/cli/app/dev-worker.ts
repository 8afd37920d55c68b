import { randomBytes } from "node:crypto";
import { dirname } from "node:path";
import { openPeople } from "../../governance/people/people.ts";
import { SignInKeys } from "../../governance/people/sign-in-keys.ts";
import { loadConfig } from "../../config/load-config.ts";
import type { LoadOptions } from "../../config/load-config.ts";
import type { ResolvedConfig } from "../../config/resolve-config.ts";
import { serverOf } from "@biplane/core/internal";
import { checkServed } from "@biplane/core/wire";
import type { Served } from "@biplane/core";
import { runHost } from "../run-host.ts";
import type { Host } from "../../host/open-host.ts";
import { loadServedFile } from "../../host/served.ts";
import { openHostState } from "../../host/state.ts";
import type { HostState } from "../../host/state.ts";
import { cleanLine } from "../terminal/clean-text.ts";
import { explainError } from "../terminal/explain-error.ts";
import type { FromDevWorker, ToDevWorker } from "./messages.ts";
import { sourcesOf } from "./sources-of.ts";

/** Set to 1 in the environment of a worker process. */
export const devWorkerVariable = "BIPLANE_DEV_WORKER";

export function isDevWorker(): boolean {
  return process.env[devWorkerVariable] === "1" && process.send !== undefined;
}

/**
 * Loads one version of the module and serves it until it is stopped. Each version gets its own process, because an
 * imported module cannot be unloaded.
 */
export async function runDevWorker(): Promise<void> {
  process.once("disconnect", () => process.exit(0));
  const begin = await received("begin");
  try {
    const options = optionsOf(begin);
    await using state = await openHostState(options);
    const sources = sourcesOf(begin.file);
    const served = await loadServedFile(begin.file);
    checkServed(served);
    send({ kind: "loaded", sources: await sources });
    const { url } = await received("open");
    const resolved = await loadConfig({ ...options, flags: { ...options.flags, listen: url } });
    await serveModule({ begin, served, state, resolved });
  } catch (error) {
    send({ kind: "failed", problem: explainError(error) });
    process.exitCode = 1;
  }
  process.disconnect();
}

interface WorkerParts {
  readonly begin: Extract<ToDevWorker, { kind: "begin" }>;
  readonly served: readonly Served[];
  readonly state: HostState;
  readonly resolved: ResolvedConfig;
}

/** Ignores the project's own config, which is for `biplane serve`. */
function optionsOf({ store }: WorkerParts["begin"]): LoadOptions {
  return { folder: dirname(store), environment: {}, flags: { store } };
}

async function serveModule({ begin, served, state, resolved }: WorkerParts): Promise<void> {
  const { version, changed } = begin;
  let module: { version: number; problem: string | null } = { version, problem: null };
  const keys = new SignInKeys(state.store);
  const linkTo = async (address: string) =>
    `${address}/${pathOf(served)}?key=${await keys.make(await developerAccount(state))}`;
  const first = changed.length === 0 ? await linkTo("") : undefined;
  await runHost({
    resolved,
    state,
    keys,
    module: () => module,
    more: () => served,
    welcome: (up) => (first === undefined ? reloaded(changed) : welcome(up, first)),
    meanwhile: (up) => {
      send({ kind: "up", url: up.url });
      const listen = (message: ToDevWorker) => {
        if (message.kind === "link") void linkTo(up.url).then((link) => process.stderr.write(`\n  ${link}\n\n`));
        if (message.kind !== "problem") return;
        module = { version, problem: message.problem };
        up.admin.bus.publish("module", module);
      };
      process.on("message", listen);
      return {
        [Symbol.asyncDispose]: async () => {
          process.off("message", listen);
          send({ kind: "closed" });
        },
      };
    },
  });
}

/** Creates the only account on first use. Its passphrase is random: the developer signs in with the link. */
async function developerAccount({ store }: HostState): Promise<string> {
  const people = openPeople({ store });
  if (await people.needsSetup()) await people.add({ name: developer, passphrase: randomBytes(24).toString("base64") });
  return developer;
}

const developer = "developer";

/** The page of the first tool with an app. */
function pathOf(served: readonly Served[]): string {
  for (const each of served) {
    const tool = Array.from(serverOf(each).tools).find(({ ui }) => ui?.uri !== undefined);
    if (tool) return `#/tools/${encodeURIComponent(each.name)}/${encodeURIComponent(tool.name)}`;
  }
  return "#/tools";
}

function welcome({ url, served }: Host, link: string): string {
  const names = served.map(({ name, version }) => `${name} ${version}`).join(", ");
  const hasApp = !link.startsWith("/#/tools?");
  return [
    "",
    `  ${cleanLine(names)} is running, and reloads when its files change.`,
    ...(hasApp ? [] : ["  None of its tools has an app yet. Add ui: app({ … }) to one."]),
    "",
    `  ${hasApp ? "App page " : "Admin page"}    ${url}${link}`,
    `  Agents (MCP)  ${url}/mcp`,
    "",
    "  The link works once. Press Enter for another, Ctrl-C to stop.",
  ].join("\n");
}

function reloaded(changed: readonly string[]): string {
  return `  ${cleanLine(changed.join(", "))} changed. Reloaded.`;
}

function send(message: FromDevWorker): void {
  if (process.connected) process.send?.(message);
}

function received<Kind extends ToDevWorker["kind"]>(kind: Kind): Promise<Extract<ToDevWorker, { kind: Kind }>> {
  return new Promise((resolve) => {
    const listen = (message: ToDevWorker) => {
      if (message.kind !== kind) return;
      process.off("message", listen);
      resolve(message as Extract<ToDevWorker, { kind: Kind }>);
    };
    process.on("message", listen);
  });
}
