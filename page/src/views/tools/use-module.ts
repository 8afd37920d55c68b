import { useEffect, useRef, useState } from "preact/hooks";
import type { ModuleState, ShownTool } from "../../../../src/desk/contract.ts";
import { schemaFaults } from "../../components/schema-form/schema-form.tsx";
import { useEvents } from "../../events.ts";
import { cameByKey } from "../../session.ts";
import type { CallForm } from "./use-call.ts";

/** How the module stands that somebody is writing; undefined where nobody is. A new state of it is a reason to look again. */
export function useModule(onNew: () => void): ModuleState | undefined {
  const [module, setModule] = useState<ModuleState>();
  useEvents("module", (next) => {
    if (next.version !== module?.version) onNew();
    setModule(next);
  });
  return module;
}

/**
 * Makes the last call again when the tool has been read in a new state. Whoever has come by the terminal's link sees the first
 * one made too, where it takes no input: no other link can make a call.
 */
export function useCallAgain(tool: ShownTool, form: CallForm, version: number | undefined): void {
  const seen = useRef<number>(undefined);
  useEffect(() => {
    if (version === undefined || seen.current === version) return;
    const isFirst = seen.current === undefined;
    seen.current = version;
    if (form.made) form.repeat();
    else if (isFirst && cameByKey() && tool.app && isComplete(tool, form)) void form.call.run(undefined);
  }, [tool]);
}

function isComplete(tool: ShownTool, { input }: CallForm): boolean {
  return Object.keys(schemaFaults(input, tool.input)).length === 0;
}
