import type { JSX } from "preact";
import type { TraceDetail } from "../../../../packages/biplane/src/admin/runs/trace-api.ts";
import { Text } from "../../components/text.tsx";
import { rolloutTitle } from "./rollout-name.tsx";

/** The name of one of two compared rollouts and, if that is a run, which rollout of the run it is. */
export function SideTitle({ name, trace }: { readonly name: string; readonly trace: TraceDetail }): JSX.Element {
  const title = rolloutTitle(trace);
  return (
    <>
      <Text value={name} maxLength={80} isFixed />
      {name !== title && (
        <span class="muted small block side-rollout">
          <Text value={title} maxLength={80} isFixed />
        </span>
      )}
    </>
  );
}
