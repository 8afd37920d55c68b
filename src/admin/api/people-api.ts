import type { AuditSink } from "../../call/audit.ts";
import { BiplaneError } from "../../errors.ts";
import type { DoorAnswer, DoorRequest, PeopleDoors } from "../../server/doors.ts";
import type { Logs } from "../../store/store.ts";
import type { Principal } from "../../tool/call.ts";
import { bearerOf } from "../access/token.ts";
import type { Approvals } from "../approvals/approvals.ts";
import type { People } from "../people/people.ts";
import type { Secrets } from "../secrets/secrets.ts";
import { problem, problemOf } from "./answers.ts";
import { approvalRoutes } from "./approval-routes.ts";
import { auditRoutes } from "./audit-routes.ts";
import { sessionCookie } from "./cookie.ts";
import { crossSite } from "./cross-site.ts";
import { router } from "./router.ts";
import type { Routes } from "./router.ts";
import { secretRoutes } from "./secret-routes.ts";
import { sessionRoutes } from "./session-routes.ts";

export interface PeopleApiOptions {
  readonly people: People;
  readonly secrets?: Secrets;
  readonly approvals?: Approvals;
  /** The store whose audit log can be read. */
  readonly log?: Logs;
  /** Keeps a line of what people change. */
  readonly audit?: AuditSink;
  /** Further routes, under `/api/`. */
  readonly routes?: Routes;
  /** Gives routes that are about all others, such as a description of them. */
  readonly describe?: (routes: Routes) => Routes;
}

/** The people's doors, for `serve({ people })`. Nothing here is open, except that one may try to log in. */
export function peopleApi(options: PeopleApiOptions): PeopleDoors {
  const { people, secrets, approvals, log, audit, routes, describe } = options;
  const all: Routes = {
    ...sessionRoutes(people),
    ...(secrets && secretRoutes(secrets, audit)),
    ...(approvals && approvalRoutes(approvals)),
    ...(log && auditRoutes(log)),
    ...routes,
  };
  const find = router({ ...all, ...describe?.(all) });
  return {
    async answer(request) {
      const foreign = crossSite(request);
      if (foreign !== undefined) return problem(403, "FORBIDDEN", foreign);
      const match = find(request.method, request.path);
      const isOpen = "route" in match && match.route.scope === "anyone";
      const caller = isOpen ? { by: nobody, session: undefined } : await identify(people, request);
      // Whoever is not logged in does not learn what there is.
      if (!caller) return problem(401, "UNAUTHORIZED", "Log in first", { "www-authenticate": 'Bearer realm="people"' });
      if (!("route" in match)) return match;
      const { route, parameters } = match;
      if (!isOpen && !mayUse(caller.by, route.scope)) {
        return problem(403, "FORBIDDEN", `${caller.by.id} lacks the scope ${route.scope}`);
      }
      const stillBy = async () => (await identify(people, request, { isUse: false }))?.by;
      return answerWith(() => route.run({ request, parameters, ...caller, stillBy }), isOpen);
    },
  };
}

const nobody: Principal = Object.freeze({ kind: "anonymous", id: "nobody", scopes: Object.freeze([]) });

/** By a token for programs, if there is one, else by the cookie and the key that our own page keeps. */
async function identify(
  people: People,
  { headers, origin }: DoorRequest,
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

function mayUse({ scopes }: Principal, scope: string): boolean {
  return scope === "person" || scopes.includes("*") || scopes.includes(scope);
}

/** What goes wrong is said where it may be; the rest is for the operator, and goes up. */
async function answerWith(run: () => DoorAnswer | Promise<DoorAnswer>, isOpen: boolean): Promise<DoorAnswer> {
  try {
    return await run();
  } catch (error) {
    if (isOpen && error instanceof BiplaneError && error.code === "UNAUTHORIZED")
      return problem(401, error.code, error.message, { "www-authenticate": 'Bearer realm="people"' });
    const answer = problemOf(error);
    if (answer) return answer;
    throw error;
  }
}
