import type { JSX } from "preact";
import type { RunSummary } from "../../../../packages/biplane/src/admin/runs/run-api.ts";
import { Text } from "../../components/text.tsx";

type Named = Pick<RunSummary, "name" | "target">;

/** What a run is called: the name that a person gave it, or else what it played. */
export function runTitle({ name, target }: Named): string {
  return (name ?? target).slice(0, 160);
}

/** The tags that say more than the title. */
export function otherTags(run: Named & Pick<RunSummary, "tags">): readonly string[] {
  return run.tags.filter((tag) => tag.toLowerCase() !== runTitle(run).toLowerCase());
}

/** The agent and, if known, its model. */
export function AgentName({ agent, model }: { readonly agent: string; readonly model: string }): JSX.Element {
  return (
    <>
      <Text value={agent} maxLength={60} isFixed />
      {hasModel(agent, model) && (
        <span class="muted">
          {" "}
          <Text value={model} maxLength={60} isFixed />
        </span>
      )}
    </>
  );
}

/** The model or, without one, the agent. */
export function modelLabel({ agent, model }: Pick<RunSummary, "agent" | "model">): string {
  return hasModel(agent, model) ? model : agent;
}

function hasModel(agent: string, model: string): boolean {
  return model !== "" && model !== agent && model !== "unknown";
}
