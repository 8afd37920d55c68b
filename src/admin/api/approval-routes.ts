import { BiplaneError } from "../../errors.ts";
import { connectionId } from "../../server/connections.ts";
import type { Answer, Approval, Hold } from "../approvals/approval.ts";
import type { Approvals } from "../approvals/approvals.ts";
import { found, notFound, nothing } from "./answers.ts";
import { fieldsOf, oneOf, pageFrom, pageOf, textIn, wanted } from "./input.ts";
import type { Routes } from "./router.ts";

/** The queue of calls that wait for a person, and the standing approvals that came of it. */
export function approvalRoutes(approvals: Approvals): Routes {
  const scope = "approvals";
  return {
    "GET /api/approvals": {
      scope,
      run: async ({ request }) => {
        const status = oneOf(request.query, "status", statuses);
        const { after, limit } = pageOf(request);
        const page = await approvals.list({
          limit,
          ...(status && { status }),
          ...(after !== undefined && { after }),
          ...wanted(request.query, ["server", "tool", "principal", "batch"]),
        });
        return found({ approvals: page.map(shown), next: page.length < limit ? null : (page.at(-1)?.id ?? null) });
      },
    },
    "GET /api/approvals/:id": {
      scope,
      run: async ({ parameters: { id = "" } }) => {
        const approval = await approvals.get(id);
        return approval ? found(shown(approval)) : notFound("There is no such approval");
      },
    },
    "GET /api/approvals/:id/before": {
      scope,
      run: async ({ parameters: { id = "" } }) => {
        if (!(await approvals.get(id))) return notFound("There is no such approval");
        const before = await approvals.before(id);
        if (!before) return notFound("No call of this tool was approved before, as far as is still known");
        const { input, answeredBy = "", answeredAt = "" } = before;
        return found({ input, answeredBy, answeredAt });
      },
    },
    "POST /api/approvals/answer": {
      scope,
      run: async ({ by, request: { body } }) => {
        const { ids, ...rest } = fieldsOf(body, ["ids", "verdict", "hold", "reason"]);
        return found({ approvals: (await approvals.answer(idsIn(ids), answerIn(rest), by)).map(shown) });
      },
    },
    "GET /api/grants": {
      scope,
      run: async ({ request }) => {
        const { page, next } = pageFrom(await approvals.grants(), ({ id }) => id, pageOf(request));
        return found({ grants: page, next });
      },
    },
    "DELETE /api/grants/:id": {
      scope,
      run: async ({ by, parameters: { id = "" } }) =>
        (await approvals.revoke(id, by)) ? nothing : notFound("There is no such grant"),
    },
  };
}

/** A session's own id is a key. */
function shown({ session, ...approval }: Approval): object {
  return session === undefined ? approval : { ...approval, session: connectionId(session) };
}

const statuses: readonly Approval["status"][] = ["waiting", "approved", "used", "rejected", "expired"];

function idsIn(ids: unknown): readonly string[] {
  const isList = Array.isArray(ids) && ids.length > 0 && ids.length <= 1000;
  if (isList && ids.every((id) => typeof id === "string") && new Set(ids).size === ids.length) return ids;
  throw new BiplaneError("INVALID_INPUT", "ids must be a list of 1 to 1000 different approvals");
}

function answerIn({ verdict, hold, reason }: { verdict?: unknown; hold?: unknown; reason?: unknown }): Answer {
  if (verdict === "approve" && reason === undefined)
    return hold === undefined ? { verdict } : { verdict, hold: holdIn(hold) };
  if (verdict === "reject" && hold === undefined) return { verdict, reason: textIn(reason, "reason") };
  throw new BiplaneError("INVALID_INPUT", "verdict must be approve, perhaps with hold, or reject, with a reason");
}

function holdIn(hold: unknown): Hold {
  const { kind, pattern, for: whom } = fieldsOf(hold, ["kind", "pattern", "for"]);
  const reach = whom === undefined ? {} : { for: reachIn(whom) };
  if (kind === "once" && whom === undefined && pattern === undefined) return { kind };
  if (kind === "always" && pattern === undefined) return { kind, ...reach };
  if (kind === "pattern" && pattern !== undefined) return { kind, pattern, ...reach };
  throw new BiplaneError("INVALID_INPUT", "hold.kind must be once, always, or pattern with hold.pattern");
}

function reachIn(whom: unknown): "caller" | "everyone" {
  if (whom === "caller" || whom === "everyone") return whom;
  throw new BiplaneError("INVALID_INPUT", "hold.for must be caller or everyone");
}
