import type { ToolResult } from "../../bridge/content.ts";
import { connectView } from "../../view/connect-view.ts";
import type { View } from "../../view/view.ts";
import { element } from "../page/element.ts";
import { resultText } from "../page/result-text.ts";

/** A game on a board, as its page sees it: by what the tool answers, and by nothing else. */
export interface BoardGame<Seen> {
  readonly name: string;
  readonly title: string;
  /** The tool that makes a move, unless the host says for which one the page is shown. */
  readonly tool: string;
  /** What an answer shows of the board; undefined where it is no such answer. */
  readonly read: (observation: unknown) => Seen | undefined;
  /** Draws the board, and says in a sentence what there is to see. */
  readonly draw: (seen: Seen, before: Seen | undefined) => string;
  /** Whether there is a move left, as far as it can be seen. */
  readonly isOpen: (seen: Seen) => boolean;
  /** A move that a model is about to make, in words. */
  readonly announce: (input: Readonly<Record<string, unknown>>) => string | undefined;
  /** What the model is told when a person has moved. */
  readonly describe: (seen: Seen, input: Readonly<Record<string, unknown>>) => string;
}

/** The board's conversation with the host. */
export interface Play {
  /** Makes a move, unless another is on its way or there is none left. */
  move(input: Readonly<Record<string, unknown>>): Promise<void>;
}

/** Connects a board: draws what the tool answered, and calls it again when a person moves. */
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
  let isBeginning = true;
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
    const before = isBeginning ? undefined : seen;
    seen = next;
    say(game.draw(next, before));
    return true;
  };
  const take = (result: ToolResult) => {
    if (result.isError) say(resultText(result), true);
    else if (!show(result.structuredContent)) say("The answer shows no board.", true);
    else isBeginning = false;
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
  void showBeginning(view, (observation) => {
    // Once there is an answer, whatever it is, the beginning is no longer what it looks like.
    if (!isBusy || seen !== undefined) return;
    const said = status.textContent;
    if (show(observation)) say(said);
  });

  return {
    async move(input) {
      if (isBusy || (seen !== undefined && !game.isOpen(seen))) return;
      setBusy(true);
      try {
        const result = await view.callTool(view.context.toolInfo?.tool.name ?? game.tool, input);
        take(result);
        // A host that keeps no context for the model is no reason to stop the game.
        if (!result.isError && seen !== undefined)
          view.updateContext({ content: game.describe(seen, input) }).catch(() => undefined);
      } catch (error) {
        say((error as Error).message, true);
        setBusy(false);
      }
    },
  };
}

/** Until there is an answer, the board as the episode began; hosts that read no resources show nothing for that moment. */
async function showBeginning(view: View, show: (observation: unknown) => void): Promise<void> {
  try {
    const { contents } = await view.readResource("environment://initial_state");
    const [first] = contents;
    if (first && "text" in first) show(JSON.parse(first.text));
  } catch {
    view.log("debug", "There is no first observation to be read");
  }
}
