import { BiplaneError } from "@biplane/core";
import type { Principal } from "@biplane/core";
import { isRecord } from "@biplane/core/internal";

/** An access token that its issuer vouches for. */
export interface AccessToken {
  readonly principal: Principal;
  /** The thumbprint of the key that the token is bound to. Only the holder of the key may use the token. */
  readonly thumbprint: string | undefined;
}

/** Reads what a verified token, or the issuer's answer about one, says. */
export function accessTokenOf(
  claims: Readonly<Record<string, unknown>>,
  { issuer, expiresAt }: { readonly issuer: string; readonly expiresAt: number },
): AccessToken {
  const subject = textOf(claims["sub"]);
  const clientId = textOf(claims["client_id"]) ?? textOf(claims["azp"]);
  const id = subject ?? clientId;
  if (id === undefined) throw invalidToken("The token has no subject: neither sub nor client_id is set.");
  const thumbprint = thumbprintOf(claims["cnf"]);
  const identity = Object.freeze({ issuer, subject, clientId, keyThumbprint: thumbprint });
  const scopes = Object.freeze(scopesOf(claims["scope"] ?? claims["scp"]));
  return { principal: Object.freeze({ kind: "token", id, scopes, expiresAt, identity }), thumbprint };
}

/** `scheme` is the one that the caller should have used. */
export function invalidToken(message: string, scheme?: "DPoP"): BiplaneError {
  const details = { error: "invalid_token", ...(scheme && { scheme }) };
  return new BiplaneError("UNAUTHORIZED", message, { details });
}

/** A binding that we cannot check must not be ignored: anyone who stole the token could use it. */
function thumbprintOf(binding: unknown): string | undefined {
  if (binding === undefined) return undefined;
  const { jkt, ...others } = isRecord(binding) ? binding : { cnf: binding };
  if ("x5t#S256" in others)
    throw invalidToken(
      "The token is bound to a TLS client certificate, which this server cannot check. Request one with DPoP, or without a binding.",
    );
  if (typeof jkt !== "string" || !/^[\w-]{43}$/.test(jkt) || Object.keys(others).length > 0)
    throw invalidToken("The token is bound in a way that this server cannot check. Only DPoP (cnf.jkt) is supported.");
  return jkt;
}

function textOf(claim: unknown): string | undefined {
  return typeof claim === "string" && claim !== "" ? claim : undefined;
}

/** OAuth uses one space-separated string; some issuers use a list. */
function scopesOf(claim: unknown): readonly string[] {
  if (typeof claim === "string") return claim.split(" ").filter((scope) => scope !== "");
  return Array.isArray(claim) ? claim.filter((scope) => typeof scope === "string") : [];
}
