import type { JSX } from "preact";
import type { ModuleState } from "../../../../src/desk/contract.ts";
import { Icon } from "../../components/icon.tsx";
import { Text } from "../../components/text.tsx";

/** Why the newest state of a module that somebody is writing is not what is seen. It stays in sight. */
export function ModuleProblem({ module }: { readonly module: ModuleState | undefined }): JSX.Element | null {
  if (typeof module?.problem !== "string") return null;
  return (
    <div class="problem tools-module" role="alert">
      <Icon name="warn" />
      <div class="grow">
        <Text value={module.problem} isBlock isMono />
        <p class="muted">This is the last good version. It is loaded again when a file changes.</p>
      </div>
    </div>
  );
}
