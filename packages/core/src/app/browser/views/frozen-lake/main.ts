import "../page/theme.css";
import "../board/board.css";
import "./frozen-lake.css";
import { playBoard } from "../board/play-board.ts";
import { element, setAttributes } from "../page/element.ts";
import { picture } from "./pictures.ts";
import { columnsOf, isLakeOpen, moveIn, moveTo, readLake, describeLake, tileAt } from "./lake.ts";
import type { Lake, LakeMove } from "./lake.ts";

const grid = element("div", { class: "lake", attributes: { role: "group", "aria-label": "The lake" } });
const pad = element("div", { class: "pad", attributes: { role: "group", "aria-label": "Moves" } }, [
  button("LEFT", "←"),
  button("UP", "↑"),
  button("DOWN", "↓"),
  button("RIGHT", "→"),
]);
const board = element("div", { class: "board" }, [grid, pad]);
let cells: readonly HTMLElement[] = [];
let builtColumns = 0;

const play = playBoard<Lake>(
  {
    name: "frozen-lake",
    title: "Frozen lake",
    tool: "lake_move",
    read: readLake,
    draw,
    isOpen: isLakeOpen,
    announce: ({ action }) => (moveIn(action) ? `Moving ${String(action).toLowerCase()} …` : undefined),
    describe: ({ rows, position }, { action }) =>
      `On the frozen lake page the user moved ${String(action)}. The lake is ${rows.join("/")}, and the player is at position ${position}.`,
  },
  board,
);

document.addEventListener("keydown", (event) => {
  const move = moveIn(event.key.replace("Arrow", "").toUpperCase());
  if (!event.key.startsWith("Arrow") || !move || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  void play.move({ action: move });
});

function button(move: LakeMove, arrow: string): HTMLElement {
  return element("button", {
    text: arrow,
    attributes: { type: "button", "aria-label": `Move ${move.toLowerCase()}`, "data-move": move },
    on: { click: () => void play.move({ action: move }) },
  });
}

function draw(lake: Lake, before: Lake | undefined): string {
  const columns = columnsOf(lake);
  if (cells.length !== lake.rows.length * columns || columns !== builtColumns) build(lake.rows.length, columns);
  const open = isLakeOpen(lake);
  for (const [at, cell] of cells.entries()) {
    const move = open ? moveTo(lake, at) : undefined;
    const isPlayer = at === lake.position;
    const tile = tileAt(lake, at);
    cell.className = `tile ${tileClass[tile] ?? ""}${isPlayer ? " player" : ""}${move ? " near" : ""}`;
    const name = `${tileName[tile] ?? "ice"}${isPlayer ? ", you are here" : ""}`;
    setAttributes(cell, { "aria-label": name, "data-move": move });
    cell.replaceChildren(...picture(tile, isPlayer));
  }
  for (const child of pad.children) child.setAttribute("aria-disabled", String(!open));
  return describeLake(lake, before);
}

const tileName: Readonly<Record<string, string>> = { S: "start", F: "ice", H: "hole", G: "goal" };
const tileClass: Readonly<Record<string, string>> = { S: "start", F: "ice", H: "hole", G: "goal" };

function build(rows: number, columns: number): void {
  builtColumns = columns;
  grid.style.setProperty("--columns", String(columns));
  cells = Array.from({ length: rows * columns }, () =>
    element("div", {
      attributes: { role: "img" },
      on: {
        click: (event) => {
          const move = moveIn((event.currentTarget as HTMLElement).dataset["move"]);
          if (move) void play.move({ action: move });
        },
      },
    }),
  );
  grid.replaceChildren(...cells);
}
