import { connectionId } from "@biplane/core/internal";
import type { Approval } from "../../governance/approvals/approval.ts";
import type { Approvals } from "../../governance/approvals/approvals.ts";
import { paginate } from "../http/input.ts";
import { notFound, routesOf } from "../http/routes.ts";
import type { ApiRoutes } from "../http/routes.ts";
import { approvalOperations } from "./approval-api.ts";

/** Waiting calls and standing approvals. */
export function approvalRoutes(approvals: Approvals): ApiRoutes {
  return routesOf(approvalOperations, {
    "GET /api/approvals": async ({ query }) => {
      const page = await approvals.list(query);
      return { approvals: page.map(shown), next: page.length < query.limit ? null : (page.at(-1)?.id ?? null) };
    },
    "GET /api/approvals/:id": async ({ parameters: { id } }) => {
      const approval = await approvals.get(id);
      return approval ? shown(approval) : noApproval;
    },
    "GET /api/approvals/:id/previous": async ({ parameters: { id } }) => {
      if (!(await approvals.get(id))) return noApproval;
      const previous = await approvals.previous(id);
      if (!previous) return notFound("No earlier approved call of this tool is on record.");
      const { input, answeredBy = "", answeredAt = "" } = previous;
      return { input, answeredBy, answeredAt };
    },
    "POST /api/approvals/answer": async ({ by, body: { ids, ...answer } }) => ({
      approvals: (await approvals.answer(ids, answer, by)).map(shown),
    }),
    "GET /api/grants": async ({ query }) => {
      const { page, next } = paginate(await approvals.grants(), ({ id }) => id, query);
      return { grants: page, next };
    },
    "DELETE /api/grants/:id": async ({ by, parameters: { id } }) => {
      if (!(await approvals.revoke(id, by))) return notFound("There is no such grant.");
    },
  });
}

const noApproval = notFound("There is no such approval.");

/** A session id is a credential, so show an id derived from it. */
function shown({ session, ...approval }: Approval): Approval {
  return { ...approval, session: session === undefined ? undefined : connectionId(session) };
}
