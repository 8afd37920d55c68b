import { on } from "node:events";
import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { BiplaneError } from "@biplane/core";
import { inputError, interruption } from "../command/exit-code.ts";

/** Where the passphrase is read from, and where the prompt is written. */
export interface PassphraseStreams {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream;
}

/** Prompts twice for a new passphrase, without echo. Without a terminal, reads the first line of the input. */
export async function askPassphrase(
  name: string,
  { input, output }: PassphraseStreams = { input: process.stdin, output: process.stderr },
): Promise<string> {
  using lines = hiddenLines(input);
  if (!input.isTTY) return await lines.next();
  output.write(`Passphrase for ${name} (at least 12 characters): `);
  const first = await lines.next();
  output.write("\nRepeat the passphrase: ");
  const second = await lines.next();
  output.write("\n");
  if (first !== second) throw inputError("The passphrases do not match.");
  return first;
}

/** Prompts for one line, without echo. */
export async function askHidden(prompt: string): Promise<string> {
  using lines = hiddenLines(process.stdin);
  process.stderr.write(prompt);
  const typed = await lines.next();
  process.stderr.write("\n");
  return typed;
}

/** Reads lines without echoing them. */
function hiddenLines(input: PassphraseStreams["input"]) {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input, output: nowhere, terminal: input.isTTY ?? false });
  const stop = new AbortController();
  reader.once("SIGINT", () => stop.abort(interruption()));
  const lines = on(reader, "line", { close: ["close"], signal: stop.signal });
  return {
    next: async (): Promise<string> => {
      const { value, done } = await lines.next().catch(() => stop.signal.throwIfAborted() as never);
      if (done) throw new BiplaneError("CANCELLED", "Nothing was entered.");
      return (value as [string])[0];
    },
    [Symbol.dispose]: () => reader.close(),
  };
}
