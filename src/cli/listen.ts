import { messageOf } from "../errors.ts";
import type { Listening } from "../server/listening.ts";

export interface ListenOptions {
  readonly url: string;
  readonly listen: () => Promise<Listening>;
  readonly close: () => Promise<void>;
  /** What to tell the person who started it. */
  readonly welcome: (address: string) => string;
}

/** Serves until the input ends or somebody presses Ctrl-C, then lets running calls finish. A second Ctrl-C does not wait. */
export async function listenUntilStopped({ url, listen, close, welcome }: ListenOptions): Promise<void> {
  const listening = await listen().catch((error: unknown) => {
    throw explain(error, url);
  });
  if (url !== "stdio") process.stderr.write(`${welcome(listening.url)}\n`);
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      process.once(signal, () => process.exit(130));
      void listening.close();
    });
  }
  await listening.closed;
  await close();
}

function explain(error: unknown, url: string): Error {
  // npm keeps words for itself that do not come after --
  const another =
    process.env["npm_lifecycle_event"] === "start"
      ? "npm start -- --url http://127.0.0.1:0 takes a free port"
      : "pass --url with another port, or --url http://127.0.0.1:0 for a free one";
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "EADDRINUSE") return new Error(`${url} is in use; ${another}`);
  if (code === "EACCES") return new Error(`${url} may not be opened by this user; use a port above 1023`);
  return error instanceof Error ? error : new Error(messageOf(error));
}
