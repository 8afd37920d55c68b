import { randomBytes } from "node:crypto";
import { connect } from "@biplane/core/client";
import type { Begun, Episode, Measured, Meter, Served } from "@biplane/core";
import { serverOf, takeInventory } from "@biplane/core/internal";
import type { LiveCall, Outcome } from "@biplane/core/internal";
import { recordingVersion } from "./format.ts";
import type { SessionCall, RecordedSession, RecordingLine } from "./format.ts";
import { recordedAnswerOf } from "./recorded-answer.ts";
import { RecordedSessions } from "./recorded-sessions.ts";
import type { OpenSession } from "./recorded-sessions.ts";
import { RecordingFile } from "./recording-file.ts";

export interface SessionRecorderOptions {
  /** The JSONL file. Lines are added to an existing one. */
  readonly file: string;
  /** The largest file (default: 256 MiB). After that, nothing more is recorded. */
  readonly maxBytes?: number | undefined;
  /** The most that one caller over the network may take of it (default: a quarter). */
  readonly maxCallerBytes?: number | undefined;
  /** The most that one session may take of it (default: 16 MiB). */
  readonly maxSessionBytes?: number | undefined;
  /** The longest line (default: 1 MiB). A longer call is kept without its arguments and result. */
  readonly maxEntryBytes?: number | undefined;
  /** A caller without a session begins a new one after a pause of this length (default: 10 minutes). */
  readonly idleMs?: number | undefined;
  readonly now?: () => number;
  /** Called if something cannot be recorded. Calls go on. */
  readonly onFault?: (fault: unknown) => void;
}

/** The default limits of a recording. */
export const recordingLimits = { entryBytes: 2 ** 20, sessionBytes: 16 * 2 ** 20, fileBytes: 256 * 2 ** 20 } as const;

/** Records the sessions of a server or an environment: its lists, and each call with its answer and its time. */
export async function recordSessions(served: Served, options: SessionRecorderOptions): Promise<SessionRecorder> {
  const recorder = new SessionRecorder(served, options);
  try {
    await recorder.list();
  } catch (error) {
    await recorder[Symbol.asyncDispose]();
    throw error;
  }
  served.govern({ meters: [recorder] });
  return recorder;
}

/** Writes what `recordSessions` records. Everything passes the redactor of the call that it belongs to. */
export class SessionRecorder implements Meter, AsyncDisposable {
  readonly #served: Served;
  readonly #options: SessionRecorderOptions;
  readonly #id: string;
  readonly #file: RecordingFile;
  readonly #sessions: RecordedSessions;
  readonly #inputs = new WeakMap<LiveCall, { readonly json: string; readonly at: number }>();
  readonly #now: () => number;
  readonly #stopWatching: () => void;
  #listing: Promise<void> | undefined;
  #isFull = false;

