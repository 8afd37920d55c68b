import "../page/theme.css";
import "../board/board.css";
import "./lunar-lander.css";
import { playBoard } from "../board/play-board.ts";
import { element } from "../page/element.ts";
import { paintFlight } from "./paint-flight.ts";
import { describeFlight, inputFor, readFlight } from "./flight.ts";
import type { LanderAction, LanderView } from "./flight.ts";

const canvas = element("canvas", { attributes: { role: "img", "aria-label": "The craft over the ground" } });
canvas.width = 600;
canvas.height = 400;
const pad = element("div", { class: "pad", attributes: { role: "group", "aria-label": "Engines" } }, [
  button("FIRE_LEFT", "← Left engine"),
  button("FIRE_MAIN", "↑ Main engine"),
  button("FIRE_RIGHT", "Right engine →"),
  button("NOTHING", "↓ None"),
]);
let last: LanderView | undefined;

const play = playBoard<LanderView>(
  {
    name: "lunar-lander",
    title: "Lunar lander",
    tool: "lander_action",
    read: readFlight,
    draw: (view) => {
      last = view;
      paintFlight(canvas, view);
      return describeFlight(view);
    },
    isOpen: () => true,
    announce: ({ action }) => (typeof action === "string" ? `${action} …` : undefined),
    describe: (view, { action }) =>
      `On the lunar lander page the user fired ${JSON.stringify(action)}. ${describeFlight(view)}`,
  },
  element("div", { class: "board" }, [canvas, pad]),
);

const keys: Readonly<Record<string, LanderAction>> = {
  ArrowLeft: "FIRE_LEFT",
  ArrowUp: "FIRE_MAIN",
  ArrowRight: "FIRE_RIGHT",
  ArrowDown: "NOTHING",
};

document.addEventListener("keydown", (event) => {
  const action = keys[event.key];
  if (!action || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  void play.move({ action: inputFor(action, last) });
});

function button(action: LanderAction, text: string): HTMLElement {
  return element("button", {
    text,
    attributes: { type: "button" },
    on: { click: () => void play.move({ action: inputFor(action, last) }) },
  });
}
