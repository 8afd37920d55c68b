import type { AuditLog } from "../../store/audit-log.ts";
import { auditRange } from "../../governance/audit/audit-range.ts";
import { queryAuditPage } from "../../governance/audit/query.ts";
import { verifyAuditPart } from "../../governance/audit/verify.ts";
import { millisecondsOf } from "../calls/call-filter.ts";
import { routesOf } from "../http/routes.ts";
import type { ApiRoutes } from "../http/routes.ts";
import { auditOperations } from "./audit-api.ts";

/** Reads the audit log. */
export function auditRoutes(store: { readonly audit: AuditLog }): ApiRoutes {
  return routesOf(auditOperations, {
    "GET /api/audit": async ({ query }) => {
      const { since, until, ...wanted } = query;
      const times = { since: millisecondsOf(since), until: millisecondsOf(until) };
      const range = await auditRange(store.audit, times);
      const { lines, next } = await queryAuditPage(store, { ...wanted, range });
      return { lines, next };
    },
    "GET /api/audit/verify": ({ query }) => verifyAuditPart(store, query),
  });
}
