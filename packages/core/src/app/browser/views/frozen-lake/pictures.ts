import { svgElement } from "../page/element.ts";

/** The picture of a tile, with the player if it is there. */
export function picture(tile: string, isPlayer: boolean): readonly Node[] {
  const parts = [...(things[tile]?.() ?? []), ...(isPlayer ? walker(tile === "H") : [])];
  if (parts.length === 0) return [];
  return [svgElement("svg", { attributes: { viewBox: "0 0 40 40", "aria-hidden": "true" } }, parts)];
}

const things: Readonly<Record<string, () => readonly Node[]>> = {
  F: () => [path("M9 27l6-6M13 31l4-4", "scratch"), path("M27 12l4-4", "scratch")],
  S: () => [svgElement("circle", { class: "mark", attributes: { cx: 20, cy: 20, r: 12 } })],
  G: () => [path("M14 33V8", "pole"), path("M14 9l14 5-14 6z", "flag")],
  H: () => [
    svgElement("ellipse", { class: "water", attributes: { cx: 20, cy: 21, rx: 15, ry: 12 } }),
    path("M12 20c3-2 5-2 8 0s5 2 8 0M14 26c2-2 4-2 6 0s4 2 6 0", "wave"),
  ],
};

function walker(isInWater: boolean): readonly Node[] {
  if (isInWater)
    return [
      svgElement("circle", { class: "head", attributes: { cx: 20, cy: 17, r: 5 } }),
      path("M12 24c3-2 5-2 8 0s5 2 8 0", "wave front"),
    ];
  return [
    svgElement("ellipse", { class: "shadow", attributes: { cx: 20, cy: 34, rx: 9, ry: 2.5 } }),
    path("M12 33c0-9 3-13 8-13s8 4 8 13z", "coat"),
    svgElement("circle", { class: "head", attributes: { cx: 20, cy: 14, r: 6 } }),
    path("M14 13c0-5 3-7 6-7s6 2 6 7c-4-2-8-2-12 0z", "hat"),
  ];
}

function path(d: string, name: string): SVGElement {
  return svgElement("path", { class: name, attributes: { d } });
}
