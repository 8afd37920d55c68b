import { userInfo } from "node:os";
import { defineCommand } from "citty";
import { dryRunner, mustBeApproved } from "../desk/script-run.ts";
import { messageOf } from "../errors.ts";
import { printableText } from "../observe/printable.ts";
import { createGuard } from "../pack/net/guard.ts";
import { testsIn } from "../pack/script/entry.ts";
import type { ScriptSettings } from "../pack/script/options.ts";
import { scriptPack } from "../pack/script/pack.ts";
import { Runner } from "../pack/script/runner.ts";
import type { ScriptResult } from "../pack/script/runner.ts";
import type { Script } from "../pack/script/script.ts";
import { Server } from "../server/server.ts";
import { deskArgs, openDesk } from "./script-desk.ts";
import { version } from "./version.ts";

const name = { type: "positional", description: "The script, without .star", required: true } as const;

/** `biplane scripts run weather get_weather London`: the way an agent's call takes, from the terminal. */
export const run = defineCommand({
  meta: {
    name: "run",
    description: "Run an approved script; words after the function are its arguments, as JSON or text",
  },
  args: {
    name,
    function: { type: "positional", description: "The function; left out, main", required: false },
    ...deskArgs,
  },
  run: async ({ args }) => {
    await using desk = await openDesk(args, { mustKeep: true });
    const { scripts, approvals, audit, state } = desk;
    const { server: house, settings } = scripts;
    const script = await scripts.library.read(args.name);
    mustBeApproved(script, await scripts.standing(script));
    await using server = new Server({
      name: house,
      version,
      packs: [scriptPack({ ...settings, workers: 1 })],
      approver: approvals,
      audit,
      secrets: state.secrets,
      store: state.store,
    });
    const words = args._.slice(2).map(readWord);
    const called = args.function === undefined ? {} : { function: args.function, args: words };
    const caller = { principal: { kind: "local", id: userInfo().username, scopes: [] }, patienceMs: 0 } as const;
    const {
      value,
      output,
      duration_ms: durationMs,
    } = (await server.call("script_run", { name: args.name, ...called }, caller)) as {
      value: unknown;
      output: string;
      duration_ms: number;
    };
    process.stdout.write(shown({ value, output, durationMs }));
  },
});

/** `biplane scripts test weather`: its `test_*` functions, or the script itself, with nothing real in reach. */
export const test = defineCommand({
  meta: { name: "test", description: "Run a script's test_* functions, else a dry run: no network, no real secrets" },
  args: {
    name,
    live: { type: "boolean", description: "With network and secrets, if the script is approved", default: false },
    ...deskArgs,
  },
  run: async ({ args }) => {
    await using desk = await openDesk(args);
    const { scripts } = desk;
    const script = await scripts.library.read(args.name);
    if (args.live) mustBeApproved(script, await scripts.standing(script));
    await using runner = args.live ? liveRunner(scripts.settings) : dryRunner(scripts.settings);
    const tests = testsIn(script);
    for (const each of tests.length > 0 ? tests : [undefined]) await attempt(runner, script, each);
  },
});

async function attempt(runner: Runner, script: Script, test: string | undefined): Promise<void> {
  const title = test ?? script.file;
  try {
    const result = await runner.run(script, { function: test });
    process.stdout.write(`ok      ${title}\n${indented(shown(result))}`);
  } catch (error) {
    process.exitCode = 1;
    process.stdout.write(`failed  ${title}\n${indented(clean(messageOf(error)))}`);
  }
}

function liveRunner(settings: ScriptSettings): Runner {
  const { allow, maxHttpBytes: maxBytes, timeoutMs } = settings;
  return new Runner({ ...settings, workers: 1, guard: createGuard({ allow, maxBytes, timeoutMs }) });
}

/** JSON where it is JSON, else the word itself. */
function readWord(word: string): unknown {
  try {
    return JSON.parse(word);
  } catch {
    return word;
  }
}

function shown({ value, output, durationMs }: ScriptResult): string {
  const printed = output === "" ? "" : `printed:\n${indented(clean(output))}`;
  return `${printed}value: ${clean(JSON.stringify(value, undefined, 2))}took ${durationMs} ms\n`;
}

function clean(text: string): string {
  return `${text.split("\n").map(printableText).join("\n")}\n`;
}

function indented(text: string): string {
  return text.replaceAll(/^(?=.)/gm, "  ");
}
