import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { EpisodeSummary } from "../../../../packages/biplane/src/admin/episodes/episode-api.ts";
import type { ToolSummary } from "../../../../packages/biplane/src/admin/overview/overview-api.ts";
import { Button } from "../../components/button.tsx";
import { Card } from "../../components/page.tsx";
import { SchemaForm, schemaFaults } from "../../components/schema-form/schema-form.tsx";
import { Problem } from "../../components/states.tsx";
import { Text } from "../../components/text.tsx";
import type { PagedList } from "../../paged-list.ts";
import { serverOverview } from "../../server-overview.ts";
import { person } from "../../session.ts";
import { useShortcut } from "../../shortcuts.ts";
import { EpisodeChoice, isSeed } from "./episode-choice.tsx";
import type { CallForm } from "./use-call.ts";
import { ViaChooser } from "./via.tsx";

/** Whether a call is real, and as whom it is made. */
function Caution({ tool: { server, annotations } }: { readonly tool: ToolSummary }): JSX.Element {
  const me = person.value;
  return (
    <p class={annotations.readOnlyHint === true ? "tools-caution" : "tools-caution tone-warn"}>
      Runs for real on{" "}
      <b>
        <Text value={server} maxLength={80} isFixed />
      </b>
      {typeof me !== "string" && (
        <>
          , as{" "}
          <b>
            <Text value={me.name} maxLength={60} isFixed />
          </b>
        </>
      )}
      . Policies apply.
      {serverOverview.value?.mode === "simulation" && " Simulation mode only adds the endpoints of trainers."}
    </p>
  );
}

/** The form for a call: input, episode and transports. */
export function CallCard(props: {
  readonly tool: ToolSummary;
  readonly form: CallForm;
  readonly episodes: PagedList<EpisodeSummary>;
}): JSX.Element {
  const { tool, form, episodes } = props;
  const { input, via, episode, seed, change, call } = form;
  const [isTried, setTried] = useState(false);
  const isRight = useMemo(() => Object.keys(schemaFaults(input, tool.input)).length === 0, [input, tool.input]);
  const submit = () => {
    if (!isSeed(seed) || call.isBusy) return;
    // A second submit sends an invalid input anyway, to show the error of the server.
    if (!isRight && !isTried) return setTried(true);
    setTried(!isRight);
    void call.run(undefined).then(() => tool.needsEpisode && episodes.reload());
  };
  useShortcut("mod+enter", "Call the tool", submit);
  return (
    <Card title="Call this tool" class="tools-call">
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
        {!tool.needsEpisode && <Caution tool={tool} />}
        <ViaChooser tool={tool} via={via} onChange={(value) => change({ via: value })} />
        {call.error !== undefined && <Problem error={call.error} />}
        <div class="row">
          <Button kind="main" type="submit" icon="play" isBusy={call.isBusy}>
            {isTried && !isRight ? "Call anyway" : via.length > 1 ? `Call via ${via.length} transports` : "Call"}
          </Button>
          <span class="muted small tools-keys">
            <kbd>Ctrl</kbd> <kbd>↵</kbd>
          </span>
        </div>
      </form>
    </Card>
  );
}
