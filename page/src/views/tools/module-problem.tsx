import type { JSX } from "preact";
import type { ModuleState } from "../../../../packages/biplane/src/admin/events/event-api.ts";
import { Icon } from "../../components/icon.tsx";
import { Text } from "../../components/text.tsx";

/** Why the newest version of a module under development does not run. */
export function ModuleProblem({ module }: { readonly module: ModuleState | undefined }): JSX.Element | null {
  if (typeof module?.problem !== "string") return null;
  return (
    <div class="problem tools-module" role="alert">
      <Icon name="warn" />
      <div class="grow">
        <Text value={module.problem} isBlock isMono />
        <p class="muted">Showing the last working version. The module reloads when a file changes.</p>
      </div>
    </div>
  );
}
