import { BiplaneError } from "@biplane/core";
import { connectionId, serverOf } from "@biplane/core/internal";
import type { Approval } from "../../governance/approvals/approval.ts";
import type { Approvals } from "../../governance/approvals/approvals.ts";
import type { People } from "../../governance/people/people.ts";
import type { AdminParts } from "../admin-parts.ts";
import { callSummary } from "../calls/call-view.ts";
import { newestFirstKey, paginate } from "../http/input.ts";
import { mustExist, routesOf } from "../http/routes.ts";
import type { ApiRoutes } from "../http/routes.ts";
import { hasScope } from "../openapi/scopes.ts";
import { approvalCallOperations, approvalOperations } from "./approval-api.ts";

/** Waiting calls and standing approvals. */
export function approvalRoutes(approvals: Approvals, people: People): ApiRoutes {
  return routesOf(approvalOperations, {
    "GET /api/approvals": async ({ query }) => {
      const page = await approvals.list(query);
      return { approvals: page.map(shown), next: page.length < query.limit ? null : (page.at(-1)?.id ?? null) };
    },
    "GET /api/approvals/:id": async ({ parameters: { id } }) => {
      return shown(mustExist(await approvals.get(id), noApproval));
    },
    "GET /api/approvals/:id/previous": async ({ parameters: { id } }) => {
      mustExist(await approvals.get(id), noApproval);
      const previous = await approvals.previous(id);
      const none = "No earlier approved call of this tool is on record.";
      const { input, answeredBy = "", answeredAt = "" } = mustExist(previous, none);
      return { input, answeredBy, answeredAt };
    },
    "POST /api/approvals/answer": async ({ by, body: { ids, ...answer } }) => ({
      approvals: (await approvals.answer(ids, answer, by)).map(shown),
    }),
    "POST /api/approvals/assign": async ({ by, body: { ids, to } }) => {
      const person = to === null ? undefined : await people.find(to);
      if (to !== null && !(person && hasScope(person, "approvals")))
        throw new BiplaneError("INVALID_INPUT", `${to.slice(0, 80)} cannot answer calls. See GET /api/approvers.`);
      return { approvals: (await approvals.assign(ids, person?.name ?? null, by)).map(shown) };
    },
    "GET /api/approvers": async () => {
      const all = await people.list({ limit: 1000 });
      return { names: all.filter((person) => hasScope(person, "approvals")).map(({ name }) => name) };
    },
    "GET /api/grants": async ({ query }) => {
      const { page, next } = paginate(
        await approvals.grants(),
        ({ grantedAt, id }) => newestFirstKey(Date.parse(grantedAt), id),
        query,
      );
      return { grants: page, next };
    },
    "GET /api/grants/:id": async ({ parameters: { id } }) => mustExist(await approvals.grant(id), noGrant),
    "DELETE /api/grants/:id": async ({ by, parameters: { id } }) => {
      mustExist(await approvals.revoke(id, by), noGrant);
    },
  });
}

/**
 * The last calls of the agent that made a waiting call: several agents can share an identity. And the tools whose calls
 * should not be approved in passing.
 */
export function approvalCallRoutes({ approvals, log, history, served }: AdminParts): ApiRoutes {
  return routesOf(approvalCallOperations, {
    "GET /api/destructive-tools": () => ({
      tools: served.flatMap((each) =>
        Array.from(serverOf(each).tools)
          .filter(
            ({ annotations: { destructiveHint, readOnlyHint } }) => destructiveHint === true && readOnlyHint !== true,
          )
          .map(({ name }) => ({ server: each.name, name })),
      ),
    }),
    "GET /api/approvals/:id/calls": async ({ parameters: { id } }) => {
      const approval = mustExist(await approvals?.get(id), noApproval);
      const { kind, id: caller } = approval.principal;
      const { agentId } = approval.agent;
      const [filter, page] = [{ principal: caller, agent: agentId, until: approval.askedAt }, { limit: maxCalls * 4 }];
      const calls = history
        ? (await history.list(filter, page)).calls
        : log.list(filter, page).calls.map((call) => callSummary(call));
      const own = calls.filter(
        ({ principal, agent }) => principal.kind === kind && principal.id === caller && agent.agentId === agentId,
      );
      return { calls: own.slice(0, maxCalls) };
    },
  });
}

const maxCalls = 10;
const noApproval = "There is no such approval.";
const noGrant = "There is no such grant.";

/** A session id is a credential, so show an id derived from it. */
function shown({ session, ...approval }: Approval): Approval {
  return { ...approval, session: session === undefined ? undefined : connectionId(session) };
}
