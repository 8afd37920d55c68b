import { createHmac } from "node:crypto";
import { isEqualText } from "./equal-text.ts";

/** Nonces for DPoP proofs. A nonce is a signed time, so that no process has to remember any. */
export class DpopNonces {
  readonly #key: string;
  readonly #now: () => number;

  constructor(key: string, now: () => number) {
    this.#key = key;
    this.#now = now;
  }

  current(): string {
    return this.#of(Math.floor(this.#now() / periodMs));
  }

  /** A nonce is valid in its own period and the next one: 5 to 10 minutes. */
  isValid(nonce: unknown): boolean {
    const period = Math.floor(this.#now() / periodMs);
    return isEqualText(nonce, this.#of(period)) || isEqualText(nonce, this.#of(period - 1));
  }

  #of(period: number): string {
    const signature = createHmac("sha256", this.#key).update(`dpop-nonce ${period}`).digest("base64url");
    return `${period.toString(36)}.${signature.slice(0, 22)}`;
  }
}

const periodMs = 300_000;
