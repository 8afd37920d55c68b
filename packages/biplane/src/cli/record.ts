import { command, countFromOne, file, option } from "./command/define.ts";
import { recordSessions } from "../recording/session-recorder.ts";
import { secretValues } from "../recording/secret-values.ts";
import { openHostState } from "../host/state.ts";
import { proxyArgs, runProxy } from "./proxy.ts";
import { splitTarget } from "./target/read-target.ts";
import { serversOf } from "./target/servers-of.ts";
import { wholeNumber } from "./rollout/rollout-target.ts";
import { warn } from "./terminal/warn.ts";

/** `biplane record --out sessions.jsonl -- npx some-mcp-server` */
export const recordCommand = command("Serve a target as an MCP server, and record its sessions", {
  args: {
    ...proxyArgs,
    out: option("The recording; lines are added to an existing file", { takes: file, default: "recording.jsonl" }),
    name: option("The server's name, which the recording keeps", { default: "recorded" }),
    "max-megabytes": option("Largest size of the recording", { takes: countFromOne, default: "256" }),
  },
  run: async ({ args, rawArgs }) => {
    const { target } = splitTarget(args._, rawArgs);
    const maxBytes = wholeNumber("max-megabytes", args["max-megabytes"], 1) * 2 ** 20;
    await using state = await openHostState({ file: undefined, flags: {} });
    await runProxy(target, {
      ...args,
      server: { name: args.name },
      prepare: async (server) => {
        server.govern({ secrets: state.secrets });
        server.govern({ secrets: secretValues(Object.values((await serversOf(target)) ?? {}), process.env) });
        const recorder = await recordSessions(server, {
          file: args.out,
          maxBytes,
          maxCallerBytes: maxBytes, // only the user who started it calls it
          onFault: (fault) => warn(String(fault)),
        });
        server.whenClosed(() => recorder[Symbol.asyncDispose]());
        return [`  recording to ${args.out}`];
      },
    });
  },
});
