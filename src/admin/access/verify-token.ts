import type { JWTPayload, JWTVerifyOptions } from "jose";
import { BiplaneError } from "../../errors.ts";
import type { Issuer } from "./issuer.ts";

export interface Expected {
  readonly issuer: string;
  readonly audience: readonly string[];
  readonly algorithms: readonly string[];
  readonly clockToleranceSeconds: number;
  readonly now: () => number;
}

/** The claims of a token that is signed by the issuer, for us, and valid now. Says in one sentence what is wrong. */
export async function verifyToken(token: string, issuer: Issuer, expected: Expected): Promise<JWTPayload> {
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
    return (await jwtVerify(token, keys, options)).payload;
  } catch (error) {
    if (error instanceof errors.JWTExpired) throw invalid("The token has expired");
    if (error instanceof errors.JWTClaimValidationFailed) throw invalid(claimProblem(error.claim));
    if (error instanceof errors.JOSEAlgNotAllowed || error instanceof errors.JOSENotSupported)
      throw invalid("The token is signed in a way that does not count here");
    if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys)
      throw invalid("The token is signed with a key that the issuer does not have");
    if (isAboutToken(error)) throw invalid("The token is not valid");
    if (error instanceof BiplaneError) throw error;
    throw new BiplaneError("CAPACITY", "Tokens cannot be checked now: the issuer's keys cannot be fetched", {
      cause: error,
    });
  }

  function isAboutToken(error: unknown): boolean {
    return [errors.JWSSignatureVerificationFailed, errors.JWSInvalid, errors.JWTInvalid].some(
      (kind) => error instanceof kind,
    );
  }
}

function claimProblem(claim: string): string {
  const problem = problems[claim];
  return problem ?? "The token's claims are not as they must be";
}

const problems: Readonly<Record<string, string>> = {
  aud: "The token is for somebody else: its audience is not this server",
  iss: "The token comes from another issuer",
  nbf: "The token is not valid yet",
  exp: "The token does not say when it expires",
};

function invalid(message: string): BiplaneError {
  return new BiplaneError("UNAUTHORIZED", message, { details: { error: "invalid_token" } });
}
