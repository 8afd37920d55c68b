import type { JSX } from "preact";
import { place } from "../../router.ts";
import { EpisodeList } from "./episode-list.tsx";
import { EpisodePage } from "./episode-page.tsx";
import "./seen.css";
import "./style.css";

/** Everything that is being played, and one of it opened. */
export default function Episodes(): JSX.Element {
  const [id] = place.value.path;
  return id === undefined ? <EpisodeList /> : <EpisodePage key={id} id={id} />;
}
