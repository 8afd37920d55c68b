import { defineCommand, runCommand } from "citty";
import { compareCommand } from "../../src/cli/compare.ts";
import { replayCommand } from "../../src/cli/replay.ts";
import { rolloutCommand } from "../../src/cli/rollout.ts";
import { runsCommand } from "../../src/cli/runs.ts";
import { showCommand } from "../../src/cli/show.ts";
import { messageOf } from "../../src/errors.ts";

/** The judge's commands from their sources, as the program has them. */
const main = defineCommand({
  subCommands: {
    rollout: rolloutCommand,
    replay: replayCommand,
    runs: runsCommand,
    show: showCommand,
    compare: compareCommand,
  },
});

try {
  await runCommand(main, { rawArgs: process.argv.slice(2) });
} catch (error) {
  process.stderr.write(`biplane: ${messageOf(error)}\n`);
  process.exitCode = 1;
}
