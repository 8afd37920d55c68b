import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { OpenedEpisode, PlayedStep, ShownTool } from "../../../../src/desk/contract.ts";
import { ask, segment } from "../../api.ts";
import { Outcome } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Select } from "../../components/field.tsx";
import { SchemaForm, initialValue, schemaFaults } from "../../components/schema-form/schema-form.tsx";
import { Problem } from "../../components/states.tsx";
import { Text } from "../../components/text.tsx";
import { usePost } from "../../resource.ts";
import { useShortcut } from "../../shortcuts.ts";
import { movesOf } from "./moves.ts";
import type { Move } from "./moves.ts";

/** Makes steps by hand: a press for each where the tool allows it, else a form. */
export function PlayPanel(props: {
  readonly episode: OpenedEpisode;
  readonly onPlayed: (episode: OpenedEpisode) => void;
}): JSX.Element {
  const { episode, onPlayed } = props;
  const [name, setName] = useState(episode.tools[0]?.name ?? "");
  const [last, setLast] = useState<PlayedStep>();
  const tool = episode.tools.find((each) => each.name === name) ?? episode.tools[0];
  const play = usePost((body: { tool: string; input: unknown }, signal) =>
    ask<PlayedStep>(`POST /api/episodes/${segment(episode.id)}/calls`, { body, signal }),
  );
  if (!tool) return <p class="muted">This environment has no tools to play with.</p>;
  const make = async (input: unknown) => {
    if (play.isBusy) return;
    const played = await play.run({ tool: tool.name, input });
    setLast(played);
    if (played) onPlayed(played.episode);
  };
  const moves = movesOf(tool);
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
      {tool.description !== undefined && (
        <p class="muted small">
          <Text value={tool.description} most={300} />
        </p>
      )}
      {moves ? (
        <Moves moves={moves} onMove={(move) => void make(move.input)} />
      ) : (
        <CallForm key={tool.name} tool={tool} isBusy={play.isBusy} onCall={(input) => void make(input)} />
      )}
      {play.error !== undefined && <Problem error={play.error} />}
      {last && last.outcome !== "done" && (
        <div class="row" role="status">
          <Outcome value={last.outcome} />
          <Text value={last.message ?? "Nothing more was said"} most={600} />
        </div>
      )}
    </div>
  );
}

function Moves({
  moves,
  onMove,
}: {
  readonly moves: readonly Move[];
  readonly onMove: (move: Move) => void;
}): JSX.Element {
  return (
    <div class="moves" role="group" aria-label="Moves">
      {moves.map((move) => (
        <MoveButton key={move.title} move={move} onMove={() => onMove(move)} />
      ))}
    </div>
  );
}

function MoveButton({ move, onMove }: { readonly move: Move; readonly onMove: () => void }): JSX.Element {
  return (
    // Not taken away while a step is under way: the focus would be lost with it.
    <button type="button" class="button button-plain button-usual move" onClick={onMove}>
      <Text value={move.title} most={40} isFixed />
      {move.keys.map((key) => (
        <MoveKey key={key} title={move.title} keyName={key} onMove={onMove} />
      ))}
    </button>
  );
}

function MoveKey(props: {
  readonly title: string;
  readonly keyName: string;
  readonly onMove: () => void;
}): JSX.Element {
  useShortcut(props.keyName, `Play ${props.title.slice(0, 40)}`, props.onMove);
  return <kbd aria-hidden="true">{signs[props.keyName] ?? props.keyName}</kbd>;
}

const signs: Readonly<Record<string, string>> = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓" };

function CallForm(props: {
  readonly tool: ShownTool;
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
              <Text value={path === "" ? fault : `${path}: ${fault}`} most={200} />
            </li>
          ))}
        </ul>
      )}
      <div class="row">
        <Button type="submit" kind="main" icon="play" isBusy={isBusy}>
          Make the step
        </Button>
      </div>
    </form>
  );
}
