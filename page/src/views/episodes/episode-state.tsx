import type { JSX } from "preact";
import type { EpisodeDetail } from "../../../../packages/biplane/src/admin/episodes/episode-api.ts";
import { Segmented } from "../../components/field.tsx";
import { Card } from "../../components/page.tsx";
import { pageLocation, setQuery } from "../../router.ts";
import { EpisodeApp, appToolOf } from "./episode-app.tsx";
import { ImageView } from "./image-view.tsx";
import { Screen } from "./screen.tsx";
import { ValueView } from "./value-view.tsx";

/** The state, rendered by the environment or by its app. */
export function StateCard({
  episode,
  onCall,
}: {
  readonly episode: EpisodeDetail;
  readonly onCall: () => void;
}): JSX.Element {
  const tool = appToolOf(episode);
  const isApp = tool !== undefined && pageLocation.value.query["as"] === "app";
  return (
    <Card
      title="State"
      actions={
        tool && (
          <Segmented
            label="State view"
            value={isApp ? "app" : ""}
            choices={[
              { value: "", title: "Rendered" },
              { value: "app", title: "App" },
            ]}
            onChange={(as) => setQuery({ as })}
          />
        )
      }
    >
      {isApp ? (
        <EpisodeApp key={tool.name} episode={episode} tool={tool} onCall={onCall} />
      ) : (
        <RenderedState episode={episode} />
      )}
    </Card>
  );
}

/** The environment's rendering, or the observation if there is none. */
function RenderedState({ episode: { rendered, observation } }: { readonly episode: EpisodeDetail }): JSX.Element {
  if (!rendered) return <ValueView value={observation} label="Observation" />;
  return rendered.kind === "text" ? (
    <Screen text={rendered.text} label="Rendered state" isLarge />
  ) : (
    <ImageView address={`data:${rendered.mimeType};base64,${rendered.data}`} label="Rendered state" />
  );
}
