import type { JSX } from "preact";
import { callVias } from "../../../../packages/biplane/src/admin/try-call/call-vias.ts";
import type { CallVia } from "../../../../packages/biplane/src/admin/try-call/call-vias.ts";
import type { ToolSummary } from "../../../../packages/biplane/src/admin/overview/overview-api.ts";
import { Icon } from "../../components/icon.tsx";

export const viaLabels: Readonly<Record<CallVia, string>> = {
  "mcp-2026-07-28": "MCP 2026-07-28",
  "mcp-2025-11-25": "MCP 2025-11-25",
  execute: "REST",
  step: "Step",
  code: "Code",
  app: "App",
};

const viaMeanings: Readonly<Record<CallVia, string>> = {
  "mcp-2026-07-28": "Without a session, as new MCP clients call",
  "mcp-2025-11-25": "In a session, as older MCP clients call",
  execute: "POST /mcp/execute",
  step: "As a step of the episode, as trainers call",
  code: "From code that an agent runs",
  app: "As the app of a tool calls",
};

/** The transports over which a tool can be called. */
export function viasFor({ needsEpisode, app }: ToolSummary): readonly CallVia[] {
  const isForApps = app === undefined || app.visibility.includes("app");
  return callVias.filter((via) => (via !== "step" || needsEpisode) && (via !== "app" || isForApps));
}

/** True if repeated calls are safe. Calls in an episode are, because each transport gets a fork. */
function canRepeat({ idempotent, annotations, needsEpisode }: ToolSummary): boolean {
  return needsEpisode || idempotent || annotations.idempotentHint === true || annotations.readOnlyHint === true;
}

/** Chooses one transport, or several if repeated calls are safe. */
export function ViaChooser(props: {
  readonly tool: ToolSummary;
  readonly via: readonly CallVia[];
  readonly onChange: (via: readonly CallVia[]) => void;
}): JSX.Element {
  const { tool, via: chosen, onChange } = props;
  const possible = viasFor(tool);
  const isMany = canRepeat(tool);
  const isAll = possible.every((via) => chosen.includes(via));
  const toggle = (via: CallVia) => {
    if (!isMany || isAll) return onChange([via]);
    const next = chosen.includes(via) ? chosen.filter((each) => each !== via) : [...chosen, via];
    onChange(next.length === 0 ? [via] : possible.filter((each) => next.includes(each)));
  };
  const chooser = (
    <fieldset class="tools-transports">
      <legend class="field-label">Call via</legend>
      <div class="row">
        {possible.map((via) => (
          <button
            key={via}
            type="button"
            class="tools-transport"
            aria-pressed={chosen.includes(via)}
            title={viaMeanings[via]}
            onClick={() => toggle(via)}
          >
            {viaLabels[via]}
          </button>
        ))}
        {isMany && (
          <button
            type="button"
            class="tools-transport tools-transport-all"
            aria-pressed={isAll}
            onClick={() => onChange(isAll ? possible.slice(0, 1) : possible)}
          >
            <Icon name="compare" size={14} />
            Compare all
          </button>
        )}
      </div>
      <p class="field-hint">{hintFor(tool, chosen.length)}</p>
    </fieldset>
  );
  if (isMany) return chooser;
  return (
    <details class="tools-advanced" open={chosen[0] !== possible[0]}>
      <summary>Sent via {chosen.map((via) => viaLabels[via]).join(", ")}</summary>
      {chooser}
    </details>
  );
}

function hintFor(tool: ToolSummary, chosen: number): string {
  if (tool.needsEpisode)
    return chosen > 1
      ? "Each transport gets its own fork. The episode itself does not change."
      : "The call is a step of the episode.";
  return canRepeat(tool)
    ? "Every transport returns the same result. Select several to compare."
    : "Agents can call the tool in each of these ways.";
}
