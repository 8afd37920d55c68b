import { encode } from "./ride.ts";
import type { Ride } from "./ride.ts";
import { cellOf, inTaxi, stands, townMap } from "./town.ts";
import type { TaxiPosition } from "./town.ts";

/** The agent's observation, as in Eval Protocol. */
export function describe(ride: Ride) {
  const { taxi, passenger, destination } = ride;
  return {
    state: encode(ride),
    grid_layout: drawLayout(ride),
    state_description: summarize(ride),
    decoded_state: { taxi_row: taxi.row, taxi_col: taxi.column, passenger_location: passenger, destination },
  };
}

/** The map with the destination in lower case, and the taxi as `t` (empty) or `T` (occupied). */
function drawLayout({ taxi, passenger, destination }: Ride): string {
  const cells = townMap.map((line) => Array.from(line));
  repaint(cells, stands[destination], (letter) => letter.toLowerCase());
  repaint(cells, taxi, () => taxiLetter(passenger));
  return cells.map((line) => line.join("")).join("\n");
}

function summarize({ taxi, passenger, destination }: Ride): string {
  const waitsAt = stands[passenger];
  const goal = stands[destination];
  const where = `${goal?.letter.toLowerCase()} (${goal?.color})`;
  return [
    `Taxi at ${taxiLetter(passenger)} (${taxi.row}, ${taxi.column})`,
    waitsAt ? `Passenger at ${waitsAt.letter} (${waitsAt.color})` : "Passenger in taxi",
    `Destination: ${where}`,
    waitsAt ? "must pickup passenger" : `must dropoff passenger at ${where}`,
  ].join(", ");
}

function taxiLetter(passenger: number): string {
  return passenger === inTaxi ? "T" : "t";
}

/** Gymnasium's rendering: taxi yellow (green with its passenger), passenger blue, destination magenta. */
export function draw({ taxi, passenger, destination, lastMove }: Ride): string {
  const cells = townMap.map((line) => Array.from(line));
  if (passenger === inTaxi) {
    repaint(cells, taxi, (letter) => paint(letter === " " ? "_" : letter, "42"));
  } else {
    repaint(cells, taxi, (letter) => paint(letter, "43"));
    repaint(cells, stands[passenger], (letter) => paint(letter, "34;1"));
  }
  repaint(cells, stands[destination], (letter) => paint(letter, "35"));
  const title = lastMove ? `  (${lastMove.charAt(0)}${lastMove.slice(1).toLowerCase()})` : "";
  return `${cells.map((line) => line.join("")).join("\n")}\n${title}\n`;
}

function repaint(cells: string[][], position: TaxiPosition | undefined, change: (letter: string) => string): void {
  if (!position) return;
  const { row, column } = cellOf(position);
  const line = cells[row];
  if (line) line[column] = change(line[column] ?? " ");
}

function paint(text: string, color: string): string {
  return `\u001B[${color}m${text}\u001B[0m`;
}
