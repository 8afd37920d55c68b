import type { JSX } from "preact";
import type { ApiResponse } from "../../api.ts";
import { Badge } from "../../components/badge.tsx";
import { Time } from "../../components/time.tsx";
import { count, plural } from "../../format.ts";

/** How long the log is, and what its last check found: `1,204 entries. Verified 5 min ago: intact.` */
export function ChainState({ state }: { readonly state: ApiResponse<"GET /api/audit/state"> }): JSX.Element {
  const { entries, checked } = state;
  return (
    <p class="audit-state" role="status">
      <span class="strong num">{plural(entries, "entry", "entries")}</span>
      {checked === null ? (
        <Badge dot>Not verified since the server started</Badge>
      ) : checked.ok ? (
        <>
          <span class="text-good">Intact</span>
          <span class="muted">
            verified <Time at={checked.at} />
            {entries > checked.lines && `, ${count(entries - checked.lines)} newer`}
          </span>
        </>
      ) : (
        <>
          <span class="text-bad strong">Changed after entry {count(checked.lines)}</span>
          <span class="muted">
            verified <Time at={checked.at} />
          </span>
        </>
      )}
    </p>
  );
}
