/** An invalid action, in the error format of pydantic, which OpenEnv's clients expect. */
export class ActionFault extends Error {
  readonly errors: readonly ActionIssue[];

  constructor(issue: ActionIssue) {
    super("Invalid message");
    this.errors = [issue];
  }
}

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
