import type { EpisodeTables } from "../episode-tables.ts";
import { each, float, listOf, mapOf, model, number, optional, asIs, text, unionBy } from "../model.ts";
import type { DataOf } from "../model.ts";

/** A flight on a day. Only one with the status available can be booked. */
export interface FlightDate {
  readonly status: string;
  readonly available_seats: Record<string, number>;
  readonly prices: Readonly<Record<string, number>>;
}

const dateStatus = unionBy<FlightDate>("status", {
  available: model({
    status: text,
    available_seats: asIs<FlightDate["available_seats"]>(),
    prices: asIs<FlightDate["prices"]>(),
  }),
  landed: model(each(text, "status", "actual_departure_time_est", "actual_arrival_time_est")),
  cancelled: model(each(text, "status")),
  delayed: model(each(text, "status", "estimated_departure_time_est", "estimated_arrival_time_est")),
  flying: model(each(text, "status", "actual_departure_time_est", "estimated_arrival_time_est")),
  "on time": model(each(text, "status", "estimated_departure_time_est", "estimated_arrival_time_est")),
});

interface AirlinePaymentMethod {
  readonly source: "credit_card" | "gift_card" | "certificate";
  readonly id: string;
  amount: number;
}

const source = asIs<AirlinePaymentMethod["source"]>();
const paymentMethod = unionBy<AirlinePaymentMethod>("source", {
  credit_card: model({ source, ...each(text, "id", "brand", "last_four") }),
  gift_card: model({ source, id: text, amount: float }),
  certificate: model({ source, id: text, amount: float }),
});

const flight = model({
  ...each(text, "flight_number", "origin", "destination", "scheduled_departure_time_est", "scheduled_arrival_time_est"),
  dates: mapOf(dateStatus),
});
const passenger = model(each(text, "first_name", "last_name", "dob"));
const reservationFlight = model({ ...each(text, "flight_number", "origin", "destination", "date"), price: number });
const payment = model({ payment_id: text, amount: number });

const user = model({
  user_id: text,
  name: model(each(text, "first_name", "last_name")),
  address: model({ address1: text, address2: optional(text), ...each(text, "city", "country", "state", "zip") }),
  ...each(text, "email", "dob"),
  payment_methods: mapOf(paymentMethod),
  saved_passengers: listOf(passenger),
  membership: text,
  reservations: asIs<string[]>(),
});

const reservation = model({
  ...each(text, "reservation_id", "user_id", "origin", "destination", "flight_type", "cabin"),
  flights: listOf(reservationFlight),
  passengers: listOf(passenger),
  payment_history: listOf(payment),
  created_at: text,
  ...each(number, "total_baggages", "nonfree_baggages"),
  insurance: text,
  status: optional(text),
});

/** The tables of the airline database. */
export const airlineTypes = { flights: flight, users: user, reservations: reservation };

export type AirlineFlight = DataOf<typeof flight>;
export type AirlineUser = DataOf<typeof user>;
export type Passenger = DataOf<typeof passenger>;
export type Payment = DataOf<typeof payment>;
export type ReservationFlight = DataOf<typeof reservationFlight>;
export type Reservation = DataOf<typeof reservation>;

/** The tables of an episode. */
export type AirlineTables = EpisodeTables<typeof airlineTypes>;
