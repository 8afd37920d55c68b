export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** Adds credentials to HTTP requests, and gets new ones when they are rejected. */
export interface Authorizer {
  headers(request: { readonly method: string; readonly url: string }): Promise<Record<string, string>>;
  /** Handles a 401 or 403. Returns true if the request should be retried. */
  refused(refusal: AuthorizationRefusal): Promise<boolean>;
}

export interface AuthorizationRefusal {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  /** How often this request has been rejected. */
  readonly attempt: number;
}

/** Uses a token that the caller manages. */
export function bearerAuthorizer(bearer: string | (() => string | Promise<string>)): Authorizer {
  return {
    headers: async () => ({ authorization: `Bearer ${typeof bearer === "string" ? bearer : await bearer()}` }),
    // A function may return a newer token on a retry.
    refused: async ({ status, attempt }) => status === 401 && attempt === 1 && typeof bearer === "function",
  };
}
