import type { Random } from "../../environment/random/random.ts";
import { drive, slides } from "./drive.ts";
import type { Direction } from "./drive.ts";
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
  ride.lastMove = move;
  ride.chance = 1;
  if (move === "PICKUP" || move === "DROPOFF") {
    if (isAllowed(ride, move)) ride.passenger = move === "PICKUP" ? inTaxi : (standAt(ride.taxi) ?? inTaxi);
    random.categorical([1]); // gymnasium draws for every move, although this one can end in one way only
    return;
  }
  const from = ride.taxi;
  ride.taxi = drive(from, move);
  if (isRainy) slide(ride, from, { move, random });
  else random.categorical([1]);
  if (ride.passenger === inTaxi && ride.willChangeMind && !isSame(from, ride.taxi)) changeMind(ride, random);
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

function slide(ride: Ride, from: Place, { move, random }: { move: Direction; random: Random }): void {
  const chances = [0.8, 0.1, 0.1];
  const taken = random.categorical(chances);
  ride.taxi = [ride.taxi, ...slides(from, move)][taken] ?? from;
  ride.chance = chances[taken] ?? 1;
}

function changeMind(ride: Ride, random: Random): void {
  ride.willChangeMind = false;
  ride.destination = random.choice([0, 1, 2, 3].filter((stand) => stand !== ride.destination));
}

function isSame(one: Place, other: Place): boolean {
  return one.row === other.row && one.column === other.column;
}
