import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Principal } from "../../tool/call.ts";
import type { Params } from "../../protocol/rpc.ts";
import { isRecord } from "../../is-record.ts";

/** Signs and verifies `requestState`: the answers that a stateless client returns with its next attempt. */
export class RequestState {
  readonly #key: Buffer;
  readonly #ttlMs = 3_600_000;

  constructor(key: string | undefined) {
    this.#key = key === undefined ? randomBytes(32) : createHash("sha256").update(key).digest();
  }

  /** The result is valid for one hour, for the same principal and request. */
  seal(subject: StateSubject, answers: Params): string {
    const payload = { about: digest(subject), until: Date.now() + this.#ttlMs, answers };
    const body = Buffer.from(JSON.stringify(payload)).toString("base64url");
    return `${body}.${this.#sign(body)}`;
  }

  /** Returns the answers, or undefined if the state is forged, expired or for another request. */
  open(subject: StateSubject, state: unknown): Params | undefined {
    if (typeof state !== "string") return undefined;
    const [body = "", signature = ""] = state.split(".");
    const expected = Buffer.from(this.#sign(body));
    const given = Buffer.from(signature);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    const { about, until, answers } = JSON.parse(Buffer.from(body, "base64url").toString()) as Record<string, unknown>;
    return about === digest(subject) && Number(until) > Date.now() && isRecord(answers) ? answers : undefined;
  }

  #sign(body: string): string {
    return createHmac("sha256", this.#key).update(body).digest("base64url");
  }
}

export interface StateSubject {
  readonly method: string;
  readonly name: string;
  readonly input: unknown;
  readonly principal: Principal;
}

function digest({ method, name, input, principal }: StateSubject): string {
  const text = JSON.stringify([method, name, input, principal.kind, principal.id]);
  return createHash("sha256").update(text).digest("base64url");
}
