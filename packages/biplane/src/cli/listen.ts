import { messageOf } from "@biplane/core/internal";
import type { Listening } from "@biplane/core";

export interface ListenOptions {
  readonly url: string;
  readonly listen: () => Promise<Listening>;
  readonly close: () => Promise<void>;
  /** Printed to standard error once the server listens. */
  readonly welcome: (address: string) => string;
}

/** Serves until standard input ends or Ctrl-C, then lets running calls finish. A second Ctrl-C exits at once. */
export async function listenUntilStopped({ url, listen, close, welcome }: ListenOptions): Promise<void> {
  const listening = await listen().catch((error: unknown) => {
    throw listenError(error, url);
  });
  const text = url === "stdio" ? "" : welcome(listening.url);
  if (text !== "") process.stderr.write(`${text}\n`);
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      process.once(signal, () => process.exit(130));
      void listening.close();
    });
  }
  await listening.closed;
  await close();
}

function listenError(error: unknown, url: string): Error {
  // npm swallows options that do not follow --
  const command = process.env["npm_lifecycle_event"] === "start" ? "npm start -- " : "";
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "EADDRINUSE")
    return new Error(`${url} is in use. Use another port, or ${command}--url http://127.0.0.1:0 for a free one.`);
  if (code === "EACCES") return new Error(`No permission to listen on ${url}. Use a port above 1023.`);
  return error instanceof Error ? error : new Error(messageOf(error));
}
