/** What is wrong with an action, where clients of OpenEnv look for it. */
export class ActionFault extends Error {
  readonly errors: readonly { type: string; loc: readonly string[]; msg: string; input: unknown }[];

  constructor(type: string, loc: readonly string[], msg: string, input: unknown) {
    super("Invalid message");
    this.errors = [{ type, loc, msg, input }];
  }
}
