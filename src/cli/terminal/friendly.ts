import { BiplaneError, messageOf } from "../../errors.ts";
import { cleanText } from "./clean-text.ts";

/** Runs a command. What it throws may quote a server, so it is made safe to print. */
export async function friendly(run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    const code = error instanceof BiplaneError ? error.code : "INTERNAL";
    throw new BiplaneError(code, cleanText(messageOf(error)), { cause: error });
  }
}

/** A word on standard error that is no error. */
export function remark(text: string): void {
  process.stderr.write(`biplane: ${cleanText(text)}\n`);
}
