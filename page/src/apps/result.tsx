import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { ShownResult } from "../../../src/desk/contract.ts";
import { Segmented } from "../components/field.tsx";
import { Json } from "../components/json.tsx";
import { AppFrame } from "./app-frame.tsx";
import type { AppFrameProps } from "./app-frame.tsx";
import { Blocks } from "./blocks.tsx";
import { RowsTable, rowsIn } from "./structured.tsx";
import "./style.css";

type Look = "app" | "table" | "tree" | "content";

/** A result, looked at as its app, as a table, as a tree, or as the content that a model gets. */
export function Result(props: {
  readonly result: ShownResult;
  readonly server: string;
  readonly episode?: string | undefined;
  /** Where the tool has an app, what it needs. */
  readonly app?: Omit<AppFrameProps, "server" | "result" | "episode"> | undefined;
}): JSX.Element {
  const { result, server, episode, app } = props;
  const structured = result.structuredContent;
  const rows = useMemo(() => rowsIn(structured), [structured]);
  const looks: readonly { readonly value: Look; readonly title: string }[] = [
    ...(app && result.isError !== true ? [{ value: "app", title: "App" } as const] : []),
    ...(rows ? [{ value: "table", title: "Table" } as const] : []),
    ...(structured !== undefined ? [{ value: "tree", title: "Tree" } as const] : []),
    { value: "content", title: "Content" },
  ];
  const [chosen, setChosen] = useState<Look>();
  const look = looks.find(({ value }) => value === chosen)?.value ?? usual(result, looks);
  return (
    <div class="stack-tight result">
      {looks.length > 1 && (
        <div>
          <Segmented label="How to look at the result" value={look} choices={looks} onChange={setChosen} />
        </div>
      )}
      {look === "app" && app && <AppFrame {...app} server={server} episode={episode} result={result} />}
      {look === "table" && rows && <RowsTable rows={rows} />}
      {look === "tree" && <Json value={structured} depth={3} copyLabel="Copy it as JSON" />}
      {look === "content" && (
        <div class={result.isError === true ? "result-error" : undefined}>
          <Blocks blocks={result.content} server={server} episode={episode} />
        </div>
      )}
    </div>
  );
}

/** Pictures and links are in the content only; else what is nearest to the thing itself. */
function usual({ content }: ShownResult, looks: readonly { readonly value: Look }[]): Look {
  const first = looks[0]?.value ?? "content";
  return first !== "app" && content.some(({ type }) => type !== "text") ? "content" : first;
}
