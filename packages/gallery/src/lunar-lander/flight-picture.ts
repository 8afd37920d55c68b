import { apply } from "./physics/vector.ts";
import { shapes } from "./build-world.ts";
import type { Flight } from "./lander.ts";
import { height, padHeight, width } from "./terrain.ts";

/** The flight as text: ground `#`, flags `F` at the ends of the pad, the craft `O` with its legs `/` and `\`. */
export function flightPicture(flight: Flight): string {
  const cells = Array.from({ length: rows }, (_, row) => {
    const y = ((rows - row - 0.5) / rows) * height;
    return Array.from({ length: columns }, (_, column): string => {
      const x = ((column + 0.5) / columns) * width;
      return y <= groundAt(flight.terrain, x) ? "#" : " ";
    });
  });
  const put = (x: number, y: number, mark: string) => {
    const row = rows - 1 - Math.floor((y / height) * rows);
    const line = cells[row];
    const column = Math.floor((x / width) * columns);
    if (line && column >= 0 && column < columns) line[column] = mark;
  };
  for (const x of [8, 12]) put(x, padHeight + height / rows, "F");
  for (const [index, body] of flight.world.bodies.entries()) {
    const { vertices } = index === 0 ? shapes.hull : shapes.leg;
    for (const vertex of vertices) {
      const { x, y } = apply(body.transform, vertex);
      put(x, y, index === 0 ? "O" : index === 1 ? "\\" : "/");
    }
  }
  const lines = cells.map((line) => line.join("").trimEnd());
  return `${lines.join("\n")}\n${describe(flight)}\n`;
}

const rows = 20;
const columns = 60;

function groundAt(terrain: readonly number[], x: number): number {
  const index = Math.min(Math.floor(x / 2), terrain.length - 2);
  const [left = 0, right = 0] = [terrain[index], terrain[index + 1]];
  return left + ((right - left) * (x - 2 * index)) / 2;
}

function describe({ hasLanded, hasFailed, world }: Flight): string {
  if (hasLanded) return "Landed.";
  const [lander] = world.bodies;
  if (hasFailed) return lander?.hasTouchedGround ? "Crashed." : "Left the area.";
  return `Height ${((lander?.transform.y ?? 0) - padHeight).toFixed(1)}, speed ${Math.hypot(lander?.vx ?? 0, lander?.vy ?? 0).toFixed(1)}`;
}
