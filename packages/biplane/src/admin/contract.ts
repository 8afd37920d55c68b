import { callOperations } from "./calls/call-api.ts";
import { statisticsOperations } from "./calls/statistics-api.ts";
import { episodeOperations } from "./episodes/episode-api.ts";
import { eventOperations } from "./events/event-api.ts";
import { fleetOperations } from "./fleet/fleet-api.ts";
import { approvalCallOperations, approvalOperations } from "./governance/approval-api.ts";
import { notificationOperations } from "./governance/notification-api.ts";
import { policyOperations } from "./governance/policy-api.ts";
import { auditOperations } from "./governance/audit-api.ts";
import { secretOperations } from "./governance/secret-api.ts";
import { sessionOperations } from "./governance/session-api.ts";
import { connectionOperations } from "./overview/connection-api.ts";
import { documentOperations, overviewOperations, resourceOperations, toolOperations } from "./overview/overview-api.ts";
import { runOperations } from "./runs/run-api.ts";
import { searchOperations } from "./search/search-api.ts";
import { runComparisonOperations } from "./runs/run-comparison-api.ts";
import { traceOperations } from "./runs/trace-api.ts";
import { scriptOperations } from "./scripts/script-api.ts";
import { accessTokenOperations } from "./settings/token-api.ts";
import { peopleOperations, settingsOperations } from "./settings/settings-api.ts";

/**
 * The admin API: every route, declared once. A list is an object with the items and `next`. Pass `next` as `?after=` to
 * get the next page; it is null on the last one. Times are ISO 8601. A server has only the routes of its enabled parts.
 */
export const adminApi = {
  ...documentOperations,
  ...overviewOperations,
  ...toolOperations,
  ...resourceOperations,
  ...callOperations,
  ...statisticsOperations,
  ...eventOperations,
  ...episodeOperations,
  ...runOperations,
  ...runComparisonOperations,
  ...traceOperations,
  ...sessionOperations,
  ...secretOperations,
  ...approvalOperations,
  ...approvalCallOperations,
  ...notificationOperations,
  ...policyOperations,
  ...scriptOperations,
  ...auditOperations,
  ...connectionOperations,
  ...fleetOperations,
  ...searchOperations,
  ...settingsOperations,
  ...peopleOperations,
  ...accessTokenOperations,
} as const;
