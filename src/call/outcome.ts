import type { BiplaneError } from "../errors.ts";
import type { Content } from "../tool/content.ts";
import type { Question } from "../tool/question.ts";

/** What a call came to. Each wire translates it; none adds to it. */
export type Outcome = Done | Failed | Suspended;

export interface Done {
  readonly status: "done";
  /** What `run` returned, checked. */
  readonly value: unknown;
  /** The same, for reading. */
  readonly content: readonly Content[];
}

export interface Failed {
  readonly status: "failed";
  readonly error: BiplaneError;
}

/** The call waits for answers that come with its next attempt. */
export interface Suspended {
  readonly status: "suspended";
  readonly questions: Readonly<Record<string, Question>>;
}
