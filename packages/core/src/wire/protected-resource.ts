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
  });
}

/** The `WWW-Authenticate` header: RFC 6750 parameters and the URL of the metadata document. */
export function challenge(
  resource: ProtectedResource | undefined,
  fault: { error?: string | undefined; description?: string | undefined; scopes?: readonly string[] } = {},
): string {
  const { error, description, scopes = resource?.requiredScopes ?? [] } = fault;
  const parameters = {
    error,
    error_description: description,
    scope: scopes.length > 0 ? scopes.join(" ") : undefined,
    resource_metadata: resource && metadataUrl(resource),
  };
  const attributes = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}="${value.replaceAll(/["\\]/g, "'").replaceAll(/[^ -~]/g, "?")}"`],
  );
  return attributes.length === 0 ? "Bearer" : `Bearer ${attributes.join(", ")}`;
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
