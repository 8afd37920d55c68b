import type { Random } from "@biplane/core/internal";
import { drive, isOpen } from "./drive.ts";
import type { Rain } from "./drive.ts";
import { inTaxi, standAt, stands, townSize } from "./town.ts";
import type { TaxiPosition } from "./town.ts";

/** The state of the taxi and its passenger. */
export interface Ride {
  taxi: TaxiPosition;
  /** Index of the stand where the passenger waits, or `inTaxi`. */
  passenger: number;
  /** Index of the destination stand. */
  destination: number;
  /** Whether the passenger changes the destination once the taxi has moved. */
  willChangeMind: boolean;
  lastMove: TaxiMove | undefined;
  /** Probability of the last move's outcome. */
  chance: number;
}

export type TaxiMove = (typeof moves)[number];
export const moves = ["SOUTH", "NORTH", "EAST", "WEST", "PICKUP", "DROPOFF"] as const;

/** A random ride: taxi anywhere, passenger at one stand, destination another. Without `fickle`, no passenger is fickle. */
export function drawRide(random: Random, fickle: number | undefined): Ride {
  const weights = Array.from({ length: stateCount }, (_, state) => {
    const { passenger, destination } = decode(state);
    return passenger !== inTaxi && passenger !== destination ? 1 / startCount : 0;
  });
  const ride = decode(random.categorical(weights));
  const willChangeMind = fickle !== undefined && random.random() < fickle;
  return { ...ride, willChangeMind, lastMove: undefined, chance: 1 };
}

/** Makes a move. In the rain, a drive may end elsewhere than intended. */
export function makeMove(
  ride: Ride,
  move: TaxiMove,
  { random, rain }: { random: Random; rain: Rain | undefined },
): void {
  const from = ride.taxi;
  const stay = { position: from, chance: 1 };
  const ends = move === "PICKUP" || move === "DROPOFF" ? [stay] : drive(from, move, rain);
  // Gymnasium draws even if there is only one outcome.
  const { position: to, chance } = ends[random.categorical(ends.map((end) => end.chance))] ?? stay;
  if (move === "PICKUP" && isLegalMove(ride, move)) ride.passenger = inTaxi;
  if (move === "DROPOFF" && isLegalMove(ride, move)) ride.passenger = standAt(from) ?? inTaxi;
  ride.taxi = to;
  ride.lastMove = move;
  ride.chance = chance;
  const hasMoved = from.row !== to.row || from.column !== to.column;
  if (hasMoved && ride.willChangeMind && ride.passenger === inTaxi) changeMind(ride, random);
}

/** Whether a move would change anything in dry weather. */
export function isLegalMove({ taxi, passenger }: Ride, move: TaxiMove): boolean {
  switch (move) {
    case "PICKUP":
      return passenger === standAt(taxi);
    case "DROPOFF":
      return passenger === inTaxi && standAt(taxi) !== undefined;
    default:
      return isOpen(taxi, move);
  }
}

export function isDelivered({ passenger, destination }: Ride): boolean {
  return passenger === destination;
}

/** Gymnasium's state number, from 0 to 499. */
export function encode({ taxi, passenger, destination }: Ride): number {
  return ((taxi.row * townSize + taxi.column) * (stands.length + 1) + passenger) * stands.length + destination;
}

function decode(state: number): Pick<Ride, "taxi" | "passenger" | "destination"> {
  const withPassenger = Math.floor(state / stands.length);
  const cell = Math.floor(withPassenger / (stands.length + 1));
  return {
    taxi: { row: Math.floor(cell / townSize), column: cell % townSize },
    passenger: withPassenger % (stands.length + 1),
    destination: state % stands.length,
  };
}

const stateCount = townSize * townSize * (stands.length + 1) * stands.length;
const startCount = townSize * townSize * stands.length * (stands.length - 1);

function changeMind(ride: Ride, random: Random): void {
  ride.willChangeMind = false;
  ride.destination = random.choice([...stands.keys()].filter((stand) => stand !== ride.destination));
}
