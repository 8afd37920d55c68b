import { inspect } from "node:util";
import type { CodeAnswer } from "../../code/run-code.ts";
import { safeText } from "../judge/text.ts";
import { cleanText } from "../terminal/clean-text.ts";
import type { Style } from "../terminal/style.ts";
import type { Standing } from "./session.ts";

export type Styler = (text: string, style: Style) => string;

/** What an action printed, and its result where it has one. */
export function shownResult({ result, stdout, stderr, truncated, lost }: CodeAnswer, style: Styler): string {
  const told = (lost ?? []).map(({ code, calls }) => {
    const made = calls.map(({ tool, outcome }) => `${tool} (${outcome})`).join(", ") || "no calls";
    return `Lost with an earlier process: ${JSON.stringify(code.slice(0, 200))}, which had made ${made}`;
  });
  return [
    ...told.map((each) => line(style(cleanText(each), "bold"))),
    line(cleanText(stdout)),
    stderr === "" ? "" : line(style(cleanText(stderr).trimEnd(), "dim")),
    line(result === null ? "" : shownValue(result)),
    truncated ? line(style("Some of it was cut.", "dim")) : "",
  ].join("");
}

/** What went wrong, with where it happened; nothing where all went well. */
export function shownError({ error }: CodeAnswer, style: Styler): string {
  if (!error) return "";
  const { name, message, code, trace = "" } = error;
  const what = trace.includes(message) ? "" : `${name}: ${message}`;
  const shown = [what, trace.trimEnd(), code === undefined ? "" : `code: ${code}`].filter(Boolean).join("\n");
  return line(style(cleanText(shown), "red"));
}

export function shownStanding(standing: Standing, style: Styler): string {
  const { reward, totalReward, stepCount, terminated, truncated } = standing;
  const ending = terminated ? "  terminated" : truncated ? "  truncated" : "";
  const parts = [reward === null ? "" : `reward ${reward}  `, `total ${totalReward}  step ${stepCount}${ending}`];
  return line(style(parts.join(""), "dim"));
}

/** Text as it is, other data as it is written in code; a text of several lines in it, such as a board, as lines. */
export function shownValue(value: unknown): string {
  if (typeof value === "string") return lines(value);
  if (!isRecord(value) || !Object.values(value).some(hasLines)) return written(value);
  return Object.entries(value)
    .map(([key, each]) => `${cleanText(key)}:${hasLines(each) ? `\n${indented(lines(each))}` : ` ${written(each)}`}`)
    .join("\n");
}

function written(value: unknown): string {
  return cleanText(inspect(value, { depth: 8, maxArrayLength: 200, maxStringLength: 10_000, breakLength: 100 }));
}

/** A cell that stands out by its colour stands in brackets. */
function lines(text: string): string {
  return cleanText(safeText(text, false));
}

function indented(text: string): string {
  return text.trimEnd().replaceAll(/^/gm, "  ");
}

function hasLines(value: unknown): value is string {
  return typeof value === "string" && value.trimEnd().includes("\n");
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function line(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}
