import type { GrantSummary } from "../../../../packages/biplane/src/governance/approvals/approval.ts";
import { useResource } from "../../resource.ts";
import { scriptIn } from "./script-subject.ts";

/** Tells which grants are of a version of a script that is not there any more. Undefined until that is known. */
export function useOutdated(grants: readonly GrantSummary[]): ((grant: GrantSummary) => boolean) | undefined {
  const hasScripts = grants.some(({ subject }) => scriptIn(subject) !== undefined);
  const scripts = useResource("/api/scripts", hasScripts ? { query: { limit: maxScripts } } : undefined);
  const { data } = scripts;
  if (!data && scripts.isLoading) return undefined;
  // Of a script on a further page, nothing is known.
  if (!data || data.next !== null) return () => false;
  const hashes = new Map(data.scripts.map(({ name, hash }) => [name, hash]));
  return ({ subject }) => {
    const script = scriptIn(subject);
    return script !== undefined && hashes.get(script.name) !== script.sha256;
  };
}

const maxScripts = 200;
