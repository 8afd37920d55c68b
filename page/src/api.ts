import { keepKey, ourKey } from "./our-key.ts";
import { lostSession } from "./session.ts";
import { searchOf } from "./router.ts";
import type { Query } from "./router.ts";

/** What the API said was wrong. `message` is a sentence for people. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.code = code;
  }
}

export type Method = "GET" | "POST" | "PUT" | "DELETE";

export interface AskOptions {
  readonly query?: Query | undefined;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** One request: `ask<Overview>("GET /api/overview")`. A 401 shows the login; everything else that is wrong is thrown. */
export async function ask<T>(line: `${Method} /api/${string}`, options: AskOptions = {}): Promise<T> {
  const [method = "GET", path = ""] = line.split(" ");
  const search = searchOf(options.query ?? {});
  const response = await reach(search === "" ? path : `${path}?${search}`, {
    method,
    // Also without a body: it is how the API tells our page from another site's form.
    headers: { ...ourKey(), ...(method !== "GET" && { "content-type": "application/json" }) },
    ...(options.body !== undefined && { body: JSON.stringify(options.body) }),
    ...(options.signal && { signal: options.signal }),
  });
  if (!response.ok) throw await problemOf(response, path);
  const said = (response.status === 204 ? undefined : await response.json()) as T;
  if (path === "/api/session" || path === "/api/setup" || path === "/api/passphrase") keepKey(said);
  return said;
}

/** Puts values into a path: ``ask(`GET /api/runs/${segment(id)}`)``. */
export const segment = encodeURIComponent;

/** What to show of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function reach(address: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(address, init);
  } catch (error) {
    if (init.signal?.aborted === true) throw error;
    throw new ApiError(0, "UNREACHABLE", "The server cannot be reached. Is it still running?");
  }
}

async function problemOf(response: Response, path: string): Promise<ApiError> {
  const said: unknown = await response.json().catch(() => undefined);
  const { error, message } = (typeof said === "object" && said !== null ? said : {}) as {
    error?: unknown;
    message?: unknown;
  };
  // A wrong passphrase is no lost session.
  if (response.status === 401 && path !== "/api/session" && path !== "/api/setup") lostSession();
  return new ApiError(
    response.status,
    typeof error === "string" ? error : "INTERNAL",
    typeof message === "string" ? message : `The server answered with ${response.status}`,
  );
}
