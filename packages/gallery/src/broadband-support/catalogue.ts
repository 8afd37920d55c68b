import type { AddonId, LineRecord, PlanId, ProductId } from "./tables.ts";

/** The day on which every episode takes place. */
export const contactDay = "2026-03-16";

export const plans: Readonly<Record<PlanId, { readonly price: number; readonly mbits: number }>> = {
  "basic-50": { price: 22, mbits: 50 },
  "home-150": { price: 30, mbits: 150 },
  "home-250": { price: 36, mbits: 250 },
  "home-500": { price: 45, mbits: 500 },
  "max-1000": { price: 60, mbits: 1000 },
};

/** The fastest plan that a technology carries, in Mbit/s. */
export const fastest: Readonly<Record<LineRecord["technology"], number>> = { copper: 250, fibre: 1000 };

/** Prices for a month. */
export const addons: Readonly<Record<AddonId, number>> = { "static-ip": 6, protect: 4, "tv-pack": 12 };

export const products: Readonly<Record<ProductId, number>> = { "router-x2": 129, "router-x3": 189, "mesh-point": 79 };

/** When technicians are free. */
export const freeSlots = [
  "2026-03-18 morning",
  "2026-03-18 afternoon",
  "2026-03-19 afternoon",
  "2026-03-20 morning",
  "2026-03-23 morning",
  "2026-03-24 afternoon",
] as const;

/** What a line costs a month, with its add-ons. */
export function monthlyPrice({ plan, addons: booked }: Pick<LineRecord, "plan" | "addons">): number {
  return booked.reduce((sum, addon) => sum + addons[addon], plans[plan].price);
}

/** Rounded to cents. */
export function cents(amount: number): number {
  return Math.round(amount * 100) / 100;
}

export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000);
}

export function addDays(date: string, days: number): string {
  return new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10);
}

export const monthNames: readonly string[] =
  "January February March April May June July August September October November December".split(" ");
