import { calculateTool, readTool, transferTool, writeTool } from "../common-tools.ts";
import type { DomainInput, DomainTools } from "../domain.ts";
import { flightDateOf, reservationOf, passengerAccount } from "./airline-lookup.ts";
import { airports, searchDirect, searchOneStop } from "./flight-search.ts";
import {
  bookReservation,
  cancelReservation,
  sendCertificate,
  updateBaggages,
  updateFlights,
  updatePassengers,
} from "./reservation-changes.ts";
import type { AirlineTables } from "./airline-models.ts";

const text = { type: "string" } as const;
const integer = { type: "integer" } as const;
const cabin = { type: "string", enum: ["business", "economy", "basic_economy"] } as const;
const objects = (...names: readonly string[]) =>
  ({
    type: "array",
    items: {
      type: "object",
      properties: Object.fromEntries(names.map((name) => [name, name === "amount" ? integer : text])),
    },
  }) as const;
const flights = objects("flight_number", "date");
const route = { origin: text, destination: text, date: text };
const passengers = objects("first_name", "last_name", "dob");

/** The agent's tools of the airline domain. */
export const airlineTools: DomainTools<AirlineTables> = {
  book_reservation: writeTool("Books flights for a user", {
    parameters: {
      user_id: text,
      origin: text,
      destination: text,
      flight_type: { type: "string", enum: ["round_trip", "one_way"] },
      cabin,
      flights,
      passengers,
      payment_methods: objects("payment_id", "amount"),
      total_baggages: integer,
      nonfree_baggages: integer,
      insurance: { type: "string", enum: ["yes", "no"] },
    },
    run: (tables, input) => tables.dump("reservations", bookReservation(tables, input)),
  }),
  calculate: calculateTool,
  cancel_reservation: writeTool("Cancels a whole reservation", {
    parameters: { reservation_id: text },
    run: (tables, { reservation_id: id }) => tables.dump("reservations", cancelReservation(tables, String(id))),
  }),
  get_reservation_details: readTool("Returns a reservation", {
    parameters: { reservation_id: text },
    run: (tables, { reservation_id: id }) => tables.dump("reservations", reservationOf(tables, String(id))),
  }),
  get_user_details: readTool("Returns a user, with payment methods and reservation ids", {
    parameters: { user_id: text },
    run: (tables, { user_id: id }) => tables.dump("users", passengerAccount(tables, String(id))),
  }),
  list_all_airports: readTool("Lists all airports and their cities", {
    parameters: {},
    run: () => airports,
  }),
  search_direct_flight: readTool("Searches direct flights between two airports on a day, such as 2024-05-20", {
    parameters: route,
    run: (tables, input) => searchDirect(tables, routeIn(input)),
  }),
  search_onestop_flight: readTool("Searches pairs of flights between two airports that begin on a day", {
    parameters: route,
    run: (tables, input) => searchOneStop(tables, routeIn(input)),
  }),
  send_certificate: writeTool("Gives a user a certificate", {
    parameters: { user_id: text, amount: integer },
    run: (tables, { user_id: id, amount }) => sendCertificate(tables, String(id), Number(amount)),
  }),
  transfer_to_human_agents: transferTool,
  update_reservation_baggages: writeTool("Changes the bags of a reservation", {
    parameters: { reservation_id: text, total_baggages: integer, nonfree_baggages: integer, payment_id: text },
    run: (tables, input) => tables.dump("reservations", updateBaggages(tables, input)),
  }),
  update_reservation_flights: writeTool(
    "Changes the flights and the cabin of a reservation. List all flights, also those that stay",
    {
      parameters: { reservation_id: text, cabin, flights, payment_id: text },
      run: (tables, input) => tables.dump("reservations", updateFlights(tables, input)),
    },
  ),
  update_reservation_passengers: writeTool("Changes the passengers of a reservation", {
    parameters: { reservation_id: text, passengers },
    run: (tables, input) => tables.dump("reservations", updatePassengers(tables, input)),
  }),
  get_flight_status: readTool("Returns the status of a flight on a day", {
    parameters: { flight_number: text, date: text },
    run: (tables, { flight_number: number, date }) =>
      flightDateOf(tables, { flight_number: String(number), date: String(date) }).status,
  }),
};

function routeIn({ origin, destination, date }: DomainInput): { origin: string; destination: string; date: string } {
  return { origin: String(origin), destination: String(destination), date: String(date) };
}
