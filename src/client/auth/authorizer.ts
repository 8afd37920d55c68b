export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** What puts credentials on HTTP requests, and gets new ones when they are refused. */
export interface Authorizer {
  headers(request: { readonly method: string; readonly url: string }): Promise<Record<string, string>>;
  /** Looks at a refusal with its status and headers; true where the request is worth another try. */
  refused(refusal: Refusal): Promise<boolean>;
}

export interface Refusal {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  /** How often this very request has been refused. */
  readonly attempt: number;
}

/** A token that somebody else looks after. */
export function bearerAuthorizer(bearer: string | (() => string | Promise<string>)): Authorizer {
  return {
    headers: async () => ({ authorization: `Bearer ${typeof bearer === "string" ? bearer : await bearer()}` }),
    // A function may have a fresher token the second time; a string has not.
    refused: async ({ status, attempt }) => status === 401 && attempt === 1 && typeof bearer === "function",
  };
}
