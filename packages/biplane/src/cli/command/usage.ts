import type { Style } from "../terminal/style.ts";
import { widthOf, wrap } from "../terminal/width.ts";
import { valueOf } from "./define.ts";
import type { ArgValue, CommandArg } from "./define.ts";
import { aliasesOf, offeredName } from "./check-args.ts";
import { commands } from "./commands.ts";
import { examples } from "./examples.ts";
import { resolveCommand } from "./resolve-command.ts";
import type { ResolvedCommand } from "./resolve-command.ts";
import { usageLinesOf } from "./usage-line.ts";

export interface UsageOptions {
  readonly columns: number;
  readonly style: (text: string, style: Style) => string;
}

/** The help text of a command: description, usage, arguments, options and examples. */
export async function usageOf(found: ResolvedCommand, options: UsageOptions): Promise<string> {
  const { path, description } = found;
  const lines = examples[path.join(" ")] ?? [];
  const parts = [
    wrap(description, options.columns).join("\n"),
    `${options.style("Usage", "bold")}\n  ${usageLinesOf(found).join("\n  ")}`,
    ...(path.length === 0 ? await commandGroups(options) : await subCommands(found, options)),
    ...section("Arguments", rows(found, "arguments"), options),
    ...section("Options", rows(found, "options"), options),
    ...(lines.length > 0
      ? [`${options.style("Examples", "bold")}\n${lines.map((each) => `  ${each}`).join("\n")}`]
      : []),
  ];
  return `${parts.join("\n\n")}\n`;
}

async function commandGroups(options: UsageOptions): Promise<string[]> {
  const groups = Object.entries(commands).map(async ([heading, names]) =>
    section(heading, await descriptions([], Object.keys(names)), options),
  );
  return [
    ...(await Promise.all(groups)).flat(),
    "Run biplane <command> --help for the options of a command.",
    exitCodes,
  ];
}

const exitCodes = "Exit codes: 0 success, 1 failure, 2 wrong command line, 130 stopped with Ctrl-C.";

async function subCommands(found: ResolvedCommand, options: UsageOptions): Promise<string[]> {
  return section("Commands", await descriptions(found.path, Object.keys(found.subCommands)), options);
}

function descriptions(path: readonly string[], names: readonly string[]): Promise<Row[]> {
  return Promise.all(
    names.map(async (name): Promise<Row> => [name, (await resolveCommand([...path, name])).description]),
  );
}

type Row = readonly [name: string, description: string];

function rows({ options }: ResolvedCommand, which: "arguments" | "options"): Row[] {
  return Object.entries(options).flatMap(([name, option]): Row[] => {
    if ((option.type === "positional") !== (which === "arguments")) return [];
    return [[option.type === "positional" ? name : flagsOf(name, option), described(option)]];
  });
}

function flagsOf(name: string, option: CommandArg): string {
  const short = aliasesOf(option).map((alias) => `${alias.length === 1 ? "-" : "--"}${alias}, `);
  const value = option.type === "boolean" ? "" : ` ${placeholder(name, option)}`;
  const offered = offeredName(name, option);
  return `${short.join("")}${offered.length === 1 ? "-" : "--"}${offered}${value}`;
}

function placeholder(name: string, option: CommandArg): string {
  const value = valueOf(option);
  const choices = value.kind === "choice" && !value.isOpen ? value.of.join("|") : "";
  if (choices !== "" && choices.length <= 24) return choices;
  return value.kind === "text" && name.endsWith("url") ? "URL" : placeholders[value.kind];
}

const placeholders: Readonly<Record<ArgValue["kind"], string>> = {
  choice: "NAME",
  number: "N",
  file: "FILE",
  folder: "FOLDER",
  runs: "RUN",
  recordings: "RUN",
  environments: "NAME",
  packs: "NAME",
  targets: "NAME",
  text: "TEXT",
};

function described({ description = "", default: fallback, required, type }: CommandArg): string {
  const notes = [
    ...(required === true && type !== "positional" ? ["required"] : []),
    ...(fallback === undefined || fallback === "" || type === "boolean" ? [] : [`default: ${String(fallback)}`]),
  ];
  return notes.length === 0 ? description : `${description} (${notes.join(", ")})`;
}

function section(title: string, all: readonly Row[], { columns, style }: UsageOptions): string[] {
  if (all.length === 0) return [];
  const left = Math.min(30, Math.max(...all.map(([name]) => widthOf(name)))) + 4;
  const lines = all.flatMap(([name, description]) => {
    const [first = "", ...rest] = wrap(description, Math.max(20, columns - left));
    const indent = " ".repeat(left);
    const head = widthOf(name) + 4 > left ? [`  ${name}`, indent + first] : [`  ${name}`.padEnd(left) + first];
    return [...head, ...rest.map((line) => indent + line)];
  });
  return [[style(title, "bold"), ...lines].join("\n")];
}
