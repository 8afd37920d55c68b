import "../page/theme.css";
import "../board/board.css";
import "./connect-four.css";
import { playBoard } from "../board/play-board.ts";
import { element, setAttributes } from "../page/element.ts";
import { isGameOpen, letters, winningCells, nextSide, readGame, sideNames, describeGame } from "./game.ts";
import type { ConnectFourGame } from "./game.ts";

const columns = Array.from({ length: 7 }, (_, column) => columnButton(column));
const board = element("div", { class: "board" }, [
  element("div", { class: "four", attributes: { role: "group", "aria-label": "The board" } }, columns),
]);

const play = playBoard<ConnectFourGame>(
  {
    name: "connect-four",
    title: "Connect four",
    tool: "piece_drop",
    read: readGame,
    draw,
    isOpen: isGameOpen,
    announce: ({ column }) => (typeof column === "number" ? `Dropping into column ${column + 1} …` : undefined),
    describe: (game, { column }) =>
      `On the connect four page the user dropped a piece into column ${Number(column)}, counted from 0. From the top the rows are now ${letters(game)}. ${describeGame(game)}`,
  },
  board,
);

document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  if (/^[1-7]$/.test(event.key)) drop(Number(event.key) - 1);
  const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
  if (step === 0) return;
  event.preventDefault();
  const at = columns.indexOf(document.activeElement as HTMLButtonElement);
  columns[at < 0 ? 3 : (at + step + columns.length) % columns.length]?.focus();
});

function columnButton(column: number): HTMLButtonElement {
  const cells = Array.from({ length: 6 }, () => element("span", { class: "cell" }));
  const number = element("span", { class: "number", text: String(column + 1) });
  const on = { click: () => drop(column) };
  return element("button", { class: "column", attributes: { type: "button" }, on }, [...cells, number]);
}

/** Ignores full columns: an illegal move would end the game. */
function drop(column: number): void {
  if (columns[column]?.getAttribute("aria-disabled") !== "true") void play.move({ column });
}

function draw(game: ConnectFourGame, before: ConnectFourGame | undefined): string {
  const four = winningCells(game);
  const open = isGameOpen(game);
  board.dataset["next"] = open ? sideNames[nextSide(game)]?.toLowerCase() : "none";
  for (const [column, button] of columns.entries()) {
    const pieces: string[] = [];
    for (const [row, cell] of [...button.querySelectorAll(".cell")].entries()) {
      const side = game.board[row]?.[column] ?? 0;
      const isNew = before !== undefined && side !== 0 && before.board[row]?.[column] === 0;
      const name = sideNames[side]?.toLowerCase();
      cell.className = `cell${name ? ` ${name}` : ""}${isNew ? " new" : ""}${four.has(`${row},${column}`) ? " winning" : ""}`;
      (cell as HTMLElement).style.setProperty("--fall", String(row + 1));
      if (name) pieces.unshift(name);
    }
    const isFull = !game.legal.includes(column);
    setAttributes(button, {
      "aria-disabled": String(!open || isFull),
      "aria-label": `Column ${column + 1}: ${pieces.join(", ") || "empty"}${isFull ? ", full" : ""}`,
    });
  }
  return describeGame(game);
}
