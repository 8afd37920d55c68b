import type { Inventory, StepResult } from "@biplane/core/internal";
import type { ErrorCode } from "@biplane/core";

/** The version of the file format. A reader refuses any other. */
export const recordingVersion = 1;

/** A line of a recording. A file has one JSON object per line, and lines are only ever added. */
export type RecordingLine =
  | RecordingHeader
  | RecordedLists
  | RecordedSession
  | SessionCall
  | SessionLabel
  | LimitReached;

/** The first line of each recording. A file can hold several. */
export interface RecordingHeader {
  readonly type: "recording";
  readonly version: typeof recordingVersion;
  readonly recording: string;
  readonly server: { readonly name: string; readonly version: string };
  /** ISO 8601, as all times. */
  readonly at: string;
}

/** What the server lists, from this line on. */
export interface RecordedLists extends Inventory {
  readonly type: "lists";
  readonly recording: string;
  readonly at: string;
}

/** The start of a session: one MCP session, one episode, or one caller without a session. */
export interface RecordedSession {
  readonly type: "session";
  readonly session: string;
  readonly at: string;
  readonly agent?: string | undefined;
  readonly model?: string | undefined;
  /** The first observation, if the session is an episode. */
  readonly observation?: unknown;
}

export interface SessionCall extends RecordedAnswer {
  readonly type: "call";
  readonly session: string;
  /** When the call began. */
  readonly at: string;
  readonly durationMs: number;
  /** The tool, or `resources/read`, `prompts/get`, `completion/complete`. */
  readonly tool: string;
  readonly arguments: unknown;
  /** Reward and status after the call, if the session is an episode. */
  readonly step?: Pick<StepResult, "reward" | "terminated" | "truncated"> | undefined;
}

/** How a call ended: with a result, which may have `isError`, or without one. */
export interface RecordedAnswer {
  /** The result as MCP sends it. */
  readonly result?: Readonly<Record<string, unknown>> | undefined;
  readonly error?: RecordedError | undefined;
  /** Set instead of `arguments`, `result` and `error` if the line would have been this long. */
  readonly omittedBytes?: number | undefined;
}

export interface RecordedError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

/** What people add to a session. A later label replaces the fields of an earlier one. */
export interface SessionLabel {
  readonly type: "label";
  readonly session: string;
  readonly at: string;
  /** The id of the task, instead of the session's. */
  readonly id?: string | undefined;
  /** What the user wanted. */
  readonly task?: string | undefined;
  /** The final answer. */
  readonly answer?: string | undefined;
  /** Criteria by which a judge scores a final answer. */
  readonly criteria?: string | undefined;
  /** The split of the task (default: `train`). */
  readonly split?: string | undefined;
}

/** A limit ended the recording of a session, or of everything. */
export interface LimitReached {
  readonly type: "limit";
  readonly recording: string;
  readonly session?: string | undefined;
  readonly at: string;
  readonly message: string;
}
