import { server, tool } from "@biplane/core";
import type { Server, ServerOptions } from "@biplane/core";
import { policyResource } from "./broadband-support.ts";
import { healthyHome } from "./home-network.ts";
import { SupportRecords } from "./records.ts";
import type { RecordChanges } from "./records.ts";
import { supportTools } from "./tools/support-tools.ts";

export type BroadbandServerOptions = Pick<ServerOptions, "policies" | "approver" | "store" | "audit" | "hooks"> & {
  /** What differs from the initial database (default: nothing). Calls change it. */
  readonly changes?: RecordChanges;
};

/**
 * The tools of `broadband-support` for MCP hosts in production: one database for all callers, real customers, no
 * episodes and no rewards. Policies and approvals hold as for any server.
 */
export function broadbandServer({ changes = {}, ...options }: BroadbandServerOptions = {}): Server {
  const context = { records: new SupportRecords(changes), checks: { verified: [], failed: {} }, home: healthyHome };
  return server({
    name: "broadband",
    version: "1.0.0",
    description: "Accounts, invoices, orders and lines of Larkspur Broadband",
    resources: [policyResource],
    tools: Object.entries(supportTools).map(([name, { description, writes, input, run }]) =>
      tool({
        name,
        description,
        annotations: { readOnlyHint: !writes, destructiveHint: writes },
        input,
        run: (given) => run(context, given),
      }),
    ),
    ...options,
  });
}
