import { BiplaneError } from "../errors.ts";

/** An error without a stack trace, which would take longer than all the rest of a refusal. One caller can cause many. */
export function refusal(...args: ConstructorParameters<typeof BiplaneError>): BiplaneError {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return new BiplaneError(...args);
  } finally {
    Error.stackTraceLimit = limit;
  }
}
