import { createHmac, timingSafeEqual } from "node:crypto";

/** What the token of a link says: which message it was in, and until when it works. */
export interface AnswerTokenClaims {
  /** The id of the notification. */
  readonly id: string;
  readonly expiresAt: number;
}

/**
 * Makes and checks the tokens of links that answer one approval. They are signed, so that the store holds none, and a
 * forged one is refused before anything is looked up.
 */
export class AnswerTokens {
  readonly #key: string;

  constructor(key: string) {
    this.#key = key;
  }

  /** The same claims give the same token, so a message that is sent again has the same link. */
  make({ id, expiresAt }: AnswerTokenClaims): string {
    const claims = `${id}.${expiresAt.toString(36)}`;
    return `${claims}.${this.#sign(claims)}`;
  }

  /** Undefined if this server did not make the token. Check `expiresAt` yourself. */
  read(token: string): AnswerTokenClaims | undefined {
    if (token.length > maxLength) return undefined;
    const [, claims = "", id = "", expires = "", signature = ""] = format.exec(token) ?? [];
    const [given, right] = [signature, this.#sign(claims)].map((text) => Buffer.from(text));
    if (!given || !right || given.length !== right.length || !timingSafeEqual(given, right)) return undefined;
    return { id, expiresAt: Number.parseInt(expires, 36) };
  }

  #sign(claims: string): string {
    return createHmac("sha256", this.#key).update(`biplane answer link ${claims}`).digest("base64url");
  }
}

const format = /^((msg_[0-9a-f]{32})\.([0-9a-z]{1,10}))\.([\w-]{43})$/;
const maxLength = 120;
