import { randomBytes } from "node:crypto";
import { dirname } from "node:path";
import { openPeople } from "../../admin/people/people.ts";
import { SignInKeys } from "../../admin/people/sign-in-keys.ts";
import { loadConfig } from "../../config/load-config.ts";
import type { LoadOptions } from "../../config/load-config.ts";
import type { ResolvedConfig } from "../../config/resolve-config.ts";
import { serverOf } from "../../desk/served.ts";
import { checkServed } from "../../wire/start-rules.ts";
import type { Served } from "../../wire/wing.ts";
import { runHouse } from "../run-house.ts";
import type { Up } from "../run-house.ts";
import { fromFile } from "../served.ts";
import { openState } from "../state.ts";
import type { State } from "../state.ts";
import { cleanLine } from "../terminal/clean-text.ts";
import { explain } from "../terminal/explain.ts";
import type { FromWorkbench, ToWorkbench } from "./messages.ts";
import { sourcesOf } from "./sources-of.ts";

/** Says to a process that it is a workbench. */
export const workbenchMark = "BIPLANE_APP_WORKBENCH";

export function isWorkbench(): boolean {
  return process.env[workbenchMark] === "1" && process.send !== undefined;
}

/**
 * A process with one state of the module in it: loads it, says so, and serves it as a house of its own until it is told to
 * go. Another state is another process, because a module that was imported cannot be forgotten.
 */
export async function runWorkbench(): Promise<void> {
  process.once("disconnect", () => process.exit(0));
  const begin = await heard("begin");
  try {
    const options = optionsOf(begin);
    await using state = await openState(options);
    const sources = sourcesOf(begin.file);
    const served = await fromFile(begin.file);
    checkServed(served);
    tell({ kind: "loaded", sources: await sources });
    const { url } = await heard("open");
    const resolved = await loadConfig({ ...options, flags: { ...options.flags, listen: url } });
    await serveModule({ begin, served, state, resolved });
  } catch (error) {
    tell({ kind: "failed", problem: explain(error) });
    process.exitCode = 1;
  }
  process.disconnect();
}

interface Bench {
  readonly begin: Extract<ToWorkbench, { kind: "begin" }>;
  readonly served: readonly Served[];
  readonly state: State;
  readonly resolved: ResolvedConfig;
}

/** A house of its own: what the project says of itself is for `biplane serve`. */
function optionsOf({ store }: Bench["begin"]): LoadOptions {
  return { folder: dirname(store), environment: {}, flags: { store } };
}

async function serveModule({ begin, served, state, resolved }: Bench): Promise<void> {
  const { version, changed } = begin;
  let module: { version: number; problem: string | null } = { version, problem: null };
  const keys = new SignInKeys(state.store);
  const linkTo = async (address: string) =>
    `${address}/${placeOf(served)}?key=${await keys.make(await somebody(state))}`;
  const first = changed.length === 0 ? await linkTo("") : undefined;
  await runHouse({
    resolved,
    state,
    keys,
    module: () => module,
    more: () => served,
    welcome: (up) => (first === undefined ? reloaded(changed) : welcome(up, first)),
    meanwhile: (up) => {
      tell({ kind: "up", url: up.url });
      const listen = (message: ToWorkbench) => {
        if (message.kind === "link") void linkTo(up.url).then((link) => process.stderr.write(`\n  ${link}\n\n`));
        if (message.kind !== "problem") return;
        module = { version, problem: message.problem };
        up.desk.bus.publish("module", module);
      };
      process.on("message", listen);
      return {
        [Symbol.asyncDispose]: async () => {
          process.off("message", listen);
          tell({ kind: "closed" });
        },
      };
    },
  });
}

/** The one person of the house. Nobody knows the passphrase: one comes in by the link. */
async function somebody({ store }: State): Promise<string> {
  const people = openPeople({ store });
  if (await people.isEmpty()) await people.add({ name: developer, passphrase: randomBytes(24).toString("base64") });
  return developer;
}

const developer = "developer";

/** The first tool with an app, opened in the page. */
function placeOf(served: readonly Served[]): string {
  for (const each of served) {
    const tool = Array.from(serverOf(each).tools).find(({ ui }) => ui?.uri !== undefined);
    if (tool) return `#/tools/${encodeURIComponent(each.name)}/${encodeURIComponent(tool.name)}`;
  }
  return "#/tools";
}

function welcome({ url, served }: Up, link: string): string {
  const names = served.map(({ name, version }) => `${name} ${version}`).join(", ");
  const hasApp = !link.startsWith("/#/tools?");
  return [
    "",
    `  ${cleanLine(names)} is up, and is loaded again whenever its files change.`,
    ...(hasApp ? [] : ["  None of its tools has an app yet: give one ui: app({ … })."]),
    "",
    `  Open ${hasApp ? "the app" : "the page"}:  ${url}${link}`,
    `  Agents (MCP):  ${url}/mcp`,
    "",
    "  The link works once. Enter gives another, Ctrl-C stops.",
  ].join("\n");
}

function reloaded(changed: readonly string[]): string {
  return `  ${cleanLine(changed.join(", "))} changed: loaded again.`;
}

function tell(message: FromWorkbench): void {
  if (process.connected) process.send?.(message);
}

function heard<Kind extends ToWorkbench["kind"]>(kind: Kind): Promise<Extract<ToWorkbench, { kind: Kind }>> {
  return new Promise((resolve) => {
    const listen = (message: ToWorkbench) => {
      if (message.kind !== kind) return;
      process.off("message", listen);
      resolve(message as Extract<ToWorkbench, { kind: Kind }>);
    };
    process.on("message", listen);
  });
}
