import type { LanderView, Point } from "./flight.ts";

/** Draws the sky, the ground, the pad and the craft. */
export function paintFlight(canvas: HTMLCanvasElement, view: LanderView): void {
  const context = canvas.getContext("2d");
  if (!context) return;
  // A canvas does not know light-dark(), but the color of an element is resolved.
  const color = (name: string) => {
    canvas.style.color = `var(--${name})`;
    return getComputedStyle(canvas).color;
  };
  const { width, height } = canvas;
  const at = ({ x, y }: Point) => [((x + 1) / 2) * width, height - ((y + groundLevel) / span) * height] as const;
  context.fillStyle = color("sky");
  context.fillRect(0, 0, width, height);
  fill(context, [...view.terrain.map(at), [width, height], [0, height]], color("ground"));
  for (const x of [-0.2, 0.2]) {
    const [flagX, flagY] = at({ x, y: padLevel });
    fill(
      context,
      [
        [flagX, flagY - 50],
        [flagX + 24, flagY - 42],
        [flagX, flagY - 34],
      ],
      color("flag"),
    );
    fill(
      context,
      [
        [flagX - 1, flagY],
        [flagX - 1, flagY - 50],
        [flagX + 1, flagY - 50],
        [flagX + 1, flagY],
      ],
      color("craft-edge"),
    );
  }
  drawCraft(context, { view, at: at(view.position), color });
}

/** Heights of gymnasium's view in the units of observations: its bottom, its top, and the pad. */
const padLevel = -0.6 / (20 / 3);
const groundLevel = 0.5 - padLevel;
const span = 2;

type Corner = readonly [x: number, y: number];

function fill(context: CanvasRenderingContext2D, corners: readonly Corner[], color: string): void {
  context.beginPath();
  for (const [x, y] of corners) context.lineTo(x, y);
  context.closePath();
  context.fillStyle = color;
  context.fill();
}

interface Craft {
  readonly view: LanderView;
  readonly at: Corner;
  readonly color: (name: string) => string;
}

/** In the pixels of gymnasium's view, 600 by 400. */
function drawCraft(context: CanvasRenderingContext2D, { view, at, color }: Craft): void {
  context.save();
  context.translate(...at);
  context.rotate(-view.angle);
  for (const side of [-1, 1] as const) {
    fill(
      context,
      leg.map(([x, y]) => [side * x, -y] as const),
      color("craft-edge"),
    );
  }
  for (const flame of flamesOf(view.action)) fill(context, flame, color("flame"));
  fill(
    context,
    hull.map(([x, y]) => [x, -y] as const),
    color("craft"),
  );
  context.restore();
}

const hull: readonly Corner[] = [
  [-14, 17],
  [-17, 0],
  [-17, -10],
  [17, -10],
  [17, 0],
  [14, 17],
];
const leg: readonly Corner[] = [
  [16, -4],
  [24, -24],
  [28, -22],
  [19, -2],
];

function flamesOf(action: unknown): readonly (readonly Corner[])[] {
  const [main, side] = Array.isArray(action) ? action.map(Number) : [Number(action === "FIRE_MAIN"), sideOf(action)];
  const flames: Corner[][] = [];
  if ((main ?? 0) > 0)
    flames.push([
      [-6, 10],
      [6, 10],
      [0, 34],
    ]);
  if (Math.abs(side ?? 0) > 0.5) {
    const x = (side ?? 0) < 0 ? -1 : 1;
    flames.push([
      [x * 16, -14],
      [x * 16, -6],
      [x * 32, -10],
    ]);
  }
  return flames;
}

function sideOf(action: unknown): number {
  return action === "FIRE_LEFT" ? -1 : action === "FIRE_RIGHT" ? 1 : 0;
}
