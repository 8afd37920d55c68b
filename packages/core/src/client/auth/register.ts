import { BiplaneError } from "../../errors.ts";
import { isLoopback } from "../../transport/guard.ts";
import { stringList } from "./discovery.ts";
import type { OAuthDiscovery } from "./discovery.ts";
import { readRecord } from "./issuer-fetch.ts";
import type { OAuthClientOptions } from "./options.ts";
import type { RegisteredClient } from "./token-store.ts";
import { cutBetweenWords } from "../../bounds/cut-between-words.ts";

/** The client to use at an authorization server: configured, by metadata document, or registered now or earlier. */
export async function clientFor(
  found: OAuthDiscovery,
  known: RegisteredClient | undefined,
  options: { oauth: OAuthClientOptions; redirectUrl: string | undefined },
): Promise<RegisteredClient> {
  const { clientId, clientSecret, clientMetadataUrl } = options.oauth;
  if (clientId !== undefined) return { clientId, clientSecret };
  if (clientMetadataUrl !== undefined && found.issuer.client_id_metadata_document_supported === true) {
    return { clientId: clientMetadataUrl, method: "none" };
  }
  if (known && known.redirectUrl === options.redirectUrl) return known;
  return register(found, options);
}

/** Not by the library, which rejects servers that answer 200, or omit when the secret expires. Many do. */
async function register(
  {
    fetch,
    issuer: { issuer, registration_endpoint: endpoint, token_endpoint_auth_methods_supported: methods },
  }: OAuthDiscovery,
  { oauth, redirectUrl }: { oauth: OAuthClientOptions; redirectUrl: string | undefined },
): Promise<RegisteredClient> {
  if (endpoint === undefined || redirectUrl === undefined) {
    throw new BiplaneError("UNAUTHORIZED", `${issuer} does not allow dynamic registration. Set \`clientId\`.`);
  }
  const request = {
    client_name: oauth.clientName ?? "Biplane",
    redirect_uris: [redirectUrl],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: preferred(stringList(methods)),
    application_type: isLoopback(new URL(redirectUrl).hostname) ? "native" : "web",
  };
  const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(request) };
  const response = await fetch(endpoint, init);
  const body = await readRecord(response);
  const { client_id: clientId, client_secret: clientSecret, token_endpoint_auth_method: method } = body;
  if (!response.ok || typeof clientId !== "string") {
    const reason = [body["error_description"], body["error"]].find((each) => typeof each === "string");
    const why = cutBetweenWords(reason ?? `status ${response.status}`, 500);
    throw new BiplaneError("UNAUTHORIZED", `${issuer} rejected the registration: ${why}`);
  }
  return {
    clientId,
    redirectUrl,
    ...(typeof clientSecret === "string" && { clientSecret }),
    ...(typeof method === "string" && { method }),
  };
}

/** Prefers `none`: a program on a user's machine cannot keep a secret. */
function preferred(supported: readonly string[] | undefined): string {
  if (!supported) return "client_secret_basic";
  return ["none", "client_secret_basic", "client_secret_post"].find((each) => supported.includes(each)) ?? "none";
}
