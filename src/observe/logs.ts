import type { Redactor } from "../call/redact/redactor.ts";
import { brief, briefMessage, plain, printableJson, printableText, printableValue } from "./printable.ts";

export type Level = (typeof levels)[number];
export const levels = ["debug", "info", "warn", "error"] as const;

export interface LoggerOptions {
  /** Lines below it are not written. Left out: info. */
  readonly level?: Level;
  /** Left out: pretty. */
  readonly format?: "pretty" | "json";
  /** What speaks; `named` makes others. */
  readonly component?: string;
  /** Takes a whole line, with its end. Left out: standard error, because standard output may be a wire. */
  readonly write?: (line: string) => void;
  readonly now?: () => Date;
  /** Left out: for a terminal, unless NO_COLOR is set. */
  readonly colors?: boolean;
  /** Takes secrets out of every line: `() => server.redactor`. */
  readonly redactor?: () => Redactor | undefined;
}

export type Fields = Readonly<Record<string, unknown>>;

/** Writes lines. Nothing that is logged can make it throw, forge a second line or reach the terminal as an escape. */
export interface Logger {
  debug(message: string, fields?: Fields): void;
  info(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  error(message: string, fields?: Fields): void;
  /** Whether lines of this level are written: ask before making an expensive one. */
  isOn(level: Level): boolean;
  /** The same log for another part of the house. */
  named(component: string): Logger;
}

export function createLogger(options: LoggerOptions = {}): Logger {
  const { level: lowest = "info", format = "pretty", component = "biplane", now = () => new Date() } = options;
  const { write = standardError(), redactor } = options;
  const colors = options.colors ?? (options.write === undefined && wantsColors());
  const isOn = (level: Level) => levels.indexOf(level) >= levels.indexOf(lowest);
  const log = (level: Level) => (message: string, fields?: Fields) => {
    if (!isOn(level)) return;
    try {
      const entry = clean({ time: now(), level, component, message, fields }, redactor?.());
      write(`${format === "json" ? jsonLine(entry) : prettyLine(entry, colors)}\n`);
    } catch {
      // A log that cannot be written is not worth a call.
    }
  };
  return {
    debug: log("debug"),
    info: log("info"),
    warn: log("warn"),
    error: log("error"),
    isOn,
    named: (other) => createLogger({ ...options, write, colors, component: other }),
  };
}

interface Entry {
  readonly time: Date;
  readonly level: Level;
  readonly component: string;
  readonly message: string;
  readonly fields: Fields | undefined;
}

/** Secrets go first: half of one, cut off, would no longer be found. */
function clean(entry: Entry, redactor: Redactor | undefined): Entry {
  const said = Object.entries(entry.fields ?? {}).filter(([, value]) => value !== undefined);
  const fields = said.map(([key, value]) => {
    const told = plain(value);
    return [key, brief(redactor ? redactor.value(told) : told)] as const;
  });
  const message = briefMessage(redactor ? redactor.text(entry.message) : entry.message);
  return { ...entry, message, fields: Object.fromEntries(fields) };
}

function jsonLine({ time, level, component, message, fields }: Entry): string {
  return printableJson({ time: time.toISOString(), level, component, message, fields });
}

function prettyLine({ time, level, component, message, fields }: Entry, colors: boolean): string {
  const at = time.toISOString().replace(/\.\d+/, "");
  const name = level.toUpperCase();
  const said = Object.entries(fields ?? {}).map(([key, value]) => ` ${printableValue(key)}=${printableValue(value)}`);
  const shown = colors ? `${color[level]}${name}${plainColor}` : name;
  return `${at} ${shown} ${printableText(component)}: ${printableText(message)}${said.join("")}`;
}

const color: Record<Level, string> = {
  debug: "\u001b[90m",
  info: "\u001b[36m",
  warn: "\u001b[33m",
  error: "\u001b[31m",
};
const plainColor = "\u001b[39m";

function wantsColors(): boolean {
  return process.stderr.isTTY && !process.env["NO_COLOR"] && process.env["TERM"] !== "dumb";
}

/** A parent that stops reading our standard error must not end us. */
function standardError(): (line: string) => void {
  if (!process.stderr.listeners("error").includes(ignore)) process.stderr.on("error", ignore);
  return (line) => void process.stderr.write(line);
}

function ignore(): void {
  // nowhere left to say it
}
