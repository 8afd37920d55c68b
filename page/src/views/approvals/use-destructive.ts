import type { Approval } from "../../../../packages/biplane/src/governance/approvals/approval.ts";
import { useResource } from "../../resource.ts";

/** Tells which calls are of tools that declare that they may delete or overwrite data. */
export function useDestructive(): (approval: Approval) => boolean {
  const tools = useResource("/api/destructive-tools", {}, { isCached: true }).data?.tools ?? [];
  return ({ server, tool }) => tools.some((each) => each.server === server && each.name === tool);
}
