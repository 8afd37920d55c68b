import { keyError, PythonError } from "../python-error.ts";
import type { DomainInput } from "../domain.ts";
import {
  bookable,
  readFlights,
  readPassengers,
  readPayments,
  reservationOf,
  passengerAccount,
} from "./airline-lookup.ts";
import type { AirlineTables, AirlineUser, Passenger, Payment, Reservation } from "./airline-models.ts";

type Booking = Omit<
  Reservation,
  "reservation_id" | "flights" | "passengers" | "payment_history" | "created_at" | "status"
>;

/** Books flights. The checks run in the reference's order; a failure after the first payment leaves changes behind. */
export function bookReservation(tables: AirlineTables, input: DomainInput): Reservation {
  const flights = readFlights(input["flights"]);
  const passengers = readPassengers(input["passengers"]);
  const payments = readPayments(input["payment_methods"]);
  const { payment_methods: _, ...given } = input;
  const booking = given as unknown as Booking;
  const { user_id: userId, cabin, nonfree_baggages: paidBags, insurance } = booking;
  const user = passengerAccount(tables, userId);
  const id = ["HATHAT", "HATHAU", "HATHAV"].find((each) => tables.find("reservations", each) === undefined);
  if (id === undefined) throw new PythonError("Too many reservations");
  checkBooking(booking);
  const booked = flights.map((info) => bookable(tables, info, { cabin, passengers: passengers.length }));
  const price =
    sum(booked.map((each) => each.price)) * passengers.length +
    (insurance === "yes" ? 30 * passengers.length : 0) +
    50 * paidBags;
  checkPayments(user, payments, price);
  pay(tables, userId, payments);
  for (const { flight_number: number, date } of flights) {
    const left = tables.edit("flights", number).dates[date]?.available_seats;
    if (left) left[cabin] = (left[cabin] ?? 0) - passengers.length;
  }
  const reservation = {
    ...booking,
    reservation_id: id,
    flights: booked,
    passengers,
    payment_history: payments,
    created_at: "2024-05-15T15:00:00",
    status: null,
  };
  tables.put("reservations", id, reservation);
  tables.edit("users", userId).reservations.push(id);
  return reservation;
}

function checkBooking({
  flight_type: type,
  cabin,
  insurance,
  total_baggages: bags,
  nonfree_baggages: paid,
}: Booking): void {
  const isValid =
    ["round_trip", "one_way"].includes(type) &&
    ["business", "economy", "basic_economy"].includes(cabin) &&
    ["yes", "no"].includes(insurance) &&
    Number.isInteger(bags) &&
    Number.isInteger(paid);
  if (isValid) return;
  const message =
    "flight_type must be round_trip or one_way, cabin business, economy or basic_economy, insurance yes or no, and the numbers of bags integers.";
  throw new PythonError(message, { isLoose: true });
}

function checkPayments({ payment_methods: methods }: AirlineUser, payments: readonly Payment[], price: number): void {
  for (const { payment_id: id, amount } of payments) {
    const method = Object.hasOwn(methods, id) ? methods[id] : undefined;
    if (!method) throw new PythonError(`Payment method ${id} not found`);
    if (method.source !== "credit_card" && method.amount < amount)
      throw new PythonError(`Not enough balance in payment method ${id}`);
  }
  const paid = sum(payments.map(({ amount }) => amount));
  if (paid !== price)
    throw new PythonError(`Payment amount does not add up, total price is ${price}, but paid ${paid}`);
}

/** Takes the amount from gift cards, and certificates whole. A certificate cannot be found a second time. */
function pay(tables: AirlineTables, userId: string, payments: readonly Payment[]): void {
  for (const { payment_id: id, amount } of payments) {
    const methods = tables.edit("users", userId).payment_methods;
    const method = Object.hasOwn(methods, id) ? methods[id] : undefined;
    if (!method) throw keyError(id);
    if (method.source === "gift_card") method.amount -= amount;
    else if (method.source === "certificate") delete methods[id];
  }
}

