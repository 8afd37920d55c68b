import { plural } from "@biplane/core/internal";
import type { Style } from "../terminal/style.ts";
import { wrap } from "../terminal/width.ts";
import { cleanText } from "../terminal/clean-text.ts";

/** The result of one check. */
export interface Finding {
  readonly mark: "ok" | "note" | "problem";
  readonly what: string;
  readonly found: string;
  /** How to fix it: a command, or a change to make. */
  readonly wayOut?: string;
}

export function ok(what: string, found: string): Finding {
  return { mark: "ok", what, found };
}

export function note(what: string, found: string, wayOut?: string): Finding {
  return { mark: "note", what, found, ...(wayOut !== undefined && { wayOut }) };
}

export function failure(what: string, found: string, wayOut?: string): Finding {
  return { mark: "problem", what, found, ...(wayOut !== undefined && { wayOut }) };
}

export interface ShowOptions {
  readonly columns: number;
  readonly style: (text: string, style: Style) => string;
}

/** One line for each finding, with the fix below it. */
export function showFindings(findings: readonly Finding[], { columns, style }: ShowOptions): string {
  const width = Math.max(...findings.map(({ what }) => what.length));
  const lines = findings.map(({ mark, what, found, wayOut }) => {
    const left = `${marks[mark]}  ${what.padEnd(width)}  `;
    const indent = " ".repeat(left.length);
    const text = wrap(cleanText(found), Math.max(30, columns - left.length)).join(`\n${indent}`);
    const out = wayOut === undefined ? "" : `\n${indent}→ ${cleanText(wayOut).replaceAll("\n", `\n${indent}  `)}`;
    return `${style(left, mark === "problem" ? "red" : mark === "note" ? "bold" : "plain")}${text}${out}`;
  });
  const problems = findings.filter(({ mark }) => mark === "problem").length;
  const notes = findings.filter(({ mark }) => mark === "note").length;
  return `${lines.join("\n")}\n\n${verdict(problems, notes)}\n`;
}

const marks: Readonly<Record<Finding["mark"], string>> = { ok: "ok  ", note: "note", problem: "FAIL" };

function verdict(problems: number, notes: number): string {
  if (problems > 0) return `${plural(problems, "problem")} found.`;
  return notes === 0 ? "No problems found." : "No problems found. The notes are about optional features.";
}
