import { PythonError } from "../python-error.ts";
import type { AirlineFlight, AirlineTables } from "./airline-models.ts";

interface Route {
  readonly origin: string;
  readonly destination?: string;
  readonly date: string;
  /** The earliest departure, compared as text. */
  readonly after?: string;
}

interface FoundFlight {
  readonly destination: string;
  readonly scheduled_arrival_time_est: string;
  readonly date: string | null;
}

/** Flights that can be booked, in the order of the file. */
export function searchDirect(tables: AirlineTables, { origin, destination, date, after }: Route): FoundFlight[] {
  const found: FoundFlight[] = [];
  for (const [, flight] of tables.all("flights")) {
    const day = Object.hasOwn(flight.dates, date) ? flight.dates[date] : undefined;
    if (flight.origin !== origin || day?.status !== "available") continue;
    if (destination !== undefined && flight.destination !== destination) continue;
    if (after !== undefined && flight.scheduled_departure_time_est < after) continue;
    found.push(listed(flight, date));
  }
  return found;
}

/** Pairs of flights. After midnight the second day has no leading zero, as in the reference. */
export function searchOneStop(
  tables: AirlineTables,
  { origin, destination, date }: Required<Omit<Route, "after">>,
): FoundFlight[][] {
  return searchDirect(tables, { origin, date }).flatMap((first) => {
    const arrival = first.scheduled_arrival_time_est;
    const nextDate = arrival.includes("+1") ? `2024-05-${dayOf(date) + 1}` : date;
    return searchDirect(tables, { origin: first.destination, destination, date: nextDate, after: arrival }).map(
      (second) => [
        { ...first, date },
        { ...second, date: nextDate },
      ],
    );
  });
}

function dayOf(date: string): number {
  const day = date.slice(-2);
  if (!/^\d+$/.test(day.trim())) throw new PythonError(`invalid literal for int() with base 10: '${day}'`);
  return Number(day);
}

function listed(flight: AirlineFlight, date: string) {
  const { flight_number: number, origin, destination } = flight;
  const { scheduled_departure_time_est: departure, scheduled_arrival_time_est: arrival } = flight;
  return {
    flight_number: number,
    origin,
    destination,
    status: "available",
    scheduled_departure_time_est: departure,
    scheduled_arrival_time_est: arrival,
    date: null,
    available_seats: flight.dates[date]?.available_seats,
    prices: flight.dates[date]?.prices,
  };
}

const cities =
  "SFO San Francisco,JFK New York,LAX Los Angeles,ORD Chicago,DFW Dallas,DEN Denver,SEA Seattle,ATL Atlanta,MIA Miami,BOS Boston,PHX Phoenix,IAH Houston,LAS Las Vegas,MCO Orlando,EWR Newark,CLT Charlotte,MSP Minneapolis,DTW Detroit,PHL Philadelphia,LGA LaGuardia";

export const airports = cities.split(",").map((each) => ({ iata: each.slice(0, 3), city: each.slice(4) }));
