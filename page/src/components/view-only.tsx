import type { JSX } from "preact";

/** Says which scope the user lacks for an action: `<ViewOnly action="Calling tools" scope="tools" />`. */
export function ViewOnly({ action, scope }: { readonly action: string; readonly scope: string }): JSX.Element {
  return (
    <p class="muted">
      You can only view this. {action} needs the scope <code>{scope}</code>, which an owner can give you.
    </p>
  );
}
