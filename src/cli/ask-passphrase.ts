import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { BiplaneError } from "../errors.ts";

/** Where a passphrase is typed, and where it is asked for. */
export interface Terminal {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream;
}

/**
 * Asks for a new passphrase, twice and without showing it. Where nobody sits at a terminal, it is the first line of the
 * input.
 */
export async function askPassphrase(
  whose: string,
  { input, output }: Terminal = { input: process.stdin, output: process.stderr },
): Promise<string> {
  const lines = new Lines(input);
  try {
    if (!input.isTTY) return await lines.next();
    output.write(`Passphrase for ${whose}, 12 characters or more: `);
    const first = await lines.next();
    output.write("\nThe same again: ");
    const second = await lines.next();
    output.write("\n");
    if (first !== second) throw new BiplaneError("INVALID_INPUT", "the two passphrases are not the same");
    return first;
  } finally {
    lines.close();
  }
}

/** Asks for something once, without showing what is typed. */
export async function askHidden(prompt: string): Promise<string> {
  const lines = new Lines(process.stdin);
  try {
    process.stderr.write(prompt);
    const typed = await lines.next();
    process.stderr.write("\n");
    return typed;
  } finally {
    lines.close();
  }
}

/** Lines of an input that are shown nowhere. */
class Lines {
  readonly #reader: ReturnType<typeof createInterface>;
  readonly #waiting: string[] = [];
  #wake: () => void = () => undefined;
  #isOver = false;

  constructor(input: Terminal["input"]) {
    const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
    this.#reader = createInterface({ input, output: nowhere, terminal: input.isTTY ?? false });
    this.#reader.on("line", (line) => {
      this.#waiting.push(line);
      this.#wake();
    });
    for (const event of ["close", "SIGINT"] as const) {
      this.#reader.on(event, () => {
        this.#isOver = true;
        this.#wake();
      });
    }
  }

  async next(): Promise<string> {
    while (this.#waiting.length === 0) {
      if (this.#isOver) throw new BiplaneError("CANCELLED", "nothing was typed");
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#waiting.shift() ?? "";
  }

  close(): void {
    this.#reader.close();
  }
}
