import type { EpisodeTables } from "../episode-tables.ts";
import { asIs, listOf, mapOf, model, optional, unionBy } from "../model.ts";
import type { Type } from "../model.ts";

const dateStatus = unionBy("status", {
  available: model(asIs("status", "available_seats", "prices")),
  landed: model(asIs("status", "actual_departure_time_est", "actual_arrival_time_est")),
  cancelled: model(asIs("status")),
  delayed: model(asIs("status", "estimated_departure_time_est", "estimated_arrival_time_est")),
  flying: model(asIs("status", "actual_departure_time_est", "estimated_arrival_time_est")),
  "on time": model(asIs("status", "estimated_departure_time_est", "estimated_arrival_time_est")),
});

const paymentMethod = unionBy("source", {
  credit_card: model(asIs("source", "id", "brand", "last_four")),
  gift_card: model({ ...asIs("source", "id"), amount: "float" }),
  certificate: model({ ...asIs("source", "id"), amount: "float" }),
});

const passenger = model(asIs("first_name", "last_name", "dob"));

/** The tables of the airline database. */
export const airlineTypes: Readonly<Record<"flights" | "users" | "reservations", Type>> = {
  flights: model({
    ...asIs("flight_number", "origin", "destination", "scheduled_departure_time_est", "scheduled_arrival_time_est"),
    dates: mapOf(dateStatus),
  }),
  users: model({
    user_id: "plain",
    name: model(asIs("first_name", "last_name")),
    address: model({
      address1: "plain",
      address2: optional("plain"),
      ...asIs("city", "country", "state", "zip"),
    }),
    ...asIs("email", "dob"),
    payment_methods: mapOf(paymentMethod),
    saved_passengers: listOf(passenger),
    ...asIs("membership", "reservations"),
  }),
  reservations: model({
    ...asIs("reservation_id", "user_id", "origin", "destination", "flight_type", "cabin"),
    flights: listOf(model(asIs("flight_number", "origin", "destination", "date", "price"))),
    passengers: listOf(passenger),
    payment_history: listOf(model(asIs("payment_id", "amount"))),
    ...asIs("created_at", "total_baggages", "nonfree_baggages", "insurance"),
    status: optional("plain"),
  }),
};

export interface AirlineFlight {
  readonly flight_number: string;
  readonly origin: string;
  readonly destination: string;
  readonly scheduled_departure_time_est: string;
  readonly scheduled_arrival_time_est: string;
  readonly dates: Readonly<Record<string, FlightDate>>;
}

export interface FlightDate {
  readonly status: string;
  readonly available_seats: Record<string, number>;
  readonly prices: Readonly<Record<string, number>>;
}

export interface AirlineUser {
  readonly user_id: string;
  readonly payment_methods: Record<string, AirlinePaymentMethod>;
  readonly reservations: string[];
}

export interface AirlinePaymentMethod {
  readonly source: "credit_card" | "gift_card" | "certificate";
  readonly id: string;
  amount: number;
}

export interface Passenger {
  readonly first_name: string;
  readonly last_name: string;
  readonly dob: string;
}

export interface Payment {
  readonly payment_id: string;
  readonly amount: number;
}

export interface ReservationFlight {
  readonly flight_number: string;
  readonly origin: string;
  readonly destination: string;
  readonly date: string;
  readonly price: number;
}

export interface Reservation {
  readonly reservation_id: string;
  readonly user_id: string;
  readonly origin: string;
  readonly destination: string;
  readonly flight_type: string;
  cabin: string;
  flights: ReservationFlight[];
  passengers: Passenger[];
  readonly payment_history: Payment[];
  readonly created_at: string;
  total_baggages: number;
  nonfree_baggages: number;
  readonly insurance: string;
  status: string | null;
}

/** The tables of an episode. */
export type AirlineTables = EpisodeTables<{
  readonly flights: AirlineFlight;
  readonly users: AirlineUser;
  readonly reservations: Reservation;
}>;
