import type { JSX } from "preact";
import { Button } from "../../components/button.tsx";
import { Search } from "../../components/field.tsx";

/** Finds a text in the transcript. Enter goes to the next turn that has it, Shift+Enter to the previous one. */
export function TranscriptSearch(props: {
  readonly value: string;
  readonly onInput: (text: string) => void;
  /** Positions of the turns that match. */
  readonly matches: readonly number[];
  readonly at: number;
  readonly onMove: (at: number) => void;
}): JSX.Element {
  const { value, onInput, matches, at, onMove } = props;
  const isSearching = value.trim() !== "";
  const current = matches.indexOf(at);
  const next = matches.find((position) => position > at) ?? matches[0];
  const previous = matches.findLast((position) => position < at) ?? matches.at(-1);
  const go = (position: number | undefined) => position !== undefined && onMove(position);
  return (
    <div
      class="row transcript-search"
      onKeyDown={(event) => {
        if (event.key === "Enter" && event.target instanceof HTMLInputElement) go(event.shiftKey ? previous : next);
      }}
    >
      {isSearching && (
        <>
          <span class="muted small num" role="status">
            {matches.length === 0 ? "no match" : `${current < 0 ? "" : `${current + 1} of `}${matches.length}`}
          </span>
          <Button
            kind="quiet"
            size="small"
            icon="up"
            label="Previous match"
            isDisabled={matches.length === 0}
            onClick={() => go(previous)}
          />
          <Button
            kind="quiet"
            size="small"
            icon="down"
            label="Next match"
            isDisabled={matches.length === 0}
            onClick={() => go(next)}
          />
        </>
      )}
      <Search label="Search transcript" value={value} onInput={onInput} />
    </div>
  );
}
