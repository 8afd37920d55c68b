import { inspect } from "node:util";
import type { CodeAnswer } from "../../code/code-tool.ts";
import { safeText } from "../terminal/format.ts";
import { cleanText } from "../terminal/clean-text.ts";
import type { Style } from "../terminal/style.ts";
import type { EpisodeStatus } from "./session.ts";
import { isRecord } from "@biplane/core/internal";

export type Styler = (text: string, style: Style) => string;

/** The output of a run, and its result if it has one. */
export function formatCodeResult({ result, stdout, stderr, truncated, lost }: CodeAnswer, style: Styler): string {
  const notes = (lost ?? []).map(({ code, calls }) => {
    const made = calls.map(({ tool, outcome }) => `${tool} (${outcome})`).join(", ") || "no calls";
    return `An earlier process was lost while running ${JSON.stringify(code.slice(0, 200))}. It had made: ${made}.`;
  });
  return [
    ...notes.map((each) => line(style(cleanText(each), "bold"))),
    line(cleanText(stdout)),
    stderr === "" ? "" : line(style(cleanText(stderr).trimEnd(), "dim")),
    line(result === null ? "" : formatCodeValue(result)),
    truncated ? line(style("The output was truncated.", "dim")) : "",
  ].join("");
}

/** The error of a run with its stack; empty if it succeeded. */
export function formatCodeError({ error }: CodeAnswer, style: Styler): string {
  if (!error) return "";
  const { name, message, code, trace = "" } = error;
  const what = trace.includes(message) ? "" : `${name}: ${message}`;
  const shown = [what, trace.trimEnd(), code === undefined ? "" : `code: ${code}`].filter(Boolean).join("\n");
  return line(style(cleanText(shown), "red"));
}

export function formatEpisodeStatus(status: EpisodeStatus, style: Styler): string {
  const { reward, totalReward, stepCount, terminated, truncated } = status;
  const ending = terminated ? "  terminated" : truncated ? "  truncated" : "";
  const parts = [reward === null ? "" : `reward ${reward}  `, `total ${totalReward}  step ${stepCount}${ending}`];
  return line(style(parts.join(""), "dim"));
}

/** Text as is, other values as code. Multi-line text inside an object, such as a board, is printed as lines. */
export function formatCodeValue(value: unknown): string {
  if (typeof value === "string") return lines(value);
  if (!isRecord(value) || !Object.values(value).some(hasLines)) return written(value);
  return Object.entries(value)
    .map(([key, each]) => `${cleanText(key)}:${hasLines(each) ? `\n${indented(lines(each))}` : ` ${written(each)}`}`)
    .join("\n");
}

function written(value: unknown): string {
  return cleanText(inspect(value, { depth: 8, maxArrayLength: 200, maxStringLength: 10_000, breakLength: 100 }));
}

/** Without colours, a highlighted cell is shown in brackets. */
function lines(text: string): string {
  return cleanText(safeText(text, false));
}

function indented(text: string): string {
  return text.trimEnd().replaceAll(/^/gm, "  ");
}

function hasLines(value: unknown): value is string {
  return typeof value === "string" && value.trimEnd().includes("\n");
}

function line(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}
