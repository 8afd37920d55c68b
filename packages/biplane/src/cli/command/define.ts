import type { ArgDef, ArgsDef, BooleanArgDef, CommandDef, ParsedArgs, PositionalArgDef, StringArgDef } from "citty";

/** A command with any options. */
// oxlint-disable-next-line typescript/no-explicit-any -- citty's own type of a command whose options are not known
export type Command = CommandDef<any>;

/** An option or a positional argument, and what it takes (default: any text). */
export type CommandArg = ArgDef & { readonly takes?: ArgValue };

/** What an argument takes. With `isOpen`, the choices are suggestions; `isList` is comma-separated. */
export type ArgValue =
  | { readonly kind: "choice"; readonly of: readonly string[]; readonly isOpen?: true; readonly isList?: true }
  | { readonly kind: "number"; readonly isWhole: boolean; readonly min?: number }
  | { readonly kind: "file" | "folder" | "runs" | "recordings" | "environments" | "packs" | "targets" | "text" };

export const file: ArgValue = { kind: "file" };
export const folder: ArgValue = { kind: "folder" };
export const runs: ArgValue = { kind: "runs" };
export const count: ArgValue = { kind: "number", isWhole: true, min: 0 };
export const countFromOne: ArgValue = { kind: "number", isWhole: true, min: 1 };
export const wholeNumberArg: ArgValue = { kind: "number", isWhole: true };
export const number: ArgValue = { kind: "number", isWhole: false };

export function oneOf(...of: readonly string[]): ArgValue {
  return { kind: "choice", of };
}

/** Choices that are only suggestions: other values are valid too. */
export function suggested(...of: readonly string[]): ArgValue {
  return { kind: "choice", of, isOpen: true };
}

/** The values that a command gets for its arguments. */
export type GivenArgs<Args extends ArgsDef> = { readonly [Name in keyof Args]: ParsedArgs<Args>[Name] };

/** What an option or a positional argument takes. */
export function valueOf({ takes = { kind: "text" } }: CommandArg): ArgValue {
  return takes;
}

/** Defines a command, or a group of them: its help text, its arguments, and what it does. */
export function command<const Args extends ArgsDef = ArgsDef>(
  description: string,
  definition: Omit<CommandDef<Args>, "meta">,
): CommandDef<Args> {
  return { ...definition, meta: { description } };
}

type Details<Def> = Omit<Def, "type" | "description"> & { readonly takes?: ArgValue };

/** An option with a value. */
export function option<const More extends Details<StringArgDef>>(description: string, more?: More) {
  return { type: "string", description, ...(more as More) } as const;
}

/** An option without a value, off unless it says otherwise. */
export function toggle(description: string): { type: "boolean"; description: string; default: false };
export function toggle<const More extends Details<BooleanArgDef>>(
  description: string,
  more: More,
): { type: "boolean"; description: string } & More;
export function toggle(description: string, more: Details<BooleanArgDef> = { default: false }): BooleanArgDef {
  return { type: "boolean", description, ...more };
}

/** A positional argument, required unless it says otherwise. */
export function argument(description: string): { type: "positional"; description: string; required: true };
export function argument<const More extends Details<PositionalArgDef>>(
  description: string,
  more: More,
): { type: "positional"; description: string } & More;
export function argument(description: string, more: Details<PositionalArgDef> = { required: true }): PositionalArgDef {
  return { type: "positional", description, ...more };
}
