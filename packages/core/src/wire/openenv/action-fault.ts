import { showValue } from "../../call/rules/show-value.ts";

/** An invalid action, in the error format of pydantic, which OpenEnv's clients expect. */
export class ActionFault extends Error {
  readonly errors: readonly ActionIssue[];

  constructor(issue: ActionIssue) {
    super("Invalid message");
    this.errors = [{ ...issue, input: isShort(issue.input) ? issue.input : showValue(issue.input) }];
  }
}

/** True if a value can be sent back whole. A frame can have megabytes. */
function isShort(value: unknown): boolean {
  const waiting = [value];
  let length = 0;
  for (let next = waiting.pop(); next !== undefined && length < maxLength; next = waiting.pop()) {
    if (typeof next === "string") length += next.length;
    else if (typeof next === "object" && next !== null)
      for (const [key, inner] of Object.entries(next).slice(0, maxLength)) {
        length += key.length + 1;
        waiting.push(inner);
      }
  }
  return length < maxLength;
}

const maxLength = 1000;

/** Refuses the fields of an action that are left after those it may have. */
export function refuseExtra(unknown: Readonly<Record<string, unknown>>): void {
  const [extra] = Object.keys(unknown);
  if (extra === undefined) return;
  const msg = "Extra inputs are not permitted";
  throw new ActionFault({ type: "extra_forbidden", loc: [extra], msg, input: unknown[extra] });
}

interface ActionIssue {
  readonly type: string;
  readonly loc: readonly string[];
  readonly msg: string;
  readonly input: unknown;
}
