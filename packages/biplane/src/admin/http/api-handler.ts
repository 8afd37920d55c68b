import { messageOf, errorResponse } from "@biplane/core/internal";
import type { AuditLog } from "../../store/audit-log.ts";
import type { AuditSink, EndpointResponse, EndpointRequest, AdminEndpoint } from "@biplane/core/internal";
import type { Principal, ErrorCode } from "@biplane/core";
import { bearerOf } from "../../governance/access/token.ts";
import type { Approvals } from "../../governance/approvals/approvals.ts";
import type { OidcSignIn } from "../../governance/people/oidc.ts";
import type { People } from "../../governance/people/people.ts";
import type { Secrets } from "../../governance/secrets/secrets.ts";
import { approvalRoutes } from "../governance/approval-routes.ts";
import { notificationRoutes } from "../governance/notification-routes.ts";
import type { NotificationRouteParts } from "../governance/notification-routes.ts";
import { auditRoutes } from "../governance/audit-routes.ts";
import { sessionCookie } from "./cookie.ts";
import { hasScope, mayRead } from "../openapi/scopes.ts";
import { router } from "./router.ts";
import type { ApiRoutes } from "./routes.ts";
import { secretRoutes } from "../governance/secret-routes.ts";
import { sessionRoutes } from "../governance/session-routes.ts";
import { BiplaneError } from "@biplane/core";

export interface AdminApiHandlerOptions {
  /** The installation's name, for people who are invited to it (default: `biplane`). */
  readonly name?: string;
  readonly people: People;
  /** Signs people in besides their passphrases. */
  readonly provider?: OidcSignIn | undefined;
  readonly secrets?: Secrets;
  readonly approvals?: Approvals;
  /** What is sent about waiting calls, and the links in it. */
  readonly notifications?: NotificationRouteParts;
  /** The store with the audit log to read. */
  readonly log?: { readonly audit: AuditLog };
  /** Records the changes that people make. */
  readonly audit?: AuditSink;
  /** More routes, under `/api/`. */
  readonly routes?: ApiRoutes;
  /** Adds routes that describe all others. */
  readonly describe?: (routes: ApiRoutes) => ApiRoutes;
}

/** The handler of the admin API, for `serve({ people })`. Every route except sign-in and setup needs credentials. */
export function adminApiHandler(options: AdminApiHandlerOptions): AdminEndpoint {
  const {
    name = "biplane",
    people,
    provider,
    secrets,
    approvals,
    notifications,
    log,
    audit,
    routes,
    describe,
  } = options;
  const all: ApiRoutes = {
    ...sessionRoutes(people, { name, provider }),
    ...(secrets && secretRoutes(secrets, audit)),
    ...(approvals && approvalRoutes(approvals, people)),
    ...(notifications && notificationRoutes(notifications, { people, audit })),
    ...(log && auditRoutes(log, { isRecorded: audit !== undefined })),
    ...routes,
  };
  const find = router({ ...all, ...describe?.(all) });
  return {
    async handle(request) {
      const crossSite = crossSiteProblem(request);
      if (crossSite !== undefined) return forbidden(crossSite);
      const match = find(request.method, request.path);
      const isOpen = "route" in match && match.route.scope === "anyone";
      const caller = isOpen ? { by: nobody, session: undefined } : await identify(people, request);
      // Check credentials first, so that anonymous callers cannot probe for routes.
      if (!caller) return unauthorized("Sign in first.");
      if (!("route" in match)) return match;
      const { route, parameters } = match;
      const isAllowed = request.method === "GET" ? mayRead : hasScope;
      if (!isOpen && !isAllowed(caller.by, route.scope)) {
        return forbidden(`${caller.by.id} lacks the scope ${route.scope}.`);
      }
      const recheck = async () => (await identify(people, request, { isUse: false }))?.by;
      return respond(() => route.run({ request, parameters, ...caller, recheckPrincipal: recheck }), isOpen);
    },
  };
}

const nobody: Principal = Object.freeze({ kind: "anonymous", id: "nobody", scopes: Object.freeze([]) });

/** Identifies the person by token, or else by the page's cookie and key. */
async function identify(
  people: People,
  { headers, origin }: EndpointRequest,
  use: { isUse: boolean } = { isUse: true },
): Promise<{ by: Principal; session: string | undefined } | undefined> {
  if (headers["authorization"] !== undefined) {
    const token = bearerOf(headers["authorization"]);
    const by = token === undefined ? undefined : await people.byToken(token);
    return by && { by, session: undefined };
  }
  const session = sessionCookie(origin).read(headers["cookie"]);
  const key = headers["x-biplane"];
  if (session === undefined || typeof key !== "string") return undefined;
  const known = await people.bySession({ id: session, key }, use);
  return known && { by: known.principal, session };
}

/** Turns errors that people may see into responses. Other errors propagate to the operator. */
async function respond(
  run: () => EndpointResponse | Promise<EndpointResponse>,
  isOpen: boolean,
): Promise<EndpointResponse> {
  try {
    return await run();
  } catch (error) {
    const answer = toErrorResponse(error);
    // The credentials of the request are valid, so that a wrong passphrase in its body does not end the session.
    if (answer?.status === 401 && !isOpen) return forbidden(messageOf(error));
    if (answer) return answer;
    throw error;
  }
}

/**
 * Returns why a request is treated as cross-site, if it is. All ports of a machine are the same site, so the cookie
 * alone is not enough: `Origin` and fetch metadata must match, and changes must use a format that forms cannot send.
 */
function crossSiteProblem({ method, headers, origin }: EndpointRequest): string | undefined {
  const { origin: from, "sec-fetch-site": site, "content-type": type, "x-biplane": sign } = headers;
  if (from !== undefined && from !== origin) return "The admin API only accepts requests from its own page.";
  if (site !== undefined && site !== "same-origin" && site !== "none")
    return "The admin API only accepts requests from its own page.";
  if (method === "GET" || method === "HEAD") return undefined;
  const isJson = typeof type === "string" && /^application\/json *(;|$)/i.test(type);
  return isJson || sign !== undefined ? undefined : "Send the body as application/json, or send the header X-Biplane.";
}

function forbidden(message: string): EndpointResponse {
  return errorResponse(new BiplaneError("FORBIDDEN", message));
}

function unauthorized(message: string): EndpointResponse {
  const response = errorResponse(new BiplaneError("UNAUTHORIZED", message));
  return { ...response, headers: { "www-authenticate": 'Bearer realm="people"' } };
}

/** The response for an error, or undefined if people should not see it. */
function toErrorResponse(error: unknown): EndpointResponse | undefined {
  if (!(error instanceof BiplaneError) || faults.has(error.code)) return undefined;
  return error.code === "UNAUTHORIZED" ? unauthorized(error.message) : errorResponse(error);
}

/** Errors of the program rather than of the request. Their text may be about the host. */
const faults: ReadonlySet<ErrorCode> = new Set(["INVALID_DEFINITION", "EXECUTION_ERROR", "INTERNAL", "CANCELLED"]);
