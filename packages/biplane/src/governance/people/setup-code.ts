import { hash, randomInt, timingSafeEqual } from "node:crypto";

/** The code for creating the administrator. It is shown in the terminal, so knowing it proves access to the process. */
export class SetupCode {
  #code: string | undefined;

  /** Created on first use, and new with each start. */
  show(): string {
    return (this.#code ??= Array.from({ length: 4 }, () => Array.from({ length: 5 }, letter).join("")).join("-"));
  }

  /** Consumes the code, so it works only once. Returns a function that restores it. */
  take(given: string): (() => void) | undefined {
    const code = this.#code;
    if (code === undefined || !isSame(plain(given), plain(code))) return undefined;
    this.#code = undefined;
    return () => {
      this.#code = code;
    };
  }
}

/** Without letters that are easily confused. */
const letters = "ABCDEFGHJKMNPQRSTVWXYZ23456789";

function letter(): string {
  return letters[randomInt(letters.length)] ?? "";
}

function plain(code: string): string {
  return code
    .slice(0, 100)
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]/g, "");
}

function isSame(a: string, b: string): boolean {
  return timingSafeEqual(hash("sha256", a, "buffer"), hash("sha256", b, "buffer"));
}
