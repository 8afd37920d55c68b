import type { JWTPayload, JWTVerifyOptions } from "jose";
import { BiplaneError } from "@biplane/core";
import { invalidToken } from "./access-token.ts";
import type { Issuer } from "./issuer.ts";

export interface ExpectedClaims {
  readonly issuer: string;
  readonly audience: readonly string[];
  readonly algorithms: readonly string[];
  /** Accepted `typ` headers in lowercase, without `application/`. `jwt` also accepts tokens without one. */
  readonly types: readonly string[];
  readonly clockToleranceSeconds: number;
  readonly now: () => number;
}

/**
 * Returns the claims of a token that is signed by the issuer, meant for us, and valid now. Throws an error that says
 * what is wrong.
 */
export async function verifyToken(token: string, issuer: Issuer, expected: ExpectedClaims): Promise<JWTPayload> {
  const { jwtVerify, errors } = await import("jose");
  const keys = await issuer.keys();
  const options: JWTVerifyOptions = {
    issuer: expected.issuer,
    audience: [...expected.audience],
    algorithms: [...expected.algorithms],
    clockTolerance: expected.clockToleranceSeconds,
    currentDate: new Date(expected.now()),
    requiredClaims: ["exp"],
  };
  try {
    const { payload, protectedHeader } = await jwtVerify(token, keys, options);
    checkType(protectedHeader.typ, expected.types);
    return payload;
  } catch (error) {
    if (error instanceof errors.JWTExpired) throw invalidToken("The token has expired.");
    if (error instanceof errors.JWTClaimValidationFailed) throw invalidToken(claimProblem(error.claim));
    if (error instanceof errors.JOSEAlgNotAllowed || error instanceof errors.JOSENotSupported)
      throw invalidToken("The token's signature algorithm is not accepted.");
    if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys)
      throw invalidToken("The token is signed with a key that the issuer does not publish.");
    if (isAboutToken(error)) throw invalidToken("The token is not valid.");
    if (error instanceof BiplaneError) throw error;
    throw new BiplaneError("CAPACITY", "Tokens cannot be checked now: the issuer's keys could not be fetched.", {
      cause: error,
    });
  }

  function isAboutToken(error: unknown): boolean {
    return [errors.JWSSignatureVerificationFailed, errors.JWSInvalid, errors.JWTInvalid].some(
      (kind) => error instanceof kind,
    );
  }
}

/** Without this, a token that the issuer made for another purpose would be taken for an access token. */
function checkType(type: unknown, accepted: readonly string[]): void {
  const known = typeof type === "string" ? type.toLowerCase().replace(/^application\//, "") : "jwt";
  if (accepted.includes(known)) return;
  const given = typeof type === "string" ? `the type ${JSON.stringify(type.slice(0, 64))}` : "no type";
  throw invalidToken(
    `The token has ${given} in its header (typ), and must be ${accepted.join(" or ")}. If the issuer cannot set it, the operator can accept others with tokenTypes.`,
  );
}

function claimProblem(claim: string): string {
  const problem = problems[claim];
  return problem ?? "The token's claims are not valid.";
}

const problems: Readonly<Record<string, string>> = {
  aud: "The token's audience is not this server.",
  iss: "The token comes from another issuer.",
  nbf: "The token is not valid yet.",
  exp: "The token has no expiry time (exp).",
};
