import type { BiplaneError } from "../errors.ts";
import type { Content } from "../tool/content.ts";
import type { Question } from "../tool/question.ts";

/** The result of a call. Every wire protocol translates it and adds nothing. */
export type Outcome = Done | Failed | Suspended;

export interface Done {
  readonly status: "done";
  /** The validated return value of `run`. */
  readonly value: unknown;
  /** The same as content blocks. */
  readonly content: readonly Content[];
}

export interface Failed {
  readonly status: "failed";
  readonly error: BiplaneError;
}

/** The call needs answers, which arrive with its next attempt. */
export interface Suspended {
  readonly status: "suspended";
  readonly questions: Readonly<Record<string, Question>>;
}
