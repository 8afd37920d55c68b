import type { JSX } from "preact";
import type { EpisodeDetail } from "../../../../packages/biplane/src/admin/episodes/episode-api.ts";
import { isRecord } from "../../../../packages/core/src/is-record.ts";
import { Segmented } from "../../components/field.tsx";
import { Card } from "../../components/page.tsx";
import { pageLocation, setQuery } from "../../router.ts";
import { chatIn } from "./chat.tsx";
import { EpisodeApp, appToolOf } from "./episode-app.tsx";
import { ImageView } from "./image-view.tsx";
import { Screen } from "./screen.tsx";
import { ValueView, isProse } from "./value-view.tsx";

/** The state: as the environment renders it, as the agent observes it, or in its app. */
export function StateCard({
  episode,
  onCall,
}: {
  readonly episode: EpisodeDetail;
  readonly onCall: () => void;
}): JSX.Element {
  const tool = appToolOf(episode);
  const views = [
    ...(episode.rendered ? [{ value: "rendered", title: "Rendered" }] : []),
    { value: "observation", title: "Observation" },
    ...(tool ? [{ value: "app", title: "App" }] : []),
  ];
  const first = isConversation(episode) ? "observation" : (views[0]?.value ?? "observation");
  const { as = first } = pageLocation.value.query;
  const view = views.some(({ value }) => value === as) ? as : first;
  return (
    <Card
      title={views.length > 1 ? "State" : "Observation"}
      actions={
        views.length > 1 && (
          <Segmented
            label="State view"
            value={view}
            choices={views}
            onChange={(chosen) => setQuery({ as: chosen === first ? undefined : chosen })}
          />
        )
      }
    >
      {view === "app" && tool ? (
        <EpisodeApp key={tool.name} episode={episode} tool={tool} onCall={onCall} />
      ) : view === "rendered" ? (
        <RenderedState rendered={episode.rendered} />
      ) : (
        <ValueView value={episode.observation} label="Observation" />
      )}
    </Card>
  );
}

/** True if the observation has a conversation, and the rendering only repeats it as text. */
function isConversation({ rendered, observation }: EpisodeDetail): boolean {
  if (rendered?.kind !== "text" || !isProse(rendered.text) || !isRecord(observation)) return false;
  return Object.values(observation).some((value) => Array.isArray(value) && chatIn(value) !== undefined);
}

function RenderedState({ rendered }: Pick<EpisodeDetail, "rendered">): JSX.Element {
  if (!rendered) return <p class="muted">Nothing is rendered.</p>;
  return rendered.kind === "text" ? (
    <Screen text={rendered.text} label="Rendered state" isLarge />
  ) : (
    <ImageView address={`data:${rendered.mimeType};base64,${rendered.data}`} label="Rendered state" />
  );
}
