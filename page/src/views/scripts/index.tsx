import type { JSX } from "preact";
import { pageLocation } from "../../router.ts";
import { OpenedScript } from "./opened-script.tsx";
import { ScriptList } from "./script-list.tsx";
import "./style.css";

/** Scripts that agents can run after approval. */
export default function Scripts(): JSX.Element {
  const [name] = pageLocation.value.path;
  return name === undefined ? <ScriptList /> : <OpenedScript key={name} name={name} />;
}
