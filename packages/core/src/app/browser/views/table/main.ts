import "../page/theme.css";
import "./table.css";
import type { AppToolResult } from "../../bridge/content.ts";
import { connectView } from "../../view/connect-view.ts";
import { element } from "../page/element.ts";
import { resultText } from "../page/result-text.ts";
import { readTable } from "./read-table.ts";
import { showTable } from "./show-table.ts";

document.title = "Table";
const note = element("p", { class: "note", attributes: { role: "status" }, text: "Waiting for the rows …" });
const main = element("main", {}, [note]);
document.body.append(main);

const view = connectView({
  name: "table",
  title: "Table",
  version: "1.0.0",
  onResult: show,
  onCancelled: (reason) => say(`There are no rows because the call was cancelled${reason ? `: ${reason}` : ""}.`, true),
});
view.ready.catch((error: Error) => say(error.message, true));

function show(result: AppToolResult): void {
  if (result.isError) return say(resultText(result), true);
  const table = readTable(result.structuredContent) ?? readTable(inText(result));
  if (!table) return say("The result contains no rows.", true);
  main.replaceChildren(showTable(table, { updateModel }));
}

function updateModel(content: string): void {
  // Hosts may not support model context; the table works without it.
  view.updateContext({ content }).catch(() => undefined);
}

function say(text: string, isProblem: boolean): void {
  note.textContent = text;
  note.classList.toggle("problem", isProblem);
  main.replaceChildren(note);
}

/** Some servers return their rows only as text. */
function inText({ content: [first] }: AppToolResult): unknown {
  try {
    return first?.type === "text" ? JSON.parse(first.text) : undefined;
  } catch {
    return undefined;
  }
}
