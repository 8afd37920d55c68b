import { isRecord } from "@biplane/core/internal";
import { found, keyError, PythonError } from "../python-error.ts";
import type {
  AirlineFlight,
  AirlineTables,
  AirlineUser,
  FlightDate,
  Passenger,
  Payment,
  Reservation,
  ReservationFlight,
} from "./airline-models.ts";

export function passengerAccount(tables: AirlineTables, id: string): AirlineUser {
  return found(tables.find("users", id), `User ${id} not found`);
}

export function reservationOf(tables: AirlineTables, id: string): Reservation {
  return found(tables.find("reservations", id), `Reservation ${id} not found`);
}

export function flightOf(tables: AirlineTables, number: string): AirlineFlight {
  return found(tables.find("flights", number), `Flight ${number} not found`);
}

export function flightDateOf(tables: AirlineTables, { flight_number: number, date }: FlightInfo): FlightDate {
  const { dates } = flightOf(tables, number);
  return found(Object.hasOwn(dates, date) ? dates[date] : undefined, `Flight ${number} not found on date ${date}`);
}

/** A flight that has room for all passengers, with its price. */
export function bookable(
  tables: AirlineTables,
  info: FlightInfo,
  { cabin, passengers }: { cabin: string; passengers: number },
): ReservationFlight {
  const { flight_number: number, date } = info;
  const { origin, destination } = flightOf(tables, number);
  const { status, available_seats: available, prices } = flightDateOf(tables, info);
  if (status !== "available") throw new PythonError(`Flight ${number} not available on date ${date}`);
  const free = Object.hasOwn(available, cabin) ? available[cabin] : undefined;
  if (free === undefined) throw keyError(cabin);
  if (free < passengers) throw new PythonError(`Not enough seats on flight ${number}`);
  return { flight_number: number, origin, destination, date, price: prices[cabin] ?? 0 };
}

export type FlightInfo = Pick<ReservationFlight, "flight_number" | "date">;

// The reference checks these lists with pydantic, whose texts are its own.

export function readFlights(value: unknown): FlightInfo[] {
  return readList(value, "flights", ["flight_number", "date"]) as unknown as FlightInfo[];
}

export function readPassengers(value: unknown): Passenger[] {
  return readList(value, "passengers", ["first_name", "last_name", "dob"]) as unknown as Passenger[];
}

export function readPayments(value: unknown): Payment[] {
  return readList(value, "payment_methods", ["payment_id"], ["amount"]) as unknown as Payment[];
}

function readList(value: unknown, name: string, texts: readonly string[], integers: readonly string[] = []) {
  if (!Array.isArray(value)) throw new PythonError(`${name} must be a list.`, { isLoose: true });
  return value.map((each: unknown, index) => {
    const place = `${name}[${index}]`;
    if (!isRecord(each)) throw new PythonError(`${place} must be an object.`, { isLoose: true });
    const wrongText = texts.find((key) => typeof each[key] !== "string");
    if (wrongText !== undefined) throw new PythonError(`${place}.${wrongText} must be a string.`, { isLoose: true });
    const wrongInteger = integers.find((key) => !Number.isInteger(each[key]));
    if (wrongInteger !== undefined)
      throw new PythonError(`${place}.${wrongInteger} must be an integer.`, { isLoose: true });
    return Object.fromEntries([...texts, ...integers].map((key) => [key, each[key]]));
  });
}
