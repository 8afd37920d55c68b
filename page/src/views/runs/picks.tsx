import { signal } from "@preact/signals";
import type { JSX } from "preact";
import type { TraceInfo } from "../../../../packages/biplane/src/admin/runs/trace-api.ts";
import { Button, LinkButton } from "../../components/button.tsx";
import { href } from "../../router.ts";

/** Rollouts selected for comparison, of any run: the last two. */
export const picks = signal<readonly PickedTrace[]>([]);

interface PickedTrace {
  readonly id: string;
  readonly index: number;
}

export function isPicked(id: string): boolean {
  return picks.value.some((pick) => pick.id === id);
}

export function setPicked({ id, index }: PickedTrace, isOn: boolean): void {
  const others = picks.value.filter((pick) => pick.id !== id);
  picks.value = isOn ? [...others.slice(-1), { id, index }] : others;
}

/** Link to the comparison of two rollouts. */
export function compareHref(left: string, right: string): string {
  return href("runs", ["compare"], { left, right });
}

/** The selected rollouts, with a compare button. */
export function Picked(): JSX.Element | null {
  const [left, right] = picks.value;
  if (!left) return null;
  return (
    <div class="row run-picked" role="status">
      <span class="muted">
        {right
          ? `Rollouts ${left.index} and ${right.index} selected`
          : `Rollout ${left.index} selected. Select another to compare.`}
      </span>
      {right && (
        <LinkButton kind="main" icon="compare" href={compareHref(left.id, right.id)}>
          Compare
        </LinkButton>
      )}
      <Button kind="quiet" size="small" icon="close" label="Clear selection" onClick={() => (picks.value = [])} />
    </div>
  );
}

/** The checkbox that selects a rollout. */
export function PickBox({ trace }: { readonly trace: TraceInfo }): JSX.Element {
  return (
    <label class="checkbox run-pick">
      <input
        type="checkbox"
        aria-label={`Select rollout ${trace.index} to compare`}
        checked={isPicked(trace.id)}
        onChange={(event) => setPicked(trace, event.currentTarget.checked)}
      />
    </label>
  );
}
