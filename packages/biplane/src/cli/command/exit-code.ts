import { BiplaneError } from "@biplane/core";

/** The command line is wrong, so nothing was done. The program exits with 2. */
export function usageError(message: string): BiplaneError {
  return new BiplaneError("INVALID_INPUT", message, { details: { exitCode: 2 } });
}

/** The command line is right, but what it asks for cannot be done. */
export function inputError(message: string): BiplaneError {
  return new BiplaneError("INVALID_INPUT", message);
}

/** The user pressed Ctrl-C. The program exits with 130, as a shell reports a program that an interrupt ended. */
export function interruption(message = "Stopped by Ctrl-C."): BiplaneError {
  return new BiplaneError("CANCELLED", message, { details: { exitCode: 130 } });
}

/** The exit code for an error: 2 for a wrong command line, 130 after Ctrl-C, else 1. */
export function exitCodeOf(error: unknown): number {
  const exitCode = error instanceof BiplaneError ? error.details?.["exitCode"] : undefined;
  return typeof exitCode === "number" ? exitCode : 1;
}
