import { hash, randomInt, timingSafeEqual } from "node:crypto";

/** The code that lets the first person in. It is shown in the terminal, so whoever knows it can start the program. */
export class SetupCode {
  #code: string | undefined;

  /** Made when it is first asked for; another one with each start. */
  show(): string {
    return (this.#code ??= Array.from({ length: 4 }, () => Array.from({ length: 5 }, letter).join("")).join("-"));
  }

  /** Works once: whoever comes second, even at the same moment, comes too late. */
  take(given: string): (() => void) | undefined {
    const code = this.#code;
    if (code === undefined || !isSame(plain(given), plain(code))) return undefined;
    this.#code = undefined;
    return () => {
      this.#code = code;
    };
  }
}

/** None that is taken for another. */
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
