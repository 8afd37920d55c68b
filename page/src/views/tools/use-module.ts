import { useEffect, useRef, useState } from "preact/hooks";
import type { ModuleState } from "../../../../packages/biplane/src/admin/events/event-api.ts";
import type { ToolSummary } from "../../../../packages/biplane/src/admin/overview/overview-api.ts";
import { schemaFaults } from "../../components/schema-form/schema-form.tsx";
import { useEvents } from "../../events.ts";
import { isSignedInByKey } from "../../session.ts";
import type { CallForm } from "./use-call.ts";

/** The state of a module under development, if any. Calls `onNew` when it reloads. */
export function useModule(onNew: () => void): ModuleState | undefined {
  const [module, setModule] = useState<ModuleState>();
  useEvents("module", (next) => {
    if (next.version !== module?.version) onNew();
    setModule(next);
  });
  return module;
}

/**
 * Repeats the last call after the module reloads. For the operator, who opened the link printed in the terminal, it
 * also makes the first call if no input is needed. No other link can make a call.
 */
export function useCallAgain(tool: ToolSummary, form: CallForm, version: number | undefined): void {
  const seen = useRef<number>(undefined);
  useEffect(() => {
    if (version === undefined || seen.current === version) return;
    const isFirst = seen.current === undefined;
    seen.current = version;
    if (form.made) form.repeat();
    else if (isFirst && isSignedInByKey() && tool.app && isComplete(tool, form)) void form.call.run(undefined);
  }, [tool]);
}

function isComplete(tool: ToolSummary, { input }: CallForm): boolean {
  return Object.keys(schemaFaults(input, tool.input)).length === 0;
}
