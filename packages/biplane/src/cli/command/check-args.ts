import { nearest } from "@biplane/core/internal";
import type { BiplaneError } from "@biplane/core";
import type { ResolvedCommand } from "./resolve-command.ts";
import { valueOf } from "./define.ts";
import type { CommandArg } from "./define.ts";
import { targetForms } from "../target/target-arg.ts";
import { usageError } from "./exit-code.ts";
import { usageLinesOf } from "./usage-line.ts";

/**
 * Rejects what citty ignores: unknown options, missing or malformed values, and too many or too few arguments. Does not
 * look at what follows `--`, which belongs to another program.
 */
export function checkArgs(found: ResolvedCommand): void {
  const end = found.args.indexOf("--");
  const own = end === -1 ? found.args : found.args.slice(0, end);
  const given = new Set<string>();
  const positionals: string[] = [];
  for (let at = 0; at < own.length; at++) {
    const arg = own[at] ?? "";
    if (!/^-./.test(arg)) {
      positionals.push(arg);
      continue;
    }
    const { name, option, value, flag } = readOption(found, arg);
    given.add(name);
    if (option.type === "boolean") {
      if (value !== undefined && !["true", "false"].includes(value))
        throw usageError(`${flag} takes no value, but got ${JSON.stringify(value)}.`);
      continue;
    }
    const taken = value ?? own[++at];
    if (taken === undefined || (value === undefined && taken.startsWith("--"))) throw missingValue(found, flag, taken);
    checkValue(flag, taken, option);
  }
  checkPositionals(found, positionals, { hasCommand: end !== -1 });
  for (const [name, option] of Object.entries(found.options))
    if (option.type !== "positional" && option.required === true && !given.has(name))
      throw missingValue(found, `--${name}`);
}

interface GivenOption {
  readonly name: string;
  readonly option: CommandArg;
  readonly flag: string;
  readonly value: string | undefined;
}

function readOption(found: ResolvedCommand, arg: string): GivenOption {
  if (arg.startsWith("--")) {
    const [, spelled = "", value] = /^--([^=]*)(?:=(.*))?$/s.exec(arg) ?? [];
    const known = optionNamed(found, spelled);
    if (known) return { ...known, flag: `--${spelled}`, value };
    const positive = spelled.startsWith("no-") ? optionNamed(found, spelled.slice(3)) : undefined;
    if (positive?.option.type === "boolean" && value === undefined) return { ...positive, flag: `--${spelled}`, value };
    if (positive)
      throw usageError(`--${positive.name} takes a value, so --${spelled} does not exist. Omit the option instead.`);
    throw unknownOption(found, `--${spelled}`);
  }
  const known = optionNamed(found, arg[1] ?? "");
  if (!known) throw unknownOption(found, arg);
  const rest = arg.slice(2);
  if (known.option.type === "boolean" && rest !== "") throw unknownOption(found, arg);
  return { ...known, flag: arg.slice(0, 2), value: rest === "" ? undefined : rest };
}

/** By name, alias, or the name in camel case, which citty accepts too. */
function optionNamed({ options }: ResolvedCommand, spelled: string): { name: string; option: CommandArg } | undefined {
  for (const [name, option] of Object.entries(options)) {
    if (option.type === "positional") continue;
    if (name === spelled || aliasesOf(option).includes(spelled) || camelCase(name) === spelled) return { name, option };
  }
  return undefined;
}

/** Other names of an option, such as `n` for `number`. */
export function aliasesOf(option: CommandArg): readonly string[] {
  const alias = "alias" in option ? option.alias : undefined;
  return alias === undefined ? [] : [alias].flat();
}

/** The name that help shows. A switch that is on by default is shown as `no-…`. */
export function offeredName(name: string, option: CommandArg): string {
  return option.type === "boolean" && option.default === true ? `no-${name}` : name;
}

function camelCase(name: string): string {
  return name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

/** Rejects a value that is not one of the option's choices, and a number that is not one. */
function checkValue(flag: string, value: string, option: CommandArg): void {
  const expected = valueOf(option);
  if (expected.kind === "choice" && !expected.isOpen && !expected.of.includes(value)) {
    const near = nearest(value, expected.of);
    const hint = near === undefined ? "" : ` Did you mean ${near}?`;
    throw usageError(`${flag} must be one of ${expected.of.join(", ")}, not ${JSON.stringify(value)}.${hint}`);
  }
  if (expected.kind !== "number") return;
  const number = value.trim() === "" ? Number.NaN : Number(value);
  const isValid = expected.isWhole ? Number.isSafeInteger(number) : Number.isFinite(number);
  if (isValid && number >= (expected.min ?? -Infinity)) return;
  const type = expected.isWhole ? "a whole number" : "a number";
  const range = expected.min === undefined ? "" : ` of at least ${expected.min}`;
  throw usageError(`${flag} must be ${type}${range}, not ${JSON.stringify(value)}.`);
}

function checkPositionals(
  found: ResolvedCommand,
  given: readonly string[],
  { hasCommand }: { readonly hasCommand: boolean },
): void {
  // A command after -- takes the place of the target. An argument such as `id …` may repeat.
  const expected = Object.entries(found.options).filter(
    ([name, option]) => option.type === "positional" && !(hasCommand && name === "target"),
  );
  const [usage = ""] = usageLinesOf(found);
  const tooMany = given[expected.length];
  const takesMore = expected.at(-1)?.[1].valueHint?.includes("…");
  if (tooMany !== undefined && !takesMore)
    throw usageError(`Unexpected argument ${JSON.stringify(tooMany)}. Usage: ${usage}`);
  const [missing] = expected.find(([, option], at) => option.required !== false && given[at] === undefined) ?? [];
  if (missing === "target") throw usageError(`Pass a target: ${targetForms}.`);
  if (missing !== undefined) throw usageError(`Missing argument <${missing}>. Usage: ${usage}`);
}

function unknownOption(found: ResolvedCommand, flag: string): BiplaneError {
  return usageError(`Unknown option ${flag}. ${hintFor(found, flag)}`);
}

function hintFor(found: ResolvedCommand, flag: string): string {
  const names = Object.entries(found.options).flatMap(([name, option]) =>
    option.type === "positional" ? [] : [name, ...aliasesOf(option)],
  );
  const near = nearest(flag.replace(/^--(no-)?/, ""), names);
  if (near !== undefined) return `Did you mean ${near.length > 1 ? "--" : "-"}${near}?`;
  const part = Object.hasOwn(found.options, "url") ? nearest(flag.slice(2), ["port", "host"]) : undefined;
  if (part !== undefined) return `Set the ${part} with --url, such as --url http://127.0.0.1:9000.`;
  return /^-\d/.test(flag) ? "Put -- before an argument that starts with a dash." : `See ${titleOf(found)} --help.`;
}

function missingValue(found: ResolvedCommand, flag: string, next?: string): BiplaneError {
  const hint = next === undefined ? `See ${titleOf(found)} --help.` : `If ${next} is its value, write ${flag}=${next}.`;
  return usageError(`${flag} needs a value. ${hint}`);
}

function titleOf({ path }: ResolvedCommand): string {
  return ["biplane", ...path].join(" ");
}
