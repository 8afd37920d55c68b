import type { EpisodeTables } from "../episode-tables.ts";
import { listOf, mapOf, model, unionBy, optional } from "../model.ts";
import type { Type } from "../model.ts";

const estimated = { estimated_departure_time_est: "plain", estimated_arrival_time_est: "plain" } as const;

const dateStatus = unionBy("status", {
  available: model({ status: "plain", available_seats: "plain", prices: "plain" }),
  landed: model({ status: "plain", actual_departure_time_est: "plain", actual_arrival_time_est: "plain" }),
  cancelled: model({ status: "plain" }),
  delayed: model({ status: "plain", ...estimated }),
  flying: model({ status: "plain", actual_departure_time_est: "plain", estimated_arrival_time_est: "plain" }),
  "on time": model({ status: "plain", ...estimated }),
});

const paymentMethod = unionBy("source", {
  credit_card: model({ source: "plain", id: "plain", brand: "plain", last_four: "plain" }),
  gift_card: model({ source: "plain", id: "plain", amount: "float" }),
  certificate: model({ source: "plain", id: "plain", amount: "float" }),
});

const passenger = model({ first_name: "plain", last_name: "plain", dob: "plain" });

/** The tables of the airline database. */
export const airlineTypes: Readonly<Record<"flights" | "users" | "reservations", Type>> = {
  flights: model({
    flight_number: "plain",
    origin: "plain",
    destination: "plain",
    scheduled_departure_time_est: "plain",
    scheduled_arrival_time_est: "plain",
    dates: mapOf(dateStatus),
  }),
  users: model({
    user_id: "plain",
    name: model({ first_name: "plain", last_name: "plain" }),
    address: model({
      address1: "plain",
      address2: optional("plain"),
      city: "plain",
      country: "plain",
      state: "plain",
      zip: "plain",
    }),
    email: "plain",
    dob: "plain",
    payment_methods: mapOf(paymentMethod),
    saved_passengers: listOf(passenger),
    membership: "plain",
    reservations: "plain",
  }),
  reservations: model({
    reservation_id: "plain",
    user_id: "plain",
    origin: "plain",
    destination: "plain",
    flight_type: "plain",
    cabin: "plain",
    flights: listOf(
      model({ flight_number: "plain", origin: "plain", destination: "plain", date: "plain", price: "plain" }),
    ),
    passengers: listOf(passenger),
    payment_history: listOf(model({ payment_id: "plain", amount: "plain" })),
    created_at: "plain",
    total_baggages: "plain",
    nonfree_baggages: "plain",
    insurance: "plain",
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
