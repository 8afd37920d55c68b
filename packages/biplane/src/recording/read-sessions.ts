import { readFile, stat } from "node:fs/promises";
import { BiplaneError } from "@biplane/core";
import { isRecord, messageOf, parseJson } from "@biplane/core/internal";
import type { Inventory } from "@biplane/core/internal";
import { recordingVersion } from "./format.ts";
import type { SessionCall, RecordingHeader, RecordingLine, SessionLabel } from "./format.ts";

/** One recorded session, with what people added to it. */
export interface SessionRecording {
  readonly id: string;
  readonly file: string;
  readonly at: string;
  readonly agent?: string | undefined;
  readonly observation?: unknown;
  readonly calls: readonly SessionCall[];
  readonly label: Omit<SessionLabel, "type" | "session" | "at">;
}

/** The sessions of one or more recordings, and what their server lists. */
export interface SessionRecordings {
  readonly server: RecordingHeader["server"];
  readonly lists: Inventory;
  readonly sessions: readonly SessionRecording[];
  /** What could not be read: lines that a killed process left half written, and limits that were reached. */
  readonly warnings: readonly string[];
}

/** Reads recordings. Of tools that several list, the latest definition counts. */
export async function readSessionRecordings(files: readonly string[]): Promise<SessionRecordings> {
  const reader = new SessionReader();
  for (const file of files) reader.read(file, await textOf(file));
  return reader.end(files);
}

const maxFileBytes = 512 * 2 ** 20;

async function textOf(file: string): Promise<string> {
  try {
    const { size } = await stat(file);
    if (size > maxFileBytes) throw new Error(`it has ${size} bytes, more than ${maxFileBytes}. Split it`);
    return await readFile(file, "utf8");
  } catch (error) {
    throw new BiplaneError("INVALID_INPUT", `Cannot read the recording ${file}: ${messageOf(error)}.`, {
      cause: error,
    });
  }
}

interface MutableSession extends Omit<SessionRecording, "calls" | "label" | "at"> {
  at: string;
  calls: SessionCall[];
  label: SessionRecording["label"];
}

type Lists = { readonly [Name in keyof Omit<Inventory, "skills">]: Map<string, Inventory[Name][number]> };

class SessionReader {
  readonly #sessions = new Map<string, MutableSession>();
  /** The entries of each list, by their keys. */
  readonly #lists = { tools: new Map(), resources: new Map(), templates: new Map(), prompts: new Map() } as Lists;
  readonly #warnings: string[] = [];
  #server: RecordingHeader["server"] | undefined;

  read(file: string, text: string): void {
    const lines = text.split("\n");
    for (const [at, line] of lines.entries()) {
      if (line === "") continue;
      const place = `${file}:${at + 1}`;
      const parsed = parseLine(line);
      if (parsed instanceof Error) {
        // A kill tears only the last line of its process. The next process begins with a header.
        if (!isTornAt(lines, at)) throw new BiplaneError("INVALID_INPUT", `${place} ${parsed.message}.`);
        this.#warnings.push(`${place} was not written completely and is ignored.`);
      } else this.#add(parsed, { file, place });
    }
  }

  end(files: readonly string[]): SessionRecordings {
    if (!this.#server)
      throw new BiplaneError("INVALID_INPUT", `${files.join(", ")} is not a recording. Make one with biplane record.`);
    const lists = Object.entries(this.#lists).map(([name, entries]) => [name, [...entries.values()]] as const);
    return {
      server: this.#server,
      lists: { ...(Object.fromEntries(lists) as Omit<Inventory, "skills">), skills: [] },
      sessions: [...this.#sessions.values()],
      warnings: this.#warnings,
    };
  }

  #add(line: RecordingLine, { file, place }: { file: string; place: string }): void {
    switch (line.type) {
      case "recording":
        checkVersion(line, place);
        this.#server ??= line.server;
        return;
      case "lists":
        keep(this.#lists.tools, line.tools, "name");
        keep(this.#lists.resources, line.resources, "uri");
        keep(this.#lists.templates, line.templates, "uriTemplate");
        keep(this.#lists.prompts, line.prompts, "name");
        return;
      case "session": {
        const { agent, observation } = line;
        Object.assign(this.#session(line.session, { file, at: line.at }), { agent, observation });
        return;
      }
      case "call":
        this.#session(line.session, { file, at: line.at }).calls.push(line);
        return;
      case "label": {
        const { type: _, session: id, at, ...label } = line;
        const session = this.#session(id, { file, at });
        session.label = { ...session.label, ...label };
        return;
      }
      case "limit":
        this.#warnings.push(`${place}: ${line.message}`);
    }
  }

  #session(id: string, { file, at }: { file: string; at: string }): MutableSession {
    const known = this.#sessions.get(id);
    if (known) return known;
    const session: MutableSession = { id, file, at, calls: [], label: {} };
    this.#sessions.set(id, session);
    return session;
  }
}

/** Entries without their key are left out: a file may be damaged, or not ours. */
function keep<Entry extends object>(all: Map<string, Entry>, entries: readonly Entry[], key: keyof Entry): void {
  for (const entry of entries) if (typeof entry[key] === "string") all.set(entry[key], entry);
}

function isTornAt(lines: readonly string[], at: number): boolean {
  const next = lines.slice(at + 1).find((line) => line !== "");
  return next === undefined || next.startsWith('{"type":"recording"');
}

/** Lines of other types belong to later versions that add to this one, and are skipped. */
function parseLine(text: string): RecordingLine | Error {
  try {
    const line = parseJson(text, { maxDepth: 256, maxParts: 1_000_000 });
    const type = isRecord(line) ? String(line["type"]) : "";
    if (!isRecord(line) || type === "undefined") return new Error("is not a line of a recording");
    const missing = (required[type] ?? []).find(([key, kind]) => !isKind(line[key], kind));
    if (missing) return new Error(`lacks ${missing[0]}, a ${missing[1]}`);
    return line as unknown as RecordingLine;
  } catch (error) {
    return new Error(`is not a line of a recording: it ${messageOf(error)}`);
  }
}

type Kind = "string" | "list" | "object" | "number";

const required: Readonly<Record<string, readonly (readonly [key: string, kind: Kind])[]>> = {
  recording: [
    ["recording", "string"],
    ["server", "object"],
    ["version", "number"],
  ],
  lists: [
    ["tools", "list"],
    ["resources", "list"],
    ["templates", "list"],
    ["prompts", "list"],
  ],
  session: [["session", "string"]],
  call: [
    ["session", "string"],
    ["tool", "string"],
  ],
  label: [["session", "string"]],
  limit: [["message", "string"]],
};

function isKind(value: unknown, kind: Kind): boolean {
  if (kind === "list") return Array.isArray(value) && value.every(isRecord);
  return kind === "object" ? isRecord(value) : typeof value === kind;
}

function checkVersion({ version }: { readonly version: number }, place: string): void {
  if (version === recordingVersion) return;
  throw new BiplaneError(
    "INVALID_INPUT",
    `${place} has version ${version} of the recording format. This program reads version ${recordingVersion}.`,
  );
}
