import type { Logger } from "../observe/logs.ts";

/**
 * Logs errors that nothing has caught, and goes on. Such an error is a fault of one call, in this program or in a tool's
 * code; to stop would end the calls of everybody.
 */
export function surviveFaults(log: Logger): void {
  const note = (error: unknown) => {
    if (isBrokenOutput(error)) process.exit(1);
    log.error("An error was not handled. The server goes on.", { error });
  };
  process.on("uncaughtException", note);
  process.on("unhandledRejection", note);
}

/** Nobody reads standard output or error any more. To log that would fail the same way, again and again. */
function isBrokenOutput(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EPIPE";
}
