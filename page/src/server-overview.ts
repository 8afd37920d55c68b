import { signal } from "@preact/signals";
import type { Overview } from "../../packages/biplane/src/admin/overview/overview-api.ts";
import { callApi } from "./api.ts";

/** The server overview, shared by all views. Undefined until loaded. */
export const serverOverview = signal<Overview | undefined>(undefined);
export const overviewError = signal<unknown>(undefined);

/** Loads the overview again, after a sign-in or a reconnect. */
export async function loadOverview(): Promise<void> {
  try {
    serverOverview.value = await callApi("GET /api/overview");
    overviewError.value = undefined;
  } catch (error) {
    overviewError.value = error;
  }
}
