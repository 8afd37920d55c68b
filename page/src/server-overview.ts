import { computed, signal } from "@preact/signals";
import type { Overview } from "../../packages/biplane/src/admin/overview/overview-api.ts";
import { callApi } from "./api.ts";

/** The server overview, shared by all views. Undefined until loaded. */
export const serverOverview = signal<Overview | undefined>(undefined);
/** The name in the config, or else that of the only server. Undefined if there is no name of its own. */
export const serverName = computed(() => {
  const { name, servers = [] } = serverOverview.value ?? {};
  if (name !== undefined && name.toLowerCase() !== "biplane") return name;
  return servers.length === 1 ? (servers[0]?.title ?? servers[0]?.name) : undefined;
});
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
