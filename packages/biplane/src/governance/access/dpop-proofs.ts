import { hash } from "node:crypto";
import type { JWK, JWTVerifyResult } from "jose";
import { BiplaneError } from "@biplane/core";
import type { NetworkRequest } from "@biplane/core";
import { messageOf } from "@biplane/core/internal";
import { isEqualText } from "./equal-text.ts";
import { DpopNonces } from "./dpop-nonces.ts";
import { memoryReplayGuard } from "./replay-guard.ts";
import type { ReplayGuard } from "./replay-guard.ts";

/** How callers prove that they have the key of their token (RFC 9449). */
export interface DpopOptions {
  /** Refuses tokens that are not bound to a key (default: false). */
  readonly required?: boolean;
  /** Accepted signature algorithms of proofs (default: ES256, EdDSA, PS256 and RS256). */
  readonly algorithms?: readonly string[];
  /** How old a proof may be (default: 60). The clock tolerance is added. */
  readonly maxAgeSeconds?: number;
  /**
   * Demands a nonce of this server in every proof, so that proofs cannot be made in advance. `key` signs the nonces, and
   * must be the same in every process (default: none is demanded).
   */
  readonly nonce?: { readonly key: string };
  /** Remembers used proofs (default: in memory). Share it between processes with `storeReplayGuard`. */
  readonly replay?: ReplayGuard;
}

export interface DpopContext {
  /** What clients call this server: its origin, and a path that a proxy removes. */
  readonly baseUrl: string;
  readonly algorithms: readonly string[];
  readonly clockToleranceSeconds: number;
  readonly now: () => number;
}

/** Checks DPoP proofs. Every proof is for one request, one token and one use. */
export class DpopProofs {
  readonly #options: DpopOptions;
  readonly #context: DpopContext;
  readonly #replay: ReplayGuard;
  readonly #nonces: DpopNonces | undefined;

  constructor(options: DpopOptions, context: DpopContext) {
    const { replay, nonce } = options;
    this.#options = options;
    this.#context = context;
    this.#replay = replay ?? memoryReplayGuard({ now: context.now });
    this.#nonces = nonce && new DpopNonces(nonce.key, context.now);
  }

  /** Throws unless the request has a valid, unused proof of the key with this thumbprint. */
  async check(request: NetworkRequest, token: string, thumbprint: string): Promise<void> {
    const proof = request.headers["dpop"];
    if (proof === undefined) throw refused("The request has no DPoP proof. Send one in the DPoP header.");
    if (typeof proof !== "string" || proof.length > maxProofLength || !/^[\w-]+\.[\w-]+\.[\w-]+$/.test(proof))
      throw refused("The DPoP header must hold one signed JWT of at most 8192 characters.");
    const { payload, protectedHeader } = await this.#verify(proof);
    const { calculateJwkThumbprint } = await import("jose");
    const key = await calculateJwkThumbprint(protectedHeader.jwk as JWK);
    if (!isEqualText(key, thumbprint))
      throw refused("The DPoP proof is signed with a different key than the token is bound to.");
    const { htm, htu, ath, jti, iat = 0, nonce } = payload;
    if (htm !== request.method) throw refused(`The DPoP proof is not for a ${request.method} request (htm).`);
    if (!this.#isOurs(htu, request.path)) throw refused("The DPoP proof is not for this URL (htu).");
    if (!isEqualText(ath, hash("sha256", token, "base64url")))
      throw refused("The DPoP proof is for another token (ath).");
    if (typeof jti !== "string" || jti === "" || jti.length > 256)
      throw refused("The DPoP proof needs a unique id of at most 256 characters (jti).");
    this.#checkNonce(nonce);
    // A process that sent the request on has checked this.
    if (request.isForwarded) return;
    const { maxAgeSeconds = defaultMaxAgeSeconds } = this.#options;
    const until = (iat + maxAgeSeconds + this.#context.clockToleranceSeconds) * 1000;
    if (!(await this.#replay.claim({ thumbprint, id: jti, until })))
      throw refused("The DPoP proof was already used. Make a new one for every request.");
  }

  async #verify(proof: string): Promise<JWTVerifyResult> {
    const { jwtVerify, EmbeddedJWK, errors } = await import("jose");
    const { now, clockToleranceSeconds } = this.#context;
    const { maxAgeSeconds = defaultMaxAgeSeconds } = this.#options;
    try {
      return await jwtVerify(proof, EmbeddedJWK, {
        typ: "dpop+jwt",
        algorithms: [...this.#context.algorithms],
        maxTokenAge: maxAgeSeconds,
        clockTolerance: clockToleranceSeconds,
        currentDate: new Date(now()),
      });
    } catch (error) {
      if (error instanceof errors.JWTExpired || (error instanceof errors.JWTClaimValidationFailed && isAge(error)))
        throw refused("The DPoP proof is too old or from the future (iat). Check the client's clock.");
      if (error instanceof errors.JOSEAlgNotAllowed || error instanceof errors.JOSENotSupported)
        throw refused(`The DPoP proof must be signed with one of ${this.#context.algorithms.join(", ")}.`);
      if (error instanceof errors.JWTClaimValidationFailed)
        throw refused(`The ${error.claim} of the DPoP proof is not valid.`);
      throw refused("The DPoP proof is not valid.", messageOf(error));
    }
  }

  /** Query and fragment do not count. */
  #isOurs(htu: unknown, path: string | undefined): boolean {
    if (typeof htu !== "string" || htu.length > 4096 || !URL.canParse(htu) || path === undefined) return false;
    const claimed = new URL(htu);
    const own = new URL(this.#context.baseUrl.replace(/\/$/, "") + path);
    return `${claimed.origin}${claimed.pathname}` === `${own.origin}${own.pathname}`;
  }

  #checkNonce(nonce: unknown): void {
    if (!this.#nonces || this.#nonces.isValid(nonce)) return;
    throw new BiplaneError(
      "UNAUTHORIZED",
      "The DPoP proof needs the nonce in the DPoP-Nonce header of this response.",
      {
        details: { error: "use_dpop_nonce", scheme: "DPoP", headers: { "dpop-nonce": this.#nonces.current() } },
      },
    );
  }
}

function refused(message: string, cause?: string): BiplaneError {
  const details = { error: "invalid_dpop_proof", scheme: "DPoP" };
  return new BiplaneError("UNAUTHORIZED", message, { details, ...(cause !== undefined && { cause }) });
}

function isAge({ claim, reason }: { claim: string; reason: string }): boolean {
  return claim === "iat" && reason === "check_failed";
}

const maxProofLength = 8192;
const defaultMaxAgeSeconds = 60;
