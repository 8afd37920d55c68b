import type { AuditLog } from "../../store/audit-log.ts";
import { AuditChecks } from "../../governance/audit/audit-checks.ts";
import { auditRange } from "../../governance/audit/audit-range.ts";
import { queryAuditPage } from "../../governance/audit/query.ts";
import { millisecondsOf } from "../calls/call-filter.ts";
import { routesOf } from "../http/routes.ts";
import type { ApiRoutes } from "../http/routes.ts";
import { auditOperations } from "./audit-api.ts";

/** Reads the audit log. `isRecorded` is false if nothing is written to it. */
export function auditRoutes(
  store: { readonly audit: AuditLog },
  { isRecorded }: { readonly isRecorded: boolean },
): ApiRoutes {
  const checks = new AuditChecks(store);
  return routesOf(auditOperations, {
    "GET /api/audit": async ({ query }) => {
      const { since, until, ...wanted } = query;
      const times = { since: millisecondsOf(since), until: millisecondsOf(until) };
      const range = await auditRange(store.audit, times);
      const { lines, next } = await queryAuditPage(store, { ...wanted, range });
      return { lines, next };
    },
    "GET /api/audit/verify": ({ query }) => checks.next(query),
    "GET /api/audit/state": async () => {
      const entries = (await store.audit.last())?.sequence ?? (await store.audit.cuts()).at(-1)?.through ?? 0;
      return { isRecorded, entries, checked: checks.last ?? null };
    },
  });
}
