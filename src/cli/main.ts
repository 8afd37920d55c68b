#!/usr/bin/env node
import { defineCommand, runCommand, runMain } from "citty";
import { messageOf } from "../errors.ts";
import { version } from "./version.ts";

/** The `biplane` program. Each command is a file of its own, loaded when it is asked for. */
const main = defineCommand({
  meta: { name: "biplane", version, description: "Build a tool once; serve it, train on it, judge it." },
  subCommands: {
    serve: () => import("./serve.ts").then(({ serve }) => serve),
    image: () => import("./image.ts").then(({ image }) => image),
    demo: () => import("./demo.ts").then(({ demo }) => demo),
    approvals: () => import("./approvals.ts").then(({ approvalsCommand }) => approvalsCommand),
    secrets: () => import("./secrets.ts").then(({ secretsCommand }) => secretsCommand),
    people: () => import("./people.ts").then(({ peopleCommand }) => peopleCommand),
    token: () => import("./token.ts").then(({ tokenCommand }) => tokenCommand),
    policy: () => import("./policy.ts").then(({ policyCommand }) => policyCommand),
    config: () => import("./config.ts").then(({ configCommand }) => configCommand),
    tools: () => import("./tools.ts").then(({ toolsCommand }) => toolsCommand),
    call: () => import("./call.ts").then(({ callCommand }) => callCommand),
    inspect: () => import("./inspect.ts").then(({ inspectCommand }) => inspectCommand),
    proxy: () => import("./proxy.ts").then(({ proxyCommand }) => proxyCommand),
    rollout: () => import("./rollout.ts").then(({ rolloutCommand }) => rolloutCommand),
    replay: () => import("./replay.ts").then(({ replayCommand }) => replayCommand),
    runs: () => import("./runs.ts").then(({ runsCommand }) => runsCommand),
    show: () => import("./show.ts").then(({ showCommand }) => showCommand),
    compare: () => import("./compare.ts").then(({ compareCommand }) => compareCommand),
    code: () => import("./code.ts").then(({ codeCommand }) => codeCommand),
    scripts: () => import("./scripts.ts").then(({ scriptsCommand }) => scriptsCommand),
    starlark: () => import("./starlark.ts").then(({ starlarkCommand }) => starlarkCommand),
    audit: () => import("./audit.ts").then(({ auditCommand }) => auditCommand),
  },
});

// Whoever reads may stop before we do, as `head` does.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

const words = process.argv.slice(2);
// What stands behind -- is another program's.
const own = words.slice(0, words.includes("--") ? words.indexOf("--") : undefined);
if (words.length === 0 || own.some((word) => ["--help", "-h", "--version"].includes(word))) {
  await runMain(main);
} else {
  try {
    await runCommand(main, { rawArgs: words });
  } catch (error) {
    process.stderr.write(`biplane: ${messageOf(error)}\n`);
    process.exitCode = 1;
  }
}
