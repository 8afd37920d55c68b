import { signal } from "@preact/signals";
import type { Overview } from "../../src/desk/contract.ts";
import { ask } from "./api.ts";

/** What is served here, for every view: names, mode, where apps run. Undefined until it is known. */
export const house = signal<Overview | undefined>(undefined);
export const houseProblem = signal<unknown>(undefined);

/** Asks again; called when somebody has logged in and when the server has come back. */
export async function loadHouse(): Promise<void> {
  try {
    house.value = await ask<Overview>("GET /api/overview");
    houseProblem.value = undefined;
  } catch (error) {
    houseProblem.value = error;
  }
}
