import { isRecord } from "../../call/rules/read-list.ts";
import { inputsIn } from "./variables.ts";

/** What a VS Code file asks its user for. */
export interface InputQuestion {
  readonly id: string;
  readonly description: string;
  /** Whether it must not be shown while it is typed. */
  readonly password: boolean;
  readonly fallback: string | undefined;
  /** What may be chosen; undefined where anything may be typed. */
  readonly options: readonly string[] | undefined;
}

/** Answers a question, or says undefined where it cannot. */
export type AnswerInput = (question: InputQuestion) => string | undefined | Promise<string | undefined>;

/** Asks once for each `${input:id}` that the entries refer to, one after the other. */
export async function readInputs(
  written: unknown,
  entries: readonly { readonly value: unknown }[],
  answer: AnswerInput = ({ fallback }) => fallback,
): Promise<Map<string, string | undefined>> {
  const wanted = new Set(entries.flatMap(({ value }) => textsIn(value).flatMap(inputsIn)));
  const known = (Array.isArray(written) ? written : []).filter(isRecord);
  const answers = new Map<string, string | undefined>();
  for (const id of wanted) {
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
