import type { JSX } from "preact";
import { pageLocation } from "../../router.ts";
import { ToolList } from "./tool-list.tsx";
import { ToolPage } from "./tool-page.tsx";
import "./style.css";

/** The list of tools, or one tool: `#/tools/<server>/<tool>`. */
export default function Tools(): JSX.Element {
  const [server, name] = pageLocation.value.path;
  if (server === undefined || name === undefined) return <ToolList />;
  return <ToolPage key={`${server}/${name}`} server={server} name={name} />;
}
