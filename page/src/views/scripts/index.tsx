import type { JSX } from "preact";
import { place } from "../../router.ts";
import { OpenedScript } from "./opened-script.tsx";
import { ScriptList } from "./script-list.tsx";
import "./style.css";

/** Scripts that agents may run once a person has read them. */
export default function Scripts(): JSX.Element {
  const [name] = place.value.path;
  return name === undefined ? <ScriptList /> : <OpenedScript key={name} name={name} />;
}
