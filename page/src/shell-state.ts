import { signal } from "@preact/signals";

/** What lies over the page, if anything does. */
export const overlay = signal<"palette" | "shortcuts" | "navigation" | undefined>(undefined);
