import { createHash, randomBytes } from "node:crypto";
import { BiplaneError } from "../../errors.ts";
import { openBrowser, openLanding } from "./browser.ts";
import type { Landing } from "./browser.ts";
import { texts } from "./discovery.ts";
import type { Discovered } from "./discovery.ts";
import { checkAddress } from "./fetch-json.ts";
import type { OAuthOptions } from "./options.ts";
import type { RegisteredClient } from "./token-store.ts";

/** The way over a browser, from the page to the code. */
export class AuthorizationCode implements AsyncDisposable {
  readonly redirectUrl: string;
  readonly #oauth: OAuthOptions;
  readonly #landing: Landing | undefined;

  private constructor(oauth: OAuthOptions, redirectUrl: string, landing: Landing | undefined) {
    this.#oauth = oauth;
    this.redirectUrl = redirectUrl;
    this.#landing = landing;
  }

  /** Makes ready for the browser to come back, at the address where it did last time if possible. */
  static async prepare(oauth: OAuthOptions, usedBefore: string | undefined): Promise<AuthorizationCode> {
    if (oauth.authorize) {
      return new AuthorizationCode(oauth, oauth.redirectUrl ?? "http://127.0.0.1:33418/callback", undefined);
    }
    const landing = await openLanding(oauth.redirectUrl ?? usedBefore);
    return new AuthorizationCode(oauth, landing.url, landing);
  }

  /** Sends the person to the page and gives what the token endpoint wants to see. */
  async grant(found: Discovered, client: RegisteredClient, scope: string | undefined): Promise<Record<string, string>> {
    checkPkce(found);
    const verifier = randomBytes(32).toString("base64url");
    const state = randomBytes(16).toString("base64url");
    const page = new URL(found.authorizationEndpoint);
    const words = {
      response_type: "code",
      client_id: client.clientId,
      redirect_uri: this.redirectUrl,
      code_challenge: createHash("sha256").update(verifier).digest("base64url"),
      code_challenge_method: "S256",
      state,
      resource: found.resource,
      ...(scope !== undefined && { scope }),
    };
    for (const [name, value] of Object.entries(words)) page.searchParams.set(name, value);
    const code = readCode(await this.#visit(page), state, found);
    return { grant_type: "authorization_code", code, redirect_uri: this.redirectUrl, code_verifier: verifier };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#landing?.[Symbol.asyncDispose]();
  }

  async #visit(page: URL): Promise<URL> {
    const { authorize, open = openBrowser, patienceMs = 300_000 } = this.#oauth;
    if (authorize || !this.#landing) return (authorize as NonNullable<typeof authorize>)(page);
    await open(page);
    return this.#landing.wait(patienceMs);
  }
}

function checkPkce({ issuer, metadata, authorizationEndpoint }: Discovered): void {
  checkAddress(authorizationEndpoint);
  if (texts(metadata["code_challenge_methods_supported"])?.includes("S256")) return;
  throw new BiplaneError("UNAUTHORIZED", `${issuer} does not protect codes (PKCE with S256), so none is asked for`);
}

/** Nothing in the answer counts, not even its error, before it is known to come from the right place. */
function readCode(back: URL, state: string, { issuer, metadata }: Discovered): string {
  const answer = back.searchParams;
  if (answer.get("state") !== state) throw refused("the browser came back with another request's answer");
  const said = answer.get("iss");
  if (said === null && metadata["authorization_response_iss_parameter_supported"] === true) {
    throw refused(`the answer does not say that it is from ${issuer}`);
  }
  if (said !== null && said !== issuer) throw refused(`the answer is from ${said}, not from ${issuer}`);
  const error = answer.get("error");
  if (error !== null) throw refused(`${issuer} refused: ${answer.get("error_description") ?? error}`);
  const code = answer.get("code");
  if (code === null) throw refused(`${issuer} sent no code`);
  return code;
}

function refused(why: string): BiplaneError {
  return new BiplaneError("UNAUTHORIZED", why);
}
