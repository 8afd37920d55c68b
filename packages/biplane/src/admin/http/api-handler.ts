import { messageOf } from "@biplane/core/internal";
import type { AuditLog } from "../../store/audit-log.ts";
import type { AuditSink, EndpointResponse, EndpointRequest, AdminEndpoint } from "@biplane/core/internal";
import type { Principal } from "@biplane/core";
import { bearerOf } from "../../governance/access/token.ts";
import type { Approvals } from "../../governance/approvals/approvals.ts";
import type { People } from "../../governance/people/people.ts";
import type { Secrets } from "../../governance/secrets/secrets.ts";
import { forbidden, toErrorResponse, unauthorized } from "./responses.ts";
import { approvalRoutes } from "../governance/approval-routes.ts";
import { auditRoutes } from "../governance/audit-routes.ts";
import { sessionCookie } from "./cookie.ts";
import { crossSiteProblem } from "./cross-site.ts";
import { hasScope } from "../openapi/scopes.ts";
import { router } from "./router.ts";
import type { ApiRoutes } from "./routes.ts";
import { secretRoutes } from "../governance/secret-routes.ts";
import { sessionRoutes } from "../governance/session-routes.ts";

export interface AdminApiHandlerOptions {
  readonly people: People;
  readonly secrets?: Secrets;
  readonly approvals?: Approvals;
  /** The store with the audit log to read. */
  readonly log?: { readonly audit: AuditLog };
  /** Records the changes that people make. */
  readonly audit?: AuditSink;
  /** More routes, under `/api/`. */
  readonly routes?: ApiRoutes;
  /** Adds routes that describe all others. */
  readonly describe?: (routes: ApiRoutes) => ApiRoutes;
}

/** The handler of the admin API, for `serve({ people })`. Every route but login and setup needs credentials. */
export function adminApiHandler(options: AdminApiHandlerOptions): AdminEndpoint {
  const { people, secrets, approvals, log, audit, routes, describe } = options;
  const all: ApiRoutes = {
    ...sessionRoutes(people),
    ...(secrets && secretRoutes(secrets, audit)),
    ...(approvals && approvalRoutes(approvals)),
    ...(log && auditRoutes(log)),
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
      if (!caller) return unauthorized("Log in first.");
      if (!("route" in match)) return match;
      const { route, parameters } = match;
      if (!isOpen && !hasScope(caller.by, route.scope)) {
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
