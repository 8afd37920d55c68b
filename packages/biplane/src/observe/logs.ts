import type { Redactor } from "@biplane/core/internal";
import { brief, briefMessage, plain, printableJson, printableText, printableValue } from "./printable.ts";

export type Level = (typeof levels)[number];
/** Log levels, the most detailed first. */
export const levels = ["debug", "info", "warn", "error"] as const;

export interface LoggerOptions {
  /** Lowest level that is written (default: info). */
  readonly level?: Level;
  /** Default: pretty. */
  readonly format?: "pretty" | "json";
  /** Name of the component; `named` creates loggers for others (default: biplane). */
  readonly component?: string;
  /** Receives whole lines with line ends (default: standard error, because standard output may carry a protocol). */
  readonly write?: (line: string) => void;
  readonly now?: () => Date;
  /** Default: true on a terminal, unless NO_COLOR is set. */
  readonly colors?: boolean;
  /** Redacts secrets in every line: `() => server.redactor`. */
  readonly redactor?: () => Redactor | undefined;
}

export type Fields = Readonly<Record<string, unknown>>;

/** Writes log lines. Logged values cannot make it throw, forge a second line or send terminal escapes. */
export interface Logger {
  debug(message: string, fields?: Fields): void;
  info(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  error(message: string, fields?: Fields): void;
  /** True if lines of this level are written. Check it before building an expensive line. */
  isOn(level: Level): boolean;
  /** The same logger under another component name. */
  named(component: string): Logger;
}

/** Creates a logger (default: for people, to standard error). */
export function createLogger(options: LoggerOptions = {}): Logger {
  const { level: lowest = "info", format = "pretty", component = "biplane", now = () => new Date() } = options;
  const { write = standardError(), redactor } = options;
  const colors = options.colors ?? (options.write === undefined && wantsColors());
  const isOn = (level: Level) => levels.indexOf(level) >= levels.indexOf(lowest);
  const log = (level: Level) => (message: string, fields?: Fields) => {
    if (!isOn(level)) return;
    try {
      const entry = redactEntry({ time: now(), level, component, message, fields }, redactor?.());
      write(`${format === "json" ? jsonLine(entry) : prettyLine(entry, colors)}\n`);
    } catch {
      // A failing log must not fail the call.
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

/** Redact before cutting: half a secret would not be found. */
function redactEntry(entry: Entry, redactor: Redactor | undefined): Entry {
  const clean = (text: string) => redactor?.text(text) ?? text;
  const entries = Object.entries(entry.fields ?? {}).filter(([, value]) => value !== undefined);
  const fields = entries.map(([key, value]) => {
    const text = plain(value);
    return [clean(key), brief(redactor ? redactor.value(text) : text)] as const;
  });
  const message = briefMessage(clean(entry.message));
  return { ...entry, component: clean(entry.component), message, fields: Object.fromEntries(fields) };
}

function jsonLine({ time, level, component, message, fields }: Entry): string {
  return printableJson({ time: time.toISOString(), level, component, message, fields });
}

function prettyLine({ time, level, component, message, fields }: Entry, colors: boolean): string {
  const at = time.toISOString().replace(/\.\d+/, "");
  const name = level.toUpperCase();
  const entries = Object.entries(fields ?? {}).map(
    ([key, value]) => ` ${printableValue(key)}=${printableValue(value)}`,
  );
  const shown = colors ? `${color[level]}${name}${plainColor}` : name;
  return `${at} ${shown} ${printableText(component)}: ${printableText(message)}${entries.join("")}`;
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

/** A parent that stops reading our standard error must not crash us. */
function standardError(): (line: string) => void {
  if (!process.stderr.listeners("error").includes(ignore)) process.stderr.on("error", ignore);
  return (line) => void process.stderr.write(line);
}

function ignore(): void {
  // Nowhere left to report it.
}
