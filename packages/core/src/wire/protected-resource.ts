import type { ProtectedResource } from "../server/authenticate.ts";

const wellKnown = "/.well-known/oauth-protected-resource";

/** The RFC 9728 metadata document, if `path` is its well-known path, with or without the resource's own path. */
export function resourceMetadata(path: string, resource: ProtectedResource | undefined): string | undefined {
  if (!resource || !path.startsWith(wellKnown)) return undefined;
  const asked = path.slice(wellKnown.length);
  if (asked !== "" && asked !== "/" && !isWithin(asked, pathOf(resource.resource))) return undefined;
  return JSON.stringify({
    resource: resource.resource,
    authorization_servers: resource.authorizationServers,
    bearer_methods_supported: ["header"],
    ...(resource.scopes.length > 0 && { scopes_supported: resource.scopes }),
    ...(resource.dpop && {
      dpop_signing_alg_values_supported: resource.dpop.algorithms,
      dpop_bound_access_tokens_required: resource.dpop.isRequired,
    }),
  });
}

/**
 * The `WWW-Authenticate` header: RFC 6750 parameters and the URL of the metadata document, for the scheme Bearer, or for
 * DPoP (RFC 9449) if the caller should use that.
 */
export function challenge(resource: ProtectedResource | undefined, fault: AuthenticationFault = {}): string {
  const { error, description, scopes = resource?.requiredScopes ?? [] } = fault;
  const isDpop = fault.scheme === "DPoP" || resource?.dpop?.isRequired === true;
  const parameters = {
    error,
    error_description: description,
    scope: scopes.length > 0 ? scopes.join(" ") : undefined,
    resource_metadata: resource && metadataUrl(resource),
    algs: isDpop ? resource?.dpop?.algorithms.join(" ") : undefined,
  };
  const attributes = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}="${value.replaceAll(/["\\]/g, "'").replaceAll(/[^ -~]/g, "?")}"`],
  );
  return [isDpop ? "DPoP" : "Bearer", attributes.join(", ")].join(" ").trimEnd();
}

/** Why a caller was refused. */
interface AuthenticationFault {
  readonly error?: string | undefined;
  readonly description?: string | undefined;
  readonly scopes?: readonly string[];
  readonly scheme?: unknown;
}

function metadataUrl({ resource }: ProtectedResource): string {
  return new URL(wellKnown + pathOf(resource), resource).href;
}

function pathOf(resource: string): string {
  return new URL(resource).pathname.replace(/\/$/, "");
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
