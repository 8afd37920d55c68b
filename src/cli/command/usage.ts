import type { ArgDef } from "citty";
import type { Style } from "../terminal/style.ts";
import { widthOf, wrap } from "../terminal/width.ts";
import { aliasesOf, offeredName } from "./check-words.ts";
import { commands } from "./commands.ts";
import { examples } from "./examples.ts";
import { findCommand } from "./find-command.ts";
import type { Found } from "./find-command.ts";
import { valueOf } from "./values.ts";

export interface UsageOptions {
  readonly columns: number;
  readonly style: (text: string, style: Style) => string;
}

/** How a command is used: what it is for, its words and options, and examples to copy. */
export async function usageOf(found: Found, options: UsageOptions): Promise<string> {
  const { path, about } = found;
  const shown = examples[path.join(" ")] ?? [];
  const parts = [
    wrap(about, options.columns).join("\n"),
    `${options.style("Usage", "bold")}\n  ${summaryOf(found)}`,
    ...(path.length === 0 ? await allHeadings(options) : await below(found, options)),
    ...section("Words", rows(found, "words"), options),
    ...section("Options", rows(found, "options"), options),
    ...(shown.length > 0
      ? [`${options.style("Examples", "bold")}\n${shown.map((each) => `  ${each}`).join("\n")}`]
      : []),
  ];
  return `${parts.join("\n\n")}\n`;
}

function summaryOf({ path, options, below: others }: Found): string {
  const words = Object.entries(options).flatMap(([name, option]) =>
    option.type === "positional" ? [option.required === false ? `[${name}]` : `<${name}>`] : [],
  );
  const hasOptions = Object.values(options).some(({ type }) => type !== "positional");
  const command = Object.keys(others).length > 0 ? ["<command>"] : [];
  return ["biplane", ...path, ...command, ...words, ...(hasOptions ? ["[options]"] : [])].join(" ");
}

async function allHeadings(options: UsageOptions): Promise<string[]> {
  const headings = Object.entries(commands).map(async ([heading, names]) =>
    section(heading, await aboutAll([], Object.keys(names)), options),
  );
  return [...(await Promise.all(headings)).flat(), "biplane <command> --help says more of each."];
}

async function below(found: Found, options: UsageOptions): Promise<string[]> {
  return section("Commands", await aboutAll(found.path, Object.keys(found.below)), options);
}

function aboutAll(path: readonly string[], names: readonly string[]): Promise<Row[]> {
  return Promise.all(names.map(async (name): Promise<Row> => [name, (await findCommand([...path, name])).about]));
}

type Row = readonly [what: string, about: string];

function rows({ path, options }: Found, which: "words" | "options"): Row[] {
  return Object.entries(options).flatMap(([name, option]): Row[] => {
    if ((option.type === "positional") !== (which === "words")) return [];
    return [[option.type === "positional" ? name : spelled(path, name, option), described(option)]];
  });
}

function spelled(path: readonly string[], name: string, option: ArgDef): string {
  const short = aliasesOf(option).map((alias) => `${alias.length === 1 ? "-" : "--"}${alias}, `);
  const value = option.type === "boolean" ? "" : ` ${valueWord(path, name)}`;
  return `${short.join("")}--${offeredName(name, option)}${value}`;
}

function valueWord(path: readonly string[], name: string): string {
  const value = valueOf(path, name);
  if (value.kind === "choice" && !value.isOpen && value.of.join("|").length <= 24) return value.of.join("|");
  return value.kind === "number" ? "N" : value.kind === "file" ? "FILE" : value.kind === "folder" ? "FOLDER" : "…";
}

function described({ description = "", default: usual, required, type }: ArgDef): string {
  const notes = [
    ...(required === true && type !== "positional" ? ["needed"] : []),
    ...(usual === undefined || usual === "" || type === "boolean" ? [] : [`else ${String(usual)}`]),
  ];
  return notes.length === 0 ? description : `${description} (${notes.join(", ")})`;
}

function section(title: string, all: readonly Row[], { columns, style }: UsageOptions): string[] {
  if (all.length === 0) return [];
  const left = Math.min(30, Math.max(...all.map(([what]) => widthOf(what)))) + 4;
  const lines = all.flatMap(([what, about]) => {
    const [first = "", ...rest] = wrap(about, Math.max(20, columns - left));
    const indent = " ".repeat(left);
    const head = widthOf(what) + 4 > left ? [`  ${what}`, indent + first] : [`  ${what}`.padEnd(left) + first];
    return [...head, ...rest.map((line) => indent + line)];
  });
  return [[style(title, "bold"), ...lines].join("\n")];
}
