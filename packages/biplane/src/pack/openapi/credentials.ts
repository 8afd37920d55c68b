import { BiplaneError } from "@biplane/core";
import type { ApiDescription, ApiOperation } from "./operation.ts";

/** What the credentials of an operation add to its request: those of the first alternative that all have a value. */
export function credentialsFor(
  { security }: ApiOperation,
  { schemes }: ApiDescription,
  given: Readonly<Record<string, string>>,
) {
  const chosen = security.find((names) => names.every((name) => Object.hasOwn(given, name))) ?? [];
  const headers: Record<string, string> = {};
  const query: Record<string, string> = {};
  const cookies: string[] = [];
  for (const name of chosen) {
    const scheme = Object.hasOwn(schemes, name) ? schemes[name] : undefined;
    const value = given[name] ?? "";
    if (scheme?.kind === "bearer") headers["authorization"] = `Bearer ${value}`;
    else if (scheme?.kind === "basic") headers["authorization"] = `Basic ${Buffer.from(value).toString("base64")}`;
    else if (scheme?.kind === "header") headers[scheme.name.toLowerCase()] = value;
    else if (scheme?.kind === "query") query[scheme.name] = value;
    else if (scheme?.kind === "cookie") cookies.push(`${scheme.name}=${value}`);
  }
  return { headers: { ...headers, ...(cookies.length > 0 && { cookie: cookies.join("; ") }) }, query };
}

/** Throws if a name is not that of a security scheme. */
export function checkCredentials(
  api: string,
  { schemes }: ApiDescription,
  given: Readonly<Record<string, string>>,
): void {
  const known = Object.keys(schemes);
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const which = known.length === 0 ? "It has none." : `It has ${known.join(", ")}.`;
  throw new BiplaneError(
    "INVALID_DEFINITION",
    `openapi: ${unknown} in the credentials of ${api} is not a security scheme of its document. ${which}`,
  );
}
