import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { ResultBody } from "../../../packages/biplane/src/admin/calls/call-api.ts";
import { Segmented } from "../components/field.tsx";
import { Json } from "../components/json.tsx";
import { AppFrame } from "./app-frame.tsx";
import type { AppFrameProps } from "./app-frame.tsx";
import { Blocks } from "./blocks.tsx";
import { RowsTable, rowsIn } from "./structured.tsx";
import "./style.css";

type ResultView = "app" | "table" | "tree" | "content";

/** Shows a result as its app, a table, a JSON tree, or the content that a model receives. */
export function Result(props: {
  readonly result: ResultBody;
  readonly server: string;
  readonly episode?: string | undefined;
  /** Set if the tool has an app. */
  readonly app?: Omit<AppFrameProps, "server" | "result" | "episode"> | undefined;
}): JSX.Element {
  const { result, server, episode, app } = props;
  const structured = result.structuredContent;
  const rows = useMemo(() => rowsIn(structured), [structured]);
  const views: readonly { readonly value: ResultView; readonly title: string }[] = [
    ...(app && result.isError !== true ? [{ value: "app", title: "App" } as const] : []),
    ...(rows ? [{ value: "table", title: "Table" } as const] : []),
    ...(structured !== undefined ? [{ value: "tree", title: "Tree" } as const] : []),
    { value: "content", title: "Content" },
  ];
  const [chosen, setChosen] = useState<ResultView>();
  const view = views.find(({ value }) => value === chosen)?.value ?? defaultView(result, views);
  return (
    <div class="stack-tight result">
      {views.length > 1 && (
        <div>
          <Segmented label="Result view" value={view} choices={views} onChange={setChosen} />
        </div>
      )}
      {view === "app" && app && <AppFrame {...app} server={server} episode={episode} result={result} />}
      {view === "table" && rows && <RowsTable rows={rows} />}
      {view === "tree" && <Json value={structured} depth={3} copyLabel="Copy as JSON" />}
      {view === "content" && (
        <div class={result.isError === true ? "result-error" : undefined}>
          <Blocks blocks={result.content} server={server} episode={episode} />
        </div>
      )}
    </div>
  );
}

/** Images and links exist only in the content. Otherwise the first view is the most specific. */
function defaultView({ content }: ResultBody, views: readonly { readonly value: ResultView }[]): ResultView {
  const first = views[0]?.value ?? "content";
  return first !== "app" && content.some(({ type }) => type !== "text") ? "content" : first;
}