  constructor(served: Served, options: SessionRecorderOptions) {
    const { file, maxBytes = recordingLimits.fileBytes, idleMs = 10 * 60_000, now = Date.now } = options;
    this.#served = served;
    this.#options = options;
    this.#now = now;
    this.#id = `${new Date(now()).toISOString().replaceAll(/[-:T]|\..*/g, "")}-${randomBytes(3).toString("hex")}`;
    this.#sessions = new RecordedSessions(this.#id, { idleMs });
    this.#file = new RecordingFile(file, { maxBytes });
    const { name, version } = served;
    this.#append({
      type: "recording",
      version: recordingVersion,
      recording: this.#id,
      server: { name, version },
      at: this.#time(),
    });
    this.#stopWatching = serverOf(served).onChange((change) => {
      if (typeof change === "string") this.#relist();
    });
  }

  /** Keeps the input as it is before `run`, which may change it. */
  around({ call }: Begun, perform: () => Outcome | Promise<Outcome>): Outcome | Promise<Outcome> {
    if (!this.#isFull && call.request.parent === undefined) {
      const json = jsonOf(call.request.input);
      this.#inputs.set(call, { json, at: this.#now() });
    }
    return perform();
  }

  end(measured: Measured): void {
    const { call, durationMs } = measured;
    const input = this.#inputs.get(call);
    const answer = input && !this.#isFull ? recordedAnswerOf(measured) : undefined;
    if (!input || !answer) return;
    const { session, isNew } = this.#sessions.find(call, input.at);
    if (session.isFull) return;
    const at = new Date(input.at).toISOString();
    if (isNew) this.#record(sessionLine(call, session, at), { call, session });
    const { step } = call;
    const line: SessionCall = {
      type: "call",
      session: session.id,
      at,
      durationMs: Math.round(durationMs * 1000) / 1000,
      tool: call.tool,
      arguments: JSON.parse(input.json) as unknown,
      ...answer,
      ...(step && { step: { reward: step.reward, terminated: step.terminated, truncated: step.truncated } }),
    };
    this.#record(line, { call, session });
  }

  /** Writes the lists as clients see them. */
  async list(): Promise<void> {
    await using client = await connect(this.#served, { apps: true });
    this.#append({ type: "lists", recording: this.#id, at: this.#time(), ...(await takeInventory(client)) });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopWatching();
    await this.#listing;
    this.#isFull = true;
    this.#file.close();
  }

  /** Redacts a line, makes it fit and writes it. */
  #record(line: SessionCall | RecordedSession, { call, session }: { call: LiveCall; session: OpenSession }): void {
    const { maxEntryBytes = recordingLimits.entryBytes } = this.#options;
    const safe = call.redactor?.value(line) ?? line;
    const bytes = Buffer.byteLength(JSON.stringify(safe));
    const kept = bytes > maxEntryBytes ? shortened(safe, bytes) : safe;
    const taken = Math.min(bytes, maxEntryBytes);
    session.bytes += taken;
    if (session.caller) session.caller.bytes += taken;
    const reached = this.#limitOf(session);
    if (reached === undefined) return this.#append(kept);
    session.isFull = true;
    const message = `${reached} Its further calls are not recorded.`;
    this.#append({ type: "limit", recording: this.#id, session: session.id, at: this.#time(), message });
  }

  #limitOf({ bytes, caller }: OpenSession): string | undefined {
    const { maxBytes = recordingLimits.fileBytes, maxSessionBytes = recordingLimits.sessionBytes } = this.#options;
    const { maxCallerBytes = maxBytes / 4 } = this.#options;
    if (bytes > maxSessionBytes) return `The session has more than ${maxSessionBytes} bytes.`;
    return caller && caller.bytes > maxCallerBytes ? `The caller has more than ${maxCallerBytes} bytes.` : undefined;
  }

  /** A call goes on if it cannot be recorded, for example because the disk is full. */
  #append(line: RecordingLine): void {
    if (this.#isFull) return;
    try {
      if (this.#file.hasRoomFor(Buffer.byteLength(JSON.stringify(line)) + reservedBytes)) this.#file.append(line);
      else this.#end(`${this.#options.file} is full. Nothing more is recorded: start a new file.`);
    } catch (error) {
      this.#isFull = true;
      this.#options.onFault?.(error);
    }
  }

  #end(message: string): void {
    this.#file.append({ type: "limit", recording: this.#id, at: this.#time(), message });
    this.#isFull = true;
    this.#options.onFault?.(message);
  }

  #relist(): void {
    this.#listing = (this.#listing ?? Promise.resolve())
      .then(() => this.list())
      .catch((fault: unknown) => this.#options.onFault?.(fault));
  }

  #time(): string {
    return new Date(this.#now()).toISOString();
  }
}

/** For the line that says that the file is full. */
const reservedBytes = 1024;

function sessionLine(call: LiveCall, { id }: OpenSession, at: string): RecordedSession {
  const { agent, scope } = call;
  const { firstObservation: observation } = (scope ?? {}) as Partial<Pick<Episode, "firstObservation">>;
  return {
    type: "session",
    session: id,
    at,
    agent: agent.agentId,
    ...(agent.model !== undefined && { model: agent.model }),
    ...(observation !== undefined && { observation }),
  };
}

function shortened(line: SessionCall | RecordedSession, omittedBytes: number): SessionCall | RecordedSession {
  const { session, at } = line;
  if (line.type === "session") return { type: "session", session, at };
  const { tool, durationMs, step } = line;
  return {
    type: "call",
    session,
    at,
    durationMs,
    tool: tool.slice(0, 128),
    arguments: {},
    omittedBytes,
    ...(step && { step }),
  };
}

/** A program in this process may pass what has no JSON form. */
function jsonOf(input: unknown): string {
  try {
    return JSON.stringify(input) ?? "{}";
  } catch {
    return "{}";
  }
}
