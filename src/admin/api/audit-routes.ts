import type { AuditOutcome } from "../../call/audit.ts";
import type { Logs } from "../../store/store.ts";
import { queryAudit } from "../audit/query.ts";
import { found } from "./answers.ts";
import { oneOf, pageOf, wanted, wholeIn } from "./input.ts";
import type { Routes } from "./router.ts";

/** What was done here, by whom, and what came of it. */
export function auditRoutes(store: Logs): Routes {
  return {
    "GET /api/audit": {
      scope: "audit",
      run: async ({ request }) => {
        const { query } = request;
        const { limit } = pageOf(request);
        const after = wholeIn(query, "after", { least: 0, most: Number.MAX_SAFE_INTEGER });
        const lines = await queryAudit(store, {
          limit,
          order: oneOf(query, "order", ["newest", "oldest"]) ?? "newest",
          ...(after !== undefined && { after }),
          ...wanted(query, ["tool", "principal"]),
          ...(wanted(query, ["code"]) as { code?: AuditOutcome }),
        });
        return found({ lines, next: lines.length < limit ? null : (lines.at(-1)?.sequence ?? null) });
      },
    },
  };
}
