import type { JSX } from "preact";
import { pageLocation } from "../../router.ts";
import { EpisodeList } from "./episode-list.tsx";
import { EpisodePage } from "./episode-page.tsx";
import "./value-view.css";
import "./style.css";

/** The list of episodes, or one episode. */
export default function Episodes(): JSX.Element {
  const [id] = pageLocation.value.path;
  return id === undefined ? <EpisodeList /> : <EpisodePage key={id} id={id} />;
}
