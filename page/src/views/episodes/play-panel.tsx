import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { EpisodeDetail, PlayedStep } from "../../../../packages/biplane/src/admin/episodes/episode-api.ts";
import type { ToolSummary } from "../../../../packages/biplane/src/admin/overview/overview-api.ts";
import { callApi } from "../../api.ts";
import { Outcome } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Select } from "../../components/field.tsx";
import { SchemaForm, initialValue, schemaFaults } from "../../components/schema-form/schema-form.tsx";
import { Problem } from "../../components/states.tsx";
import { Text } from "../../components/text.tsx";
import { useMutation } from "../../resource.ts";
import { useShortcut } from "../../shortcuts.ts";
import { quickActionsOf } from "./quick-actions.ts";
import type { QuickAction } from "./quick-actions.ts";
import { columnNumbers, sideToMove, toneOfSide } from "./screen-text.ts";

/** Plays by hand: one button per possible call if there are few, otherwise a form. */
export function PlayPanel(props: {
  readonly episode: EpisodeDetail;
  readonly onPlayed: (episode: EpisodeDetail) => void;
}): JSX.Element {
  const { episode, onPlayed } = props;
  const [name, setName] = useState(episode.tools[0]?.name ?? "");
  const [last, setLast] = useState<PlayedStep>();
  const tool = episode.tools.find((each) => each.name === name) ?? episode.tools[0];
  const play = useMutation((body: { tool: string; input: unknown }, signal) =>
    callApi("POST /api/episodes/:id/calls", { id: episode.id, body, signal }),
  );
  if (!tool) return <p class="muted">This environment has no tools.</p>;
  const takeStep = async (input: unknown) => {
    if (play.isBusy) return;
    const played = await play.run({ tool: tool.name, input });
    setLast(played);
    if (played) onPlayed(played.episode);
  };
  const actions = quickActionsOf(tool);
  const rendered = episode.rendered?.kind === "text" ? episode.rendered.text : "";
  const next = sideToMove(rendered);
  // One button below each column of a board that numbers them.
  const isBoard =
    actions !== undefined &&
    actions.length <= 7 &&
    columnNumbers(rendered).join() === actions.map(({ title }) => title).join();
  return (
    <div class="stack-tight">
      {episode.tools.length > 1 && (
        <Select
          label="Tool"
          value={tool.name}
          choices={episode.tools.map(({ name: value, title }) => ({ value, title: title ?? value }))}
          onChange={setName}
        />
      )}
      {tool.description !== undefined && next === undefined && (
        <p class={`muted small ${tool.description.length <= 60 ? "play-about-short" : ""}`}>
          <Text value={tool.description} maxLength={300} />
        </p>
      )}
      {next !== undefined && (
        <p class="play-next">
          <span class={`strong screen-front tone-${toneOfSide(next)}`}>{next}</span> to move
          {isBoard && ": choose a column"}
        </p>
      )}
      {actions ? (
        <QuickActions actions={actions} isBoard={isBoard} onAction={(action) => void takeStep(action.input)} />
      ) : (
        <CallForm key={tool.name} tool={tool} isBusy={play.isBusy} onCall={(input) => void takeStep(input)} />
      )}
      {play.error !== undefined && <Problem error={play.error} />}
      {last && last.outcome !== "done" && (
        <div class="row" role="status">
          <Outcome value={last.outcome} />
          <Text value={last.message ?? "No details."} maxLength={600} />
        </div>
      )}
    </div>
  );
}

function QuickActions(props: {
  readonly actions: readonly QuickAction[];
  /** True if the buttons are below the columns of a board. */
  readonly isBoard: boolean;
  readonly onAction: (action: QuickAction) => void;
}): JSX.Element {
  const { actions, isBoard, onAction } = props;
  const isCross = actions.length === 4 && arrowsIn(actions).size === 4;
  return (
    <div
      class={`quick-actions ${isCross ? "quick-cross" : isBoard ? "quick-columns" : ""}`}
      style={isBoard ? { "--columns": actions.length } : undefined}
      role="group"
      aria-label="Actions"
    >
      {actions.map((action) => (
        <ActionButton key={action.title} action={action} onAction={() => onAction(action)} />
      ))}
    </div>
  );
}

function arrowsIn(actions: readonly QuickAction[]): ReadonlySet<string> {
  return new Set(actions.flatMap(({ keys }) => keys.filter((key) => signs[key] !== undefined)));
}

function ActionButton({
  action,
  onAction,
}: {
  readonly action: QuickAction;
  readonly onAction: () => void;
}): JSX.Element {
  const [arrow] = arrowsIn([action]);
  return (
    // Stays enabled while a step runs, because disabling it would lose the focus.
    <button type="button" class="button button-plain button-usual quick-action" data-arrow={arrow} onClick={onAction}>
      <Text value={action.title} maxLength={40} isFixed />
      {action.keys.map((key) => (
        <ActionKey
          key={key}
          title={action.title}
          keyName={key}
          isShown={arrow === undefined || key === arrow}
          onAction={onAction}
        />
      ))}
    </button>
  );
}

function ActionKey(props: {
  readonly title: string;
  readonly keyName: string;
  readonly onAction: () => void;
  readonly isShown: boolean;
}): JSX.Element | null {
  useShortcut(props.keyName, `Play ${props.title.slice(0, 40)}`, props.onAction);
  // A button that is called like its key needs no second label.
  if (props.keyName === props.title || !props.isShown) return null;
  return <kbd aria-hidden="true">{signs[props.keyName] ?? props.keyName}</kbd>;
}

const signs: Readonly<Record<string, string>> = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓" };

function CallForm(props: {
  readonly tool: ToolSummary;
  readonly isBusy: boolean;
  readonly onCall: (input: unknown) => void;
}): JSX.Element {
  const { tool, isBusy, onCall } = props;
  const [value, setValue] = useState<unknown>(() => initialValue(tool.input));
  const [wasTried, setTried] = useState(false);
  const faults = wasTried ? Object.entries(schemaFaults(value, tool.input)) : [];
  return (
    <form
      class="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        setTried(true);
        if (Object.keys(schemaFaults(value, tool.input)).length === 0) onCall(value);
      }}
    >
      <SchemaForm schema={tool.input} value={value} onChange={setValue} areFaultsShown={wasTried} />
      {faults.length > 0 && (
        <ul class="field-error" role="alert">
          {faults.slice(0, 5).map(([path, fault]) => (
            <li key={path}>
              <Text value={path === "" ? fault : `${path}: ${fault}`} maxLength={200} />
            </li>
          ))}
        </ul>
      )}
      <div class="row">
        <Button type="submit" kind="main" icon="play" isBusy={isBusy}>
          Take step
        </Button>
      </div>
    </form>
  );
}
