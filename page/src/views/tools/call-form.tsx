import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { ShownEpisode, ShownTool } from "../../../../src/desk/contract.ts";
import { Button } from "../../components/button.tsx";
import { Card } from "../../components/page.tsx";
import { SchemaForm, schemaFaults } from "../../components/schema-form/schema-form.tsx";
import { Problem } from "../../components/states.tsx";
import type { Pages } from "../../pages.ts";
import { useShortcut } from "../../shortcuts.ts";
import { EpisodeChoice, isSeed } from "./episode-choice.tsx";
import type { CallForm } from "./use-call.ts";
import { WayChooser } from "./ways.tsx";

/** The input, the episode, the way, and the button. */
export function CallCard(props: {
  readonly tool: ShownTool;
  readonly form: CallForm;
  readonly episodes: Pages<ShownEpisode>;
}): JSX.Element {
  const { tool, form, episodes } = props;
  const { input, ways, episode, seed, change, call } = form;
  const [isTried, setTried] = useState(false);
  const isRight = useMemo(() => Object.keys(schemaFaults(input, tool.input)).length === 0, [input, tool.input]);
  const submit = () => {
    if (!isSeed(seed) || call.isBusy) return;
    // Whoever presses a second time wants to see what the server says to it.
    if (!isRight && !isTried) return setTried(true);
    setTried(!isRight);
    void call.run(undefined).then(() => tool.needsEpisode && episodes.reload());
  };
  useShortcut("mod+enter", "Call the tool", submit);
  return (
    <Card title="Call it">
      <form
        noValidate
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        {tool.needsEpisode && (
          <EpisodeChoice
            list={episodes}
            episode={episode}
            seed={seed}
            onEpisode={(value) => change({ episode: value })}
            onSeed={(value) => change({ seed: value })}
          />
        )}
        <SchemaForm
          schema={tool.input}
          value={input}
          areFaultsShown={isTried}
          onChange={(value) => change({ input: value })}
        />
        <WayChooser tool={tool} ways={ways} onChange={(value) => change({ ways: value })} />
        {call.error !== undefined && <Problem error={call.error} />}
        <div class="row">
          <Button kind="main" type="submit" icon="play" isBusy={call.isBusy}>
            {isTried && !isRight ? "Call anyway" : ways.length > 1 ? `Call by ${ways.length} ways` : "Call"}
          </Button>
          <span class="muted small tools-keys">
            <kbd>Ctrl</kbd> <kbd>↵</kbd>
          </span>
        </div>
      </form>
    </Card>
  );
}
