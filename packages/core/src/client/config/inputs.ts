import { inputsIn } from "./variables.ts";
import { isRecord } from "../../is-record.ts";

/** An entry of `inputs` in a VS Code file. */
export interface InputQuestion {
  readonly id: string;
  readonly description: string;
  /** True if the input must be hidden while typing. */
  readonly password: boolean;
  readonly fallback: string | undefined;
  /** The choices; undefined for free text. */
  readonly options: readonly string[] | undefined;
}

/** Returns the answer to an input, or undefined if there is none. */
export type AnswerInput = (question: InputQuestion) => string | undefined | Promise<string | undefined>;

/** Asks for each `${input:id}` that the entries refer to, once and in sequence. */
export async function readInputs(
  written: unknown,
  entries: readonly { readonly value: unknown }[],
  answer: AnswerInput = ({ fallback }) => fallback,
): Promise<Map<string, string | undefined>> {
  const ids = new Set(entries.flatMap(({ value }) => textsIn(value).flatMap(inputsIn)));
  const known = (Array.isArray(written) ? written : []).filter(isRecord);
  const answers = new Map<string, string | undefined>();
  for (const id of ids) {
    const found = known.find((each) => each["id"] === id);
    answers.set(id, await answer(questionOf(id, found ?? {})));
  }
  return answers;
}

function questionOf(id: string, written: Readonly<Record<string, unknown>>): InputQuestion {
  const { description, password, default: fallback, options } = written;
  return {
    id,
    description: typeof description === "string" ? description : id,
    password: password === true,
    fallback: typeof fallback === "string" ? fallback : undefined,
    options: Array.isArray(options) ? options.map(optionOf) : undefined,
  };
}

function optionOf(option: unknown): string {
  return String(isRecord(option) ? option["value"] : option);
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isRecord(value) ? Object.values(value).flatMap(textsIn) : [];
}
