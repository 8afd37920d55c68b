import type { JSX } from "preact";
import type { CallViaResult } from "../../../../packages/biplane/src/admin/calls/call-api.ts";
import { href } from "../../router.ts";
import { viaLabels } from "./via.tsx";

/** Link to the recorded call. Requests that a transport refused are not recorded. */
export function CallLink({ result }: { readonly result: CallViaResult }): JSX.Element | null {
  return result.call === null ? null : (
    <a class="small" href={href("live", [result.call])} aria-label={`View call via ${viaLabels[result.via]}`}>
      View<span class="wide-only"> call</span>
    </a>
  );
}
