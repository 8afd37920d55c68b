/** An invalid action, in the error format of pydantic, which OpenEnv's clients expect. */
export class ActionFault extends Error {
  readonly errors: readonly ActionIssue[];

  constructor(issue: ActionIssue) {
    super("Invalid message");
    this.errors = [issue];
  }
}

interface ActionIssue {
  readonly type: string;
  readonly loc: readonly string[];
  readonly msg: string;
  readonly input: unknown;
}
