import type { Server } from "@biplane/core";
import { ServerCore, callerOf, remoteTool } from "@biplane/core/internal";
import type { LiveCall } from "@biplane/core/internal";
import type { SessionRecordings } from "./read-sessions.ts";
import { RecordedAnswers } from "./recorded-answers.ts";
import { recordedResult } from "./recorded-answer.ts";
import { recordedReads, recordedTools } from "./recorded-items.ts";

export interface RecordedServerOptions {
  /** The server's name (default: the recorded one). */
  readonly name?: string;
}

/** A server that answers from recordings: the same lists, and the recorded answer of each call. */
export function recordedServer(recordings: SessionRecordings, options: RecordedServerOptions = {}): Server {
  const { server, sessions, lists } = recordings;
  const answers = new RecordedAnswers(
    sessions.flatMap(({ calls }) => calls),
    lists,
  );
  const tools = recordedTools(recordings).map((info) =>
    remoteTool(info, {
      timeoutMs: 30_000,
      checkInput: false, // a recorded call may have been refused for its arguments
      call: async (input, caller) =>
        recordedResult(answers.next({ tool: info.name, arguments: input }, callerKey(caller))),
    }),
  );
  return new ServerCore({
    name: options.name ?? server.name,
    version: server.version,
    limits: false,
    tools,
    ...recordedReads(recordings, answers),
  });
}

function callerKey({ session, principal, agent }: LiveCall): string {
  return session ?? `${callerOf(principal)} ${agent.agentId}`;
}
