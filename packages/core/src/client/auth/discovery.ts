import type { AuthorizationServer } from "oauth4webapi";
import { BiplaneError } from "../../errors.ts";
import type { Params } from "../../protocol/rpc.ts";
import type { Fetch } from "./authorizer.ts";
import type { AuthChallenge } from "./challenge.ts";
import { issuerFetch, readRecord } from "./issuer-fetch.ts";

/** Metadata of a protected MCP server and its authorization server. */
export interface OAuthDiscovery {
  /** The `resource` to request tokens for. */
  readonly resource: string;
  readonly scopes: readonly string[] | undefined;
  /** True if the server accepts only tokens that are bound to a key. */
  readonly needsDpop: boolean;
  readonly issuer: AuthorizationServer;
  /** Sends requests to the authorization server. */
  readonly fetch: Fetch;
}

/** Finds the authorization server of an MCP server. If `expected` is set, only this issuer is accepted. */
export async function discover(
  server: string,
  options: { challenge: AuthChallenge | undefined; expected: string | undefined; fetch: Fetch },
): Promise<OAuthDiscovery> {
  const { challenge, expected } = options;
  const fetch = issuerFetch(server, options.fetch);
  const metadata = await protectedResource(server, challenge?.resourceMetadata, fetch);
  if (!metadata) return withoutResourceMetadata(server, expected, fetch);
  const resource = checkResource(server, metadata["resource"]);
  const issuers = stringList(metadata["authorization_servers"]) ?? [];
  const issuer = expected === undefined ? issuers[0] : issuers.find((each) => each === expected);
  if (issuer === undefined) {
    const why =
      expected === undefined
        ? "names no authorization server."
        : `does not name ${expected}, the issuer of this client. Check \`issuer\`.`;
    throw new BiplaneError("UNAUTHORIZED", `${server} ${why}`, { details: { issuers } });
  }
  const issuerMetadata = await authorizationServer(issuer, fetch);
  if (!issuerMetadata)
    throw new BiplaneError("UNAUTHORIZED", `The authorization server ${issuer} publishes no metadata.`);
  const needsDpop = metadata["dpop_bound_access_tokens_required"] === true;
  return { resource, scopes: stringList(metadata["scopes_supported"]), needsDpop, issuer: issuerMetadata, fetch };
}

async function protectedResource(server: string, named: string | undefined, fetch: Fetch): Promise<Params | undefined> {
  const { origin, pathname } = new URL(server);
  const wellKnown = `${origin}/.well-known/oauth-protected-resource`;
  const path = pathname.replace(/\/$/, "");
  const addresses = named === undefined ? [...new Set([`${wellKnown}${path}`, wellKnown])] : [named];
  for (const address of addresses) {
    const response = await fetch(address);
    const body = await readRecord(response);
    if (response.ok && body["resource"] !== undefined) return body;
  }
  return undefined;
}

/** Rejects metadata that names another server's resource: the token would be valid there. */
function checkResource(server: string, resource: unknown): string {
  const actual = new URL(server);
  const claimed = typeof resource === "string" && URL.canParse(resource) ? new URL(resource) : undefined;
  const covers = (path: string) => actual.pathname.replace(/\/?$/, "/").startsWith(path.replace(/\/?$/, "/"));
  if (claimed && claimed.origin === actual.origin && covers(claimed.pathname)) return resource as string;
  throw new BiplaneError(
    "UNAUTHORIZED",
    `The metadata of ${server} names another resource: ${JSON.stringify(resource)}.`,
  );
}

async function authorizationServer(issuer: string, fetch: Fetch): Promise<AuthorizationServer | undefined> {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  const addresses = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ];
  for (const address of new Set(addresses)) {
    const response = await fetch(address);
    const body = await readRecord(response);
    if (!response.ok || body["issuer"] === undefined) continue;
    if (body["issuer"] === issuer) return { ...body, issuer };
    throw new BiplaneError(
      "UNAUTHORIZED",
      `${address} names the issuer ${JSON.stringify(body["issuer"])}, not ${issuer}.`,
    );
  }
  return undefined;
}

/** MCP 2025-03-26: the server is its own authorization server, with default endpoints if it has no metadata. */
async function withoutResourceMetadata(
  server: string,
  expected: string | undefined,
  fetch: Fetch,
): Promise<OAuthDiscovery> {
  const { origin } = new URL(server);
  if (expected !== undefined && expected !== origin)
    throw new BiplaneError(
      "UNAUTHORIZED",
      `${server} names no authorization server, so that the credentials for ${expected} are not sent. Check \`issuer\`.`,
    );
  const issuer = (await authorizationServer(origin, fetch)) ?? {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    code_challenge_methods_supported: ["S256"],
  };
  return { resource: server, scopes: undefined, needsDpop: false, issuer, fetch };
}

/** The strings of a list; undefined if the value is not a list. */
export function stringList(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : undefined;
}
