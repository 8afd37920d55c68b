import type { ArgDef } from "citty";
import { nearest } from "../../call/rules/near-miss.ts";
import { BiplaneError } from "../../errors.ts";
import type { Found } from "./find-command.ts";
import { checkValue } from "./check-value.ts";

/**
 * Refuses what a command would pass over in silence: options it does not have, values that are missing or no numbers,
 * words too many and too few. What stands behind `--` is another program's.
 */
export function checkWords(found: Found): void {
  const end = found.words.indexOf("--");
  const own = end === -1 ? found.words : found.words.slice(0, end);
  const given = new Set<string>();
  const plain: string[] = [];
  for (let at = 0; at < own.length; at++) {
    const word = own[at] ?? "";
    if (!/^-./.test(word)) {
      plain.push(word);
      continue;
    }
    const { name, option, value, written } = readOption(found, word);
    given.add(name);
    if (option.type === "boolean") {
      if (value !== undefined && !["true", "false"].includes(value))
        throw invalid(`${written} is there or not: it takes no value such as ${JSON.stringify(value)}`);
      continue;
    }
    const taken = value ?? own[++at];
    if (taken === undefined || (value === undefined && taken.startsWith("--"))) throw needsValue(found, written, taken);
    checkValue({ path: found.path, name, written, value: taken });
  }
  checkPlain(found, plain, end !== -1);
  for (const [name, option] of Object.entries(found.options))
    if (option.type !== "positional" && option.required === true && !given.has(name))
      throw needsValue(found, `--${name}`);
}

interface Read {
  readonly name: string;
  readonly option: ArgDef;
  readonly written: string;
  readonly value: string | undefined;
}

function readOption(found: Found, word: string): Read {
  if (word.startsWith("--")) {
    const [, spelled = "", value] = /^--([^=]*)(?:=(.*))?$/s.exec(word) ?? [];
    const known = optionNamed(found, spelled);
    if (known) return { ...known, written: `--${spelled}`, value };
    const positive = spelled.startsWith("no-") ? optionNamed(found, spelled.slice(3)) : undefined;
    if (positive?.option.type === "boolean" && value === undefined)
      return { ...positive, written: `--${spelled}`, value };
    if (positive) throw invalid(`--${positive.name} takes a value, so that there is no --${spelled}: leave it out`);
    throw unknownOption(found, `--${spelled}`);
  }
  const known = optionNamed(found, word[1] ?? "");
  if (!known) throw unknownOption(found, word);
  const rest = word.slice(2);
  if (known.option.type === "boolean" && rest !== "") throw unknownOption(found, word);
  return { ...known, written: word.slice(0, 2), value: rest === "" ? undefined : rest };
}

/** By its name, its other names, and the way JavaScript would spell it. */
function optionNamed({ options }: Found, spelled: string): { name: string; option: ArgDef } | undefined {
  for (const [name, option] of Object.entries(options)) {
    if (option.type === "positional") continue;
    if (name === spelled || aliasesOf(option).includes(spelled) || camelCase(name) === spelled) return { name, option };
  }
  return undefined;
}

/** The other names of an option, such as `n` for `number`. */
export function aliasesOf(option: ArgDef): readonly string[] {
  const alias = "alias" in option ? option.alias : undefined;
  return alias === undefined ? [] : [alias].flat();
}

/** How an option is offered: one that is on unless said is there to be turned off. */
export function offeredName(name: string, option: ArgDef): string {
  return option.type === "boolean" && option.default === true ? `no-${name}` : name;
}

function camelCase(name: string): string {
  return name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

function checkPlain(found: Found, plain: readonly string[], hasCommand: boolean): void {
  const expected = Object.entries(found.options).filter(([, option]) => option.type === "positional");
  const tooMany = plain[expected.length];
  if (tooMany !== undefined && !takesMore.has(found.path.join(" "))) {
    const what = expected.length === 0 ? "takes no words" : `takes ${expected.map(([name]) => name).join(" and ")}`;
    throw invalid(`${titleOf(found)} ${what}, and nothing such as ${JSON.stringify(tooMany)} after that`);
  }
  const missing = expected.find(([, option], at) => option.required !== false && plain[at] === undefined);
  if (missing && !hasCommand)
    throw invalid(`say the ${missing[0]}: ${titleOf(found)} ${expected.map(([name]) => `<${name}>`).join(" ")}`);
}

/** Commands that read all words that are left. */
const takesMore = new Set(["approvals approve", "approvals reject", "call", "help", "scripts run"]);

function unknownOption(found: Found, written: string): BiplaneError {
  const names = Object.entries(found.options).flatMap(([name, option]) =>
    option.type === "positional" ? [] : [name, ...aliasesOf(option)],
  );
  const near = nearest(written.replace(/^--(no-)?/, ""), names);
  if (near !== undefined)
    return invalid(`unknown option ${written}; did you mean ${near.length > 1 ? "--" : "-"}${near}?`);
  const meant = Object.hasOwn(found.options, "url") ? nearest(written.slice(2), ["port", "host"]) : undefined;
  if (meant !== undefined)
    return invalid(`unknown option ${written}; the ${meant} is part of --url http://127.0.0.1:9000`);
  const hint = /^-\d/.test(written) ? "put -- before a word that begins with a dash" : `see ${titleOf(found)} --help`;
  return invalid(`unknown option ${written}; ${hint}`);
}

function needsValue(found: Found, written: string, next?: string): BiplaneError {
  const hint = next === undefined ? `see ${titleOf(found)} --help` : `write ${written}=${next} if ${next} is its value`;
  return invalid(`${written} needs a value; ${hint}`);
}

function titleOf({ path }: Found): string {
  return ["biplane", ...path].join(" ");
}

function invalid(message: string): BiplaneError {
  return new BiplaneError("INVALID_INPUT", message);
}
