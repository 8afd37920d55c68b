import { BiplaneError } from "../../errors.ts";
import type { Params } from "../../protocol/rpc.ts";
import { isLoopback } from "../../transport/guard.ts";
import type { Fetch } from "./authorizer.ts";
import type { Challenge } from "./challenge.ts";
import { fetchJson } from "./fetch-json.ts";

/** What a protected server says about itself, and the authorization server that looks after it. */
export interface Discovered {
  /** What tokens are to be asked for. */
  readonly resource: string;
  readonly scopes: readonly string[] | undefined;
  readonly issuer: string;
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly registrationEndpoint: string | undefined;
  /** All that the authorization server says of itself. */
  readonly metadata: Params;
}

/** Finds the authorization server of an MCP server. `expected` is the only issuer that will do, where there is one. */
export async function discover(
  server: string,
  options: { challenge: Challenge | undefined; expected: string | undefined; fetch: Fetch },
): Promise<Discovered> {
  const { challenge, expected } = options;
  const fetch = outwards(server, options.fetch);
  const about = await protectedResource(server, challenge?.resourceMetadata, fetch);
  if (!about) return beforeMetadata(server, fetch);
  const resource = checkResource(server, about["resource"]);
  const issuers = texts(about["authorization_servers"]) ?? [];
  const issuer = expected === undefined ? issuers[0] : issuers.find((each) => each === expected);
  if (issuer === undefined) {
    const why =
      expected === undefined
        ? "names no authorization server"
        : `no longer names ${expected}, which our client belongs to`;
    throw new BiplaneError("UNAUTHORIZED", `${server} ${why}`, { details: { issuers } });
  }
  const metadata = await authorizationServer(issuer, fetch);
  if (!metadata) throw new BiplaneError("UNAUTHORIZED", `the authorization server ${issuer} does not describe itself`);
  return { resource, scopes: texts(about["scopes_supported"]), ...endpoints(issuer, metadata) };
}

/** A server out there may not send us to knock at doors on this machine. */
function outwards(server: string, fetch: Fetch): Fetch {
  if (isLoopback(new URL(server).hostname)) return fetch;
  return (url, init) => {
    if (!isLoopback(new URL(url).hostname)) return fetch(url, init);
    throw new BiplaneError(
      "UNAUTHORIZED",
      `${server} names ${String(url)}, which is on this machine, for its credentials`,
    );
  };
}

async function protectedResource(server: string, named: string | undefined, fetch: Fetch): Promise<Params | undefined> {
  const { origin, pathname } = new URL(server);
  const wellKnown = `${origin}/.well-known/oauth-protected-resource`;
  const path = pathname.replace(/\/$/, "");
  const places = named === undefined ? [...new Set([`${wellKnown}${path}`, wellKnown])] : [named];
  for (const place of places) {
    const { ok, body } = await fetchJson(place, {}, fetch);
    if (ok && body["resource"] !== undefined) return body;
  }
  return undefined;
}

/** A token asked for in another server's name would be good there, and not here. */
function checkResource(server: string, resource: unknown): string {
  const mine = new URL(server);
  const theirs = typeof resource === "string" && URL.canParse(resource) ? new URL(resource) : undefined;
  const covers = (path: string) => mine.pathname.replace(/\/?$/, "/").startsWith(path.replace(/\/?$/, "/"));
  if (theirs && theirs.origin === mine.origin && covers(theirs.pathname)) return resource as string;
  throw new BiplaneError("UNAUTHORIZED", `${server} says that it is ${JSON.stringify(resource)}, which it is not`);
}

async function authorizationServer(issuer: string, fetch: Fetch): Promise<Params | undefined> {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  const places = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ];
  for (const place of new Set(places)) {
    const { ok, body } = await fetchJson(place, {}, fetch);
    if (!ok || body["issuer"] === undefined) continue;
    if (body["issuer"] === issuer) return body;
    throw new BiplaneError("UNAUTHORIZED", `${place} speaks for ${JSON.stringify(body["issuer"])}, not for ${issuer}`);
  }
  return undefined;
}

/** The revision of March 2025: the server is its own authorization server, and may not even say so. */
async function beforeMetadata(server: string, fetch: Fetch): Promise<Discovered> {
  const { origin } = new URL(server);
  const metadata = await authorizationServer(origin, fetch);
  const shared = { resource: server, scopes: undefined };
  if (metadata) return { ...shared, ...endpoints(origin, metadata) };
  return {
    ...shared,
    issuer: origin,
    authorizationEndpoint: `${origin}/authorize`,
    tokenEndpoint: `${origin}/token`,
    registrationEndpoint: `${origin}/register`,
    metadata: { code_challenge_methods_supported: ["S256"] },
  };
}

function endpoints(issuer: string, metadata: Params): Omit<Discovered, "resource" | "scopes"> {
  const text = (key: string) => (typeof metadata[key] === "string" ? metadata[key] : undefined);
  const tokenEndpoint = text("token_endpoint");
  if (tokenEndpoint === undefined) throw new BiplaneError("UNAUTHORIZED", `${issuer} has no token endpoint`);
  return {
    issuer,
    authorizationEndpoint: text("authorization_endpoint") ?? "",
    tokenEndpoint,
    registrationEndpoint: text("registration_endpoint"),
    metadata,
  };
}

/** A list of texts, if that is what it is. */
export function texts(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : undefined;
}
