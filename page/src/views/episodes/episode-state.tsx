import type { JSX } from "preact";
import type { OpenedEpisode } from "../../../../src/desk/contract.ts";
import { Segmented } from "../../components/field.tsx";
import { Card } from "../../components/page.tsx";
import { place, setQuery } from "../../router.ts";
import { EpisodeApp, appToolOf } from "./episode-app.tsx";
import { Picture } from "./picture.tsx";
import { Screen } from "./screen.tsx";
import { Seen } from "./seen.tsx";

/** The state as the environment draws it, or in its app. */
export function StateCard({
  episode,
  onCall,
}: {
  readonly episode: OpenedEpisode;
  readonly onCall: () => void;
}): JSX.Element {
  const tool = appToolOf(episode);
  const isApp = tool !== undefined && place.value.query["as"] === "app";
  return (
    <Card
      title="State"
      actions={
        tool && (
          <Segmented
            label="How to show the state"
            value={isApp ? "app" : ""}
            choices={[
              { value: "", title: "Drawn" },
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
        <Drawn episode={episode} />
      )}
    </Card>
  );
}

/** What the environment draws for people, as large as it goes; else what the agent sees. */
function Drawn({ episode: { rendered, observation } }: { readonly episode: OpenedEpisode }): JSX.Element {
  if (!rendered) return <Seen value={observation} label="Observation" />;
  return rendered.kind === "text" ? (
    <Screen text={rendered.text} label="The state as the environment draws it" isLarge />
  ) : (
    <Picture
      address={`data:${rendered.mimeType};base64,${rendered.data}`}
      label="The state as the environment draws it"
    />
  );
}
