import type { Logger } from "../observe/logs.ts";

/**
 * Logs errors that nothing has caught, and goes on. Such an error is a fault of one call, in this program or in a tool's
 * code; to stop would end the calls of everybody.
 */
export function surviveFaults(log: Logger): void {
  const note = (error: unknown) => log.error("An error was not handled. The server goes on.", { error });
  process.on("uncaughtException", note);
  process.on("unhandledRejection", note);
}
