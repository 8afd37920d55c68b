import type { JSX } from "preact";
import type { CallWay, ShownTool } from "../../../../src/desk/contract.ts";
import { Icon } from "../../components/icon.tsx";

export const wayTitles: Readonly<Record<CallWay, string>> = {
  "mcp-2026-07-28": "MCP 2026-07-28",
  "mcp-2025-11-25": "MCP 2025-11-25",
  execute: "REST",
  step: "Step",
  code: "Code",
  app: "App",
};

/** The ways by which a tool can be called from here, as far as one can tell before. */
export function waysFor({ needsEpisode, app }: ShownTool): readonly CallWay[] {
  const isForApps = app === undefined || app.visibility.includes("app");
  return (Object.keys(wayTitles) as CallWay[]).filter(
    (way) => (way !== "step" || needsEpisode) && (way !== "app" || isForApps),
  );
}

/** Whether calling it several times does no harm: else it is called by one way at a time, or in forks of an episode. */
function maySeveral({ idempotent, annotations, needsEpisode }: ShownTool): boolean {
  return needsEpisode || idempotent || annotations.idempotentHint === true || annotations.readOnlyHint === true;
}

/** One way, or several where that does no harm. */
export function WayChooser(props: {
  readonly tool: ShownTool;
  readonly ways: readonly CallWay[];
  readonly onChange: (ways: readonly CallWay[]) => void;
}): JSX.Element {
  const { tool, ways, onChange } = props;
  const possible = waysFor(tool);
  const isMany = maySeveral(tool);
  const isAll = possible.every((way) => ways.includes(way));
  const press = (way: CallWay) => {
    if (!isMany || isAll) return onChange([way]);
    const next = ways.includes(way) ? ways.filter((each) => each !== way) : [...ways, way];
    onChange(next.length === 0 ? [way] : possible.filter((each) => next.includes(each)));
  };
  return (
    <fieldset class="tools-ways">
      <legend class="field-label">Call it by</legend>
      <div class="row">
        {possible.map((way) => (
          <button
            key={way}
            type="button"
            class="tools-way"
            aria-pressed={ways.includes(way)}
            onClick={() => press(way)}
          >
            {wayTitles[way]}
          </button>
        ))}
        {isMany && (
          <button
            type="button"
            class="tools-way tools-way-all"
            aria-pressed={isAll}
            onClick={() => onChange(isAll ? possible.slice(0, 1) : possible)}
          >
            <Icon name="compare" size={14} />
            All side by side
          </button>
        )}
      </div>
      <p class="field-hint">{hintFor(tool, ways.length)}</p>
    </fieldset>
  );
}

function hintFor(tool: ShownTool, chosen: number): string {
  if (tool.needsEpisode)
    return chosen > 1
      ? "Each way gets a fork of the episode; the episode itself stays where it is."
      : "The call is a step of the episode.";
  return maySeveral(tool)
    ? "The answer is the same by every way: choose several to compare."
    : "One at a time: it may change something with each call.";
}
