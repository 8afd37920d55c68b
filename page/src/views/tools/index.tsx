import type { JSX } from "preact";
import { place } from "../../router.ts";
import { ToolList } from "./tool-list.tsx";
import { ToolPage } from "./tool-page.tsx";
import "./style.css";

/** Every tool, and one of them to look at and to call: `#/tools/<server>/<tool>`. */
export default function Tools(): JSX.Element {
  const [server, name] = place.value.path;
  if (server === undefined || name === undefined) return <ToolList />;
  return <ToolPage key={`${server}/${name}`} server={server} name={name} />;
}
