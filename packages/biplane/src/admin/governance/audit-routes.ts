import type { AuditLog } from "../../store/audit-log.ts";
import { queryAudit } from "../../governance/audit/query.ts";
import { routesOf } from "../http/routes.ts";
import type { ApiRoutes } from "../http/routes.ts";
import { auditOperations } from "./audit-api.ts";

/** Reads the audit log. */
export function auditRoutes(store: { readonly audit: AuditLog }): ApiRoutes {
  return routesOf(auditOperations, {
    "GET /api/audit": async ({ query }) => {
      const lines = await queryAudit(store, query);
      return { lines, next: lines.length < query.limit ? null : (lines.at(-1)?.sequence ?? null) };
    },
  });
}
