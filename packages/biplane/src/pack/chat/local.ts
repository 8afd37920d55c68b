import { appendFile } from "node:fs/promises";
import type { ChatProvider } from "./provider.ts";

export interface LocalMessage {
  readonly time: string;
  readonly target: string;
  readonly message: string;
}

/** Sends nothing. Appends messages to a file and keeps the latest in `sent`. */
export function local(options: {
  targets: readonly string[];
  file: string | undefined;
  sent: LocalMessage[];
  now: () => number;
}): ChatProvider {
  const { targets, file, sent, now } = options;
  return {
    name: "local",
    idPattern: /^[\w.@-]{1,100}$/,
    targets,
    limit: 100_000,
    fences: false,
    open:
      async ({ kind, id }) =>
      async (message) => {
        const line = { time: new Date(now()).toISOString(), target: `${kind}:${id}`, message };
        if (file !== undefined) await appendFile(file, `${JSON.stringify(line)}\n`, { mode: 0o600 });
        sent.push(line);
        if (sent.length > maxKept) sent.shift();
        return String(sent.length);
      },
  };
}

const maxKept = 1000;
