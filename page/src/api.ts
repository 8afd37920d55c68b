import type { adminApi } from "../../packages/biplane/src/admin/contract.ts";
import type {
  BodySent,
  PathParameters,
  QuerySent,
  ResponseOf,
} from "../../packages/biplane/src/admin/http/operation.ts";
import { storeSessionKey, sessionKeyHeader } from "./session-key.ts";
import { clearSession } from "./session.ts";
import { searchOf } from "./router.ts";
import type { Query } from "./router.ts";
import { isRecord } from "../../packages/core/src/is-record.ts";

/** An error response of the API. `message` is a full sentence for display. */
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

/** The declared routes, such as `GET /api/runs/:id`. Only their types are used, so that the page does not contain them. */
export type ApiRoute = keyof typeof adminApi;
export type ApiResponse<Route extends ApiRoute> = ResponseOf<(typeof adminApi)[Route]>;

/** The parameters of the path, the query and the body of a route. */
export type ApiRequest<Route extends ApiRoute> = PathParameters<Route> &
  QuerySent<(typeof adminApi)[Route]> &
  BodySent<(typeof adminApi)[Route]>;

interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

/** Sends one request: `callApi("GET /api/runs/:id", { id })`. A 401 shows the sign-in page; other failures throw. */
export async function callApi<Route extends ApiRoute>(
  route: Route,
  ...[request]: object extends ApiRequest<Route>
    ? [(ApiRequest<Route> & CallOptions)?]
    : [ApiRequest<Route> & CallOptions]
): Promise<ApiResponse<Route>> {
  const [method = "GET", path = ""] = route.split(" ");
  const options = (request ?? {}) as CallOptions & { readonly body?: unknown };
  const response = await fetchResponse(addressOf(path, options), {
    method,
    // Required even without a body: the API uses it to reject forms posted by other sites.
    headers: { ...sessionKeyHeader(), ...(method !== "GET" && { "content-type": "application/json" }) },
    ...(options.body !== undefined && { body: JSON.stringify(options.body) }),
    ...(options.signal && { signal: options.signal }),
  });
  // 202 says that a call waits for approval: it has not run.
  if (!response.ok || response.status === 202) throw await readError(response, path);
  const body = (response.status === 204 ? undefined : await response.json()) as ApiResponse<Route>;
  if (opensSession.has(path) || path === "/api/passphrase") storeSessionKey(body);
  return body;
}

/** Paths whose responses contain the key of a session. */
const opensSession: ReadonlySet<string> = new Set([
  "/api/session",
  "/api/session/oidc",
  "/api/setup",
  "/api/invitations/accept",
]);

/** Paths whose 401 says that a credential in the body is wrong, not that the session has ended. */
const checksCredential: ReadonlySet<string> = new Set([...opensSession, "/api/invitations/read"]);

/** The URL of a request: the path with its parameters, and the query. */
export function addressOf(path: string, request: object): string {
  const { query, ...rest } = request as { readonly query?: Query };
  const parameters = rest as Readonly<Record<string, unknown>>;
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(parameters[name])));
  const search = searchOf(query ?? {});
  return search === "" ? filled : `${filled}?${search}`;
}

/** The message of any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function fetchResponse(address: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(address, init);
  } catch (error) {
    if (init.signal?.aborted === true) throw error;
    throw new ApiError(0, "UNREACHABLE", "Cannot reach the server. Check that it is running.");
  }
}

async function readError(response: Response, path: string): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => undefined);
  const { error, message } = isRecord(body) ? body : {};
  // A wrong passphrase does not end the session.
  if (response.status === 401 && !checksCredential.has(path)) clearSession();
  return new ApiError(
    response.status,
    typeof error === "string" ? error : "INTERNAL",
    typeof message === "string" ? message : `The server responded with status ${response.status}.`,
  );
}
