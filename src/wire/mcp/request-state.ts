import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Principal } from "../../tool/call.ts";
import { isObject } from "../../protocol/rpc.ts";
import type { Params } from "../../protocol/rpc.ts";

/** What a stateless client carries for us between attempts: the answers given so far, for this very request. */
export class RequestState {
  readonly #key: Buffer;
  readonly #ttlMs = 3_600_000;

  constructor(key: string | undefined) {
    this.#key = key === undefined ? randomBytes(32) : createHash("sha256").update(key).digest();
  }

  /** Seals answers so that only the same principal can hand them back, for the same request, for an hour. */
  seal(subject: StateSubject, answers: Params): string {
    const payload = { about: digest(subject), until: Date.now() + this.#ttlMs, answers };
    const body = Buffer.from(JSON.stringify(payload)).toString("base64url");
    return `${body}.${this.#sign(body)}`;
  }

  /** The answers in a state that we sealed; undefined for anything else. */
  open(subject: StateSubject, state: unknown): Params | undefined {
    if (typeof state !== "string") return undefined;
    const [body = "", signature = ""] = state.split(".");
    const expected = Buffer.from(this.#sign(body));
    const given = Buffer.from(signature);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    const { about, until, answers } = JSON.parse(Buffer.from(body, "base64url").toString()) as Record<string, unknown>;
    return about === digest(subject) && Number(until) > Date.now() && isObject(answers) ? answers : undefined;
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
