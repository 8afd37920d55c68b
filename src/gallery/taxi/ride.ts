import type { Random } from "../../environment/random/random.ts";
import { drive } from "./drive.ts";
import { inTaxi, isOpen, standAt, stands, townSize } from "./town.ts";
import type { Place } from "./town.ts";

/** A taxi and its passenger. */
export interface Ride {
  taxi: Place;
  /** The number of the stand the passenger waits at, or `inTaxi`. */
  passenger: number;
  /** The number of the stand the passenger wants to go to. */
  destination: number;
  /** Whether the passenger will want to go elsewhere once the taxi has moved. */
  willChangeMind: boolean;
  lastMove: Move | undefined;
  /** How likely the last move was to end where it did. */
  chance: number;
}

export type Move = (typeof moves)[number];
export const moves = ["SOUTH", "NORTH", "EAST", "WEST", "PICKUP", "DROPOFF"] as const;

/** A ride from anywhere in town to a passenger who waits at one stand and wants to go to another. */
export function drawRide(random: Random, isFickle: boolean): Ride {
  const weights = Array.from({ length: stateCount }, (_, state) => {
    const { passenger, destination } = decode(state);
    return passenger !== inTaxi && passenger !== destination ? 1 / startCount : 0;
  });
  const ride = decode(random.categorical(weights));
  const willChangeMind = isFickle && random.random() < 0.3;
  return { ...ride, willChangeMind, lastMove: undefined, chance: 1 };
}

/** Makes a move, which in the rain may end elsewhere than it should. */
export function act(ride: Ride, move: Move, { random, isRainy }: { random: Random; isRainy: boolean }): void {
  const from = ride.taxi;
  const isDrive = move !== "PICKUP" && move !== "DROPOFF";
  const ends = isDrive ? drive(from, move, { isRainy }) : [from];
  const chances = ends.length === 1 ? [1] : [0.8, 0.1, 0.1];
  const taken = random.categorical(chances); // also where there is only one end: gymnasium draws for every move
  const to = ends[taken] ?? from;
  if (move === "PICKUP" && isAllowed(ride, move)) ride.passenger = inTaxi;
  if (move === "DROPOFF" && isAllowed(ride, move)) ride.passenger = standAt(from) ?? inTaxi;
  ride.taxi = to;
  ride.lastMove = move;
  ride.chance = chances[taken] ?? 1;
  const hasMoved = from.row !== to.row || from.column !== to.column;
  if (hasMoved && ride.willChangeMind && ride.passenger === inTaxi) changeMind(ride, random);
}

/** Whether a move would change anything on a dry day. */
export function isAllowed({ taxi, passenger }: Ride, move: Move): boolean {
  switch (move) {
    case "SOUTH":
      return taxi.row < townSize - 1;
    case "NORTH":
      return taxi.row > 0;
    case "EAST":
      return isOpen(taxi, "east");
    case "WEST":
      return isOpen(taxi, "west");
    case "PICKUP":
      return passenger === standAt(taxi);
    case "DROPOFF":
      return passenger === inTaxi && standAt(taxi) !== undefined;
  }
}

export function isDelivered({ passenger, destination }: Ride): boolean {
  return passenger === destination;
}

/** Everything to see in one number, from 0 to 499. */
export function encode({ taxi, passenger, destination }: Ride): number {
  return ((taxi.row * townSize + taxi.column) * (stands.length + 1) + passenger) * stands.length + destination;
}

function decode(state: number): Pick<Ride, "taxi" | "passenger" | "destination"> {
  const inPlace = Math.floor(state / stands.length);
  const place = Math.floor(inPlace / (stands.length + 1));
  return {
    taxi: { row: Math.floor(place / townSize), column: place % townSize },
    passenger: inPlace % (stands.length + 1),
    destination: state % stands.length,
  };
}

const stateCount = townSize * townSize * (stands.length + 1) * stands.length;
const startCount = townSize * townSize * stands.length * (stands.length - 1);

function changeMind(ride: Ride, random: Random): void {
  ride.willChangeMind = false;
  ride.destination = random.choice([...stands.keys()].filter((stand) => stand !== ride.destination));
}
