import { signal } from "@preact/signals";

/** The open overlay, if any. */
export const overlay = signal<"palette" | "shortcuts" | "navigation" | undefined>(undefined);
