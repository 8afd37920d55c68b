import { BiplaneError } from "@biplane/core";
import type { ApiDescription } from "./operation.ts";
import type { OpenapiSettings } from "./options.ts";

export type ApiAddress = Pick<OpenapiSettings["apis"][string], "url" | "baseUrl" | "credentials" | "headers">;

/**
 * Where an API is. A document names servers, but it must not decide who gets credentials: with credentials, the
 * operator names the server, or the document comes from it.
 */
export function baseUrlOf(name: string, api: ApiAddress, { servers }: ApiDescription): string {
  if (api.baseUrl !== undefined) return api.baseUrl;
  const [first = "/"] = servers;
  const found = URL.canParse(first, api.url) ? new URL(first, api.url) : undefined;
  if (!found || !/^https?:$/.test(found.protocol)) {
    const why = servers.length === 0 ? "names no server" : `names the server ${JSON.stringify(first).slice(0, 200)}`;
    throw new BiplaneError("INVALID_DEFINITION", `openapi: the document of ${name} ${why}. Set baseUrl.`);
  }
  const sendsSecrets = Object.keys(api.credentials ?? {}).length > 0 || Object.keys(api.headers ?? {}).length > 0;
  const isSameOrigin = api.url !== undefined && new URL(api.url).origin === found.origin;
  if (sendsSecrets && !isSameOrigin)
    throw new BiplaneError(
      "INVALID_DEFINITION",
      `openapi: set baseUrl of ${name}. Its document names ${found.origin}, but only you should say which server gets the credentials.`,
    );
  return found.href;
}
