import { readFile } from "node:fs/promises";
import { BiplaneError, messageOf } from "../../errors.ts";
import type { Fetch } from "./authorizer.ts";
import { assertion } from "./options.ts";
import type { Assertion } from "./options.ts";

/** Where the platform puts the token of this workload. */
export type WorkloadIdentityOptions =
  /** A file, such as a projected service account token of Kubernetes. It is read for every request. */
  | { readonly file: string }
  /** An environment variable, such as an `id_tokens` entry of a GitLab job. */
  | { readonly variable: string }
  /** The OIDC endpoint of GitHub Actions. The job needs the permission `id-token: write`. */
  | { readonly github: true; readonly audience?: string; readonly fetch?: Fetch };

/** An `assertion` for the `jwt_bearer` grant: the token by which the platform identifies this program. */
export function workloadIdentity(options: WorkloadIdentityOptions): Assertion {
  return assertion("io.modelcontextprotocol/auth/wif", async ({ tokenEndpoint }) => {
    const token = (await readToken(options, tokenEndpoint)).trim();
    if (/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token) && token.length <= maxCharacters) return token;
    throw new BiplaneError("UNAUTHORIZED", `${sourceOf(options)} does not contain a signed JWT.`);
  });
}

async function readToken(options: WorkloadIdentityOptions, tokenEndpoint: string): Promise<string> {
  try {
    if ("file" in options) return await readFile(options.file, "utf8");
    if ("variable" in options) return process.env[options.variable] ?? "";
    return await fromGitHub(options.audience ?? tokenEndpoint, options.fetch ?? ((url, init) => fetch(url, init)));
  } catch (error) {
    throw new BiplaneError("UNAUTHORIZED", `${sourceOf(options)} cannot be read: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

async function fromGitHub(audience: string, send: Fetch): Promise<string> {
  const { ACTIONS_ID_TOKEN_REQUEST_URL: address, ACTIONS_ID_TOKEN_REQUEST_TOKEN: bearer } = process.env;
  if (!address || !bearer) throw new Error("the job lacks the permission id-token: write");
  const url = new URL(address);
  url.searchParams.set("audience", audience);
  const { issuerFetch, readRecord } = await import("./issuer-fetch.ts");
  const response = await issuerFetch(address, send)(url, { headers: { authorization: `Bearer ${bearer}` } });
  if (!response.ok) throw new Error(`status ${response.status}`);
  return String((await readRecord(response))["value"]);
}

function sourceOf(options: WorkloadIdentityOptions): string {
  if ("file" in options) return `The token file ${options.file}`;
  return "variable" in options ? `The variable ${options.variable}` : "The token of GitHub Actions";
}

const maxCharacters = 16 * 1024;
