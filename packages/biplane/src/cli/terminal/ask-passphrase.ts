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
  const lines = new HiddenLines(input);
  try {
    if (!input.isTTY) return await lines.next();
    output.write(`Passphrase for ${name} (at least 12 characters): `);
    const first = await lines.next();
    output.write("\nRepeat the passphrase: ");
    const second = await lines.next();
    output.write("\n");
    if (first !== second) throw inputError("The passphrases do not match.");
    return first;
  } finally {
    lines.close();
  }
}

/** Prompts for one line, without echo. */
export async function askHidden(prompt: string): Promise<string> {
  const lines = new HiddenLines(process.stdin);
  try {
    process.stderr.write(prompt);
    const typed = await lines.next();
    process.stderr.write("\n");
    return typed;
  } finally {
    lines.close();
  }
}

/** Reads lines without echoing them. */
class HiddenLines {
  readonly #reader: ReturnType<typeof createInterface>;
  readonly #waiting: string[] = [];
  #wake: () => void = () => undefined;
  #ending: BiplaneError | undefined;

  constructor(input: PassphraseStreams["input"]) {
    const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
    this.#reader = createInterface({ input, output: nowhere, terminal: input.isTTY ?? false });
    this.#reader.on("line", (line) => {
      this.#waiting.push(line);
      this.#wake();
    });
    this.#reader.on("SIGINT", () => this.#end(interruption()));
    this.#reader.on("close", () => this.#end(new BiplaneError("CANCELLED", "Nothing was entered.")));
  }

  async next(): Promise<string> {
    while (this.#waiting.length === 0) {
      if (this.#ending) throw this.#ending;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#waiting.shift() ?? "";
  }

  close(): void {
    this.#reader.close();
  }

  #end(why: BiplaneError): void {
    this.#ending ??= why;
    this.#wake();
  }
}
