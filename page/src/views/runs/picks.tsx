import { signal } from "@preact/signals";
import type { JSX } from "preact";
import type { ShownTrace } from "../../../../src/desk/contract.ts";
import { Button, LinkButton } from "../../components/button.tsx";
import { href } from "../../router.ts";

/** Rollouts that were picked to be compared, of one run or of two: at most two, the last ones. */
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

/** Where two rollouts are laid side by side. */
export function compareHref(left: string, right: string): string {
  return href("runs", ["compare"], { left, right });
}

/** What is picked, and what to do with it. */
export function Picked(): JSX.Element | null {
  const [left, right] = picks.value;
  if (!left) return null;
  return (
    <div class="row run-picked" role="status">
      <span class="muted">
        {right
          ? `Rollouts ${left.index} and ${right.index} are picked`
          : `Rollout ${left.index} is picked; pick another one`}
      </span>
      {right && (
        <LinkButton kind="main" icon="compare" href={compareHref(left.id, right.id)}>
          Compare
        </LinkButton>
      )}
      <Button kind="quiet" size="small" icon="close" label="Pick none" onClick={() => (picks.value = [])} />
    </div>
  );
}

/** The box that picks a rollout. */
export function PickBox({ trace }: { readonly trace: ShownTrace }): JSX.Element {
  return (
    <label class="checkbox">
      <input
        type="checkbox"
        aria-label={`Pick rollout ${trace.index} to compare`}
        checked={isPicked(trace.id)}
        onChange={(event) => setPicked(trace, event.currentTarget.checked)}
      />
    </label>
  );
}
