import type { AppToolResult } from "../../bridge/content.ts";
import { connectView } from "../../view/connect-view.ts";
import type { View } from "../../view/view.ts";
import { element } from "../page/element.ts";
import { resultText } from "../page/result-text.ts";

/** A board game, defined only by what its tool returns. */
export interface BoardGame<Seen> {
  readonly name: string;
  readonly title: string;
  /** The tool that makes a move, if the host does not name the tool of the page. */
  readonly tool: string;
  /** Reads the board from an observation. Undefined if there is none. */
  readonly read: (observation: unknown) => Seen | undefined;
  /** Draws the board and returns a status sentence. */
  readonly draw: (seen: Seen, before: Seen | undefined) => string;
  /** True if there is a move left. */
  readonly isOpen: (seen: Seen) => boolean;
  /** Describes the move that the model is about to make. */
  readonly announce: (input: Readonly<Record<string, unknown>>) => string | undefined;
  /** Describes the board to the model after the user moved. */
  readonly describe: (seen: Seen, input: Readonly<Record<string, unknown>>) => string;
}

export interface Play {
  /** Makes a move, unless one is pending or none is left. */
  move(input: Readonly<Record<string, unknown>>): Promise<void>;
}

/** Connects a board to the host: draws results, and calls the tool when the user moves. */
export function playBoard<Seen>(game: BoardGame<Seen>, board: HTMLElement): Play {
  document.title = game.title;
  document.documentElement.lang = "en";
  const status = element("p", {
    class: "status",
    attributes: { role: "status" },
    text: "Waiting for the first move …",
  });
  const heading = element("h1", { class: "hidden", text: game.title });
  document.body.append(element("main", {}, [heading, board, status]));

  let seen: Seen | undefined;
  let isFirst = true;
  let isBusy = true;
  const say = (text: string, isProblem = false) => {
    status.textContent = text;
    status.classList.toggle("problem", isProblem);
  };
  const setBusy = (busy: boolean) => {
    isBusy = busy;
    board.setAttribute("aria-busy", String(busy));
  };
  const show = (observation: unknown): boolean => {
    const next = game.read(observation);
    if (next === undefined) return false;
    const before = isFirst ? undefined : seen;
    seen = next;
    say(game.draw(next, before));
    return true;
  };
  const take = (result: AppToolResult) => {
    if (result.isError) say(resultText(result), true);
    else if (!show(result.structuredContent)) say("The result contains no board.", true);
    else isFirst = false;
    setBusy(false);
  };

  const view: View = connectView({
    name: game.name,
    title: game.title,
    version: "1.0.0",
    onPartialInput: (input) => say(game.announce(input) ?? "Thinking about a move …"),
    onInput: (input) => say(game.announce(input as Readonly<Record<string, unknown>>) ?? "Making a move …"),
    onResult: take,
    onCancelled: (reason) => {
      say(`The move was not made${reason ? `: ${reason}` : ""}.`, true);
      setBusy(false);
    },
  });
  view.ready.catch((error: Error) => say(error.message, true));
  void showInitialState(view, (observation) => {
    // A result that arrived first is newer than the initial state.
    if (!isBusy || seen !== undefined) return;
    const text = status.textContent;
    if (show(observation)) say(text);
  });

  return {
    async move(input) {
      if (isBusy || (seen !== undefined && !game.isOpen(seen))) return;
      setBusy(true);
      try {
        const result = await view.callTool(view.context.toolInfo?.tool.name ?? game.tool, input);
        take(result);
        // The game goes on if the host does not support model context.
        if (!result.isError && seen !== undefined)
          view.updateContext({ content: game.describe(seen, input) }).catch(() => undefined);
      } catch (error) {
        say((error as Error).message, true);
        setBusy(false);
      }
    },
  };
}

/** Shows the initial board until the first result. Hosts without resource access show nothing. */
async function showInitialState(view: View, show: (observation: unknown) => void): Promise<void> {
  try {
    const { contents } = await view.readResource("environment://initial_state");
    const [first] = contents;
    if (first && "text" in first) show(JSON.parse(first.text));
  } catch {
    view.log("debug", "The initial observation is not available");
  }
}
