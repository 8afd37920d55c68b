import { BiplaneError } from "../../errors.ts";
import { isLoopback } from "../../transport/guard.ts";
import type { Fetch } from "./authorizer.ts";
import { texts } from "./discovery.ts";
import type { Discovered } from "./discovery.ts";
import { fetchJson, reasonIn } from "./fetch-json.ts";
import type { OAuthOptions } from "./options.ts";
import type { RegisteredClient } from "./token-store.ts";

/** Who we are to an authorization server: known beforehand, known by a document, registered earlier, or registered now. */
export async function clientFor(
  found: Discovered,
  known: RegisteredClient | undefined,
  options: { oauth: OAuthOptions; redirectUrl: string | undefined; fetch: Fetch },
): Promise<RegisteredClient> {
  const { clientId, clientSecret, clientMetadataUrl } = options.oauth;
  if (clientId !== undefined) return { clientId, clientSecret };
  if (clientMetadataUrl !== undefined && found.metadata["client_id_metadata_document_supported"] === true) {
    return { clientId: clientMetadataUrl, method: "none" };
  }
  if (known && known.redirectUrl === options.redirectUrl) return known;
  return register(found, options);
}

async function register(
  { issuer, registrationEndpoint, metadata }: Discovered,
  { oauth, redirectUrl, fetch }: { oauth: OAuthOptions; redirectUrl: string | undefined; fetch: Fetch },
): Promise<RegisteredClient> {
  if (registrationEndpoint === undefined || redirectUrl === undefined) {
    throw new BiplaneError("UNAUTHORIZED", `${issuer} lets nobody register; give the clientId it knows you by`);
  }
  const request = {
    client_name: oauth.clientName ?? "Biplane",
    redirect_uris: [redirectUrl],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: preferred(texts(metadata["token_endpoint_auth_methods_supported"])),
    application_type: isLoopback(new URL(redirectUrl).hostname) ? "native" : "web",
  };
  const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(request) };
  const { ok, status, body } = await fetchJson(registrationEndpoint, init, fetch);
  const { client_id: clientId, client_secret: clientSecret, token_endpoint_auth_method: method } = body;
  if (!ok || typeof clientId !== "string") {
    const why = reasonIn(body, status);
    throw new BiplaneError("UNAUTHORIZED", `${issuer} did not register us: ${why}`);
  }
  return {
    clientId,
    redirectUrl,
    ...(typeof clientSecret === "string" && { clientSecret }),
    ...(typeof method === "string" && { method }),
  };
}

/** A program on somebody's machine keeps no secrets, so none is asked for where none is needed. */
function preferred(supported: readonly string[] | undefined): string {
  if (!supported) return "client_secret_basic";
  return ["none", "client_secret_basic", "client_secret_post"].find((each) => supported.includes(each)) ?? "none";
}