/** Cancels a reservation and lists refunds. Availability and balances stay as they are. */
export function cancelReservation(tables: AirlineTables, id: string): Reservation {
  reservationOf(tables, id);
  const reservation = tables.edit("reservations", id);
  const refunds = reservation.payment_history.map(({ payment_id: method, amount }) => ({
    payment_id: method,
    amount: amount === 0 ? 0 : -amount,
  }));
  reservation.payment_history.push(...refunds);
  reservation.status = "cancelled";
  return reservation;
}

type UpdateInput = Reservation & Payment;

export function updateBaggages(tables: AirlineTables, input: DomainInput): Reservation {
  const {
    reservation_id: id,
    payment_id: method,
    total_baggages: total,
    nonfree_baggages: paid,
  } = input as unknown as UpdateInput;
  const { user_id: userId, nonfree_baggages: before } = reservationOf(tables, id);
  payForUpdate(tables, { id, userId, method, price: 50 * Math.max(0, paid - before) });
  const reservation = tables.edit("reservations", id);
  reservation.total_baggages = total;
  reservation.nonfree_baggages = paid;
  return reservation;
}

export function updateFlights(tables: AirlineTables, input: DomainInput): Reservation {
  const wanted = readFlights(input["flights"]);
  const { reservation_id: id, cabin, payment_id: method } = input as unknown as UpdateInput;
  const { user_id: userId, flights: before, cabin: cabinBefore, passengers } = reservationOf(tables, id);
  passengerAccount(tables, userId);
  const flights = wanted.map(({ flight_number: number, date }) => {
    const kept = before.find((each) => each.flight_number === number && each.date === date && cabin === cabinBefore);
    if (kept) return { ...kept };
    return bookable(tables, { flight_number: number, date }, { cabin, passengers: passengers.length });
  });
  const total = sum(flights.map((each) => each.price)) - sum(before.map((each) => each.price));
  payForUpdate(tables, { id, userId, method, price: total * passengers.length });
  const reservation = tables.edit("reservations", id);
  reservation.flights = flights;
  reservation.cabin = cabin;
  return reservation;
}

interface UpdatePayment {
  readonly id: string;
  readonly userId: string;
  readonly method: string;
  readonly price: number;
}

function payForUpdate(tables: AirlineTables, { id, userId, method, price }: UpdatePayment): void {
  const { payment_methods: methods } = passengerAccount(tables, userId);
  const used = Object.hasOwn(methods, method) ? methods[method] : undefined;
  if (!used) throw new PythonError("Payment method not found");
  if (used.source === "certificate") throw new PythonError("Certificate cannot be used to update reservation");
  if (used.source === "gift_card") {
    if (used.amount < price) throw new PythonError("Gift card balance is not enough");
    const card = tables.edit("users", userId).payment_methods[method];
    if (card) card.amount -= price;
  }
  if (price !== 0) tables.edit("reservations", id).payment_history.push({ payment_id: method, amount: price });
}

export function updatePassengers(tables: AirlineTables, input: DomainInput): Reservation {
  const passengers: Passenger[] = readPassengers(input["passengers"]);
  const id = String(input["reservation_id"]);
  if (passengers.length !== reservationOf(tables, id).passengers.length)
    throw new PythonError("Number of passengers does not match");
  const reservation = tables.edit("reservations", id);
  reservation.passengers = passengers;
  return reservation;
}

export function sendCertificate(tables: AirlineTables, userId: string, amount: number): string {
  const { payment_methods: methods } = passengerAccount(tables, userId);
  const id = ["3221322", "3221323", "3221324"]
    .map((number) => `certificate_${number}`)
    .find((each) => !Object.hasOwn(methods, each));
  if (id === undefined) throw new PythonError("Too many certificates");
  tables.edit("users", userId).payment_methods[id] = { source: "certificate", id, amount };
  return `Certificate ${id} added to user ${userId} with amount ${amount}.`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((left, right) => left + right, 0);
}
