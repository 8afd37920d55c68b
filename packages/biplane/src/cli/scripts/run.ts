import { argument, command, toggle } from "../command/define.ts";
import { userInfo } from "node:os";
import { dryRunner, mustBeApproved } from "../../admin/scripts/script-run.ts";
import { ServerCore, messageOf, tryParseJson } from "@biplane/core/internal";
import { printableText } from "../../observe/printable.ts";
import { createNetworkGuard } from "../../pack/shared/net/network-guard.ts";
import { testsIn } from "../../pack/script/entry-point.ts";
import type { ScriptSettings } from "../../pack/script/options.ts";
import { scriptPack } from "../../pack/script/pack.ts";
import { ScriptRunner } from "../../pack/script/runner.ts";
import type { ScriptResult } from "../../pack/script/runner.ts";
import type { Script } from "../../pack/script/script.ts";
import { scriptReviewArgs, withScriptReview } from "./open-review.ts";
import { version } from "../../host/version.ts";

const name = argument("The script's name, without .star");

/** `biplane scripts run weather get_weather London`: calls `script_run` as an agent would. */
export const runScriptCommand = command("Run a function of an approved script; its arguments are JSON or text", {
  args: {
    name,
    function: argument("The function (default: main) and its arguments", {
      valueHint: "function [argument …]",
      required: false,
    }),
    ...scriptReviewArgs,
  },
  run: ({ args }) =>
    withScriptReview({ ...args, needsStore: true }, async ({ scripts, approvals, audit, state }) => {
      const script = await scripts.library.read(args.name);
      mustBeApproved(script, await scripts.approvalState(script));
      await using server = new ServerCore({
        name: scripts.server,
        version,
        packs: [scriptPack({ ...scripts.settings, workers: 1 })],
        approver: approvals,
        audit,
        secrets: state.secrets,
        store: state.store,
      });
      const values = args._.slice(2).map((text) => tryParseJson(text, { otherwise: text }));
      const called = args.function === undefined ? {} : { function: args.function, args: values };
      const caller = { principal: { kind: "local", id: userInfo().username, scopes: [] }, patienceMs: 0 } as const;
      const result = await server.call("script_run", { name: args.name, ...called }, caller);
      const { duration_ms: durationMs, ...rest } = result as Omit<ScriptResult, "durationMs"> & { duration_ms: number };
      process.stdout.write(shown({ ...rest, durationMs }));
    }),
});

/** `biplane scripts test weather`: without network and real secrets unless `--live`. */
export const testScriptCommand = command(
  "Run a script's test_* functions, or the script itself, without network and real secrets",
  {
    args: {
      name,
      live: toggle("Use network and secrets; the script must be approved"),
      ...scriptReviewArgs,
    },
    run: ({ args }) =>
      withScriptReview(args, async ({ scripts }) => {
        const script = await scripts.library.read(args.name);
        if (args.live) mustBeApproved(script, await scripts.approvalState(script));
        await using runner = args.live ? liveRunner(scripts.settings) : dryRunner(scripts.settings);
        const tests = testsIn(script);
        for (const each of tests.length > 0 ? tests : [undefined]) await attempt(runner, script, each);
      }),
  },
);

async function attempt(runner: ScriptRunner, script: Script, test: string | undefined): Promise<void> {
  const title = test ?? script.file;
  try {
    const result = await runner.run(script, { function: test });
    process.stdout.write(`ok      ${title}\n${indented(shown(result))}`);
  } catch (error) {
    process.exitCode = 1;
    process.stdout.write(`failed  ${title}\n${indented(clean(messageOf(error)))}`);
  }
}

function liveRunner(settings: ScriptSettings): ScriptRunner {
  const { allow, maxHttpBytes: maxBytes, timeoutMs } = settings;
  return new ScriptRunner({ ...settings, workers: 1, guard: createNetworkGuard({ allow, maxBytes, timeoutMs }) });
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
