import { command, option } from "./command/define.ts";
import { plural } from "@biplane/core/internal";
import { chooseSession } from "../recording/choose-session.ts";
import { readSessionRecordings } from "../recording/read-sessions.ts";
import { recordedServer } from "../recording/recorded-server.ts";
import { listenUntilStopped } from "./listen.ts";
import { recordingArg } from "./recording-arg.ts";
import { cleanLine } from "./terminal/clean-text.ts";
import { warn } from "./terminal/warn.ts";

/** `biplane replay-server sessions.jsonl` */
export const replayServerCommand = command("Serve recordings as an MCP server that repeats the recorded results", {
  args: {
    file: recordingArg,
    url: option("Address: http://host:port, ws://host:port or stdio", { default: "stdio" }),
    session: option("Answer from this session only"),
    name: option("The server's name (default: the recorded one)"),
  },
  run: async ({ args }) => {
    const recordings = await readSessionRecordings(args._);
    for (const warning of recordings.warnings) warn(warning);
    const chosen =
      args.session === undefined
        ? recordings
        : { ...recordings, sessions: [chooseSession(recordings.sessions, args.session)] };
    const server = recordedServer(chosen, args.name === undefined ? {} : { name: args.name });
    const count = chosen.sessions.reduce((sum, { calls }) => sum + calls.length, 0);
    await listenUntilStopped({
      url: args.url,
      listen: () => server.serve(args.url),
      close: () => server.close(),
      welcome: (address) =>
        `${cleanLine(`  ${recordings.server.name}: ${plural(chosen.sessions.length, "session")}, ${plural(count, "call")}`)}\n\nMCP endpoint: ${address}/mcp\nStop with Ctrl-C.`,
    });
  },
});
