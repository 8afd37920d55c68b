import type { Property } from "./parse-ical.ts";
import { utc } from "./zone.ts";
import type { TimeZone } from "./zone.ts";

/**
 * A calendar date or time: the wall time of its zone in milliseconds, as if it were UTC. A date is midnight without a
 * zone.
 */
export interface Moment {
  readonly wall: number;
  readonly isDate: boolean;
  readonly zone: TimeZone;
}

export type ZoneOf = (tzid: string | undefined) => TimeZone;

/** All moments of a property (EXDATE and RDATE contain lists). Invalid ones are skipped. */
export function momentsOf({ value, parameters }: Property, zoneOf: ZoneOf): readonly Moment[] {
  return value.split(",").flatMap((text) => momentFrom(text.split("/")[0] ?? "", parameters.get("TZID"), zoneOf) ?? []);
}

export function momentOf(property: Property | undefined, zoneOf: ZoneOf): Moment | undefined {
  return property && momentFrom(property.value, property.parameters.get("TZID"), zoneOf);
}

/** The instant in milliseconds. For a date, midnight UTC. */
export function instantOf({ wall, zone }: Moment): number {
  return zone.toInstant(wall);
}

export const dayMs = 86_400_000;

export function dayOf(wall: number): number {
  return Math.floor(wall / dayMs) * dayMs;
}

function momentFrom(text: string, tzid: string | undefined, zoneOf: ZoneOf): Moment | undefined {
  const found = /^(\d{4})-?(\d\d)-?(\d\d)(?:T(\d\d):?(\d\d):?(\d\d)?(Z)?)?$/i.exec(text.trim());
  if (!found) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const wall = Date.UTC(year, month - 1, day, hour, minute, second);
  const isReal =
    new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day && hour < 24 && minute < 60 && year > 100;
  if (!isReal || month < 1 || month > 12) return undefined;
  const isDate = found[4] === undefined;
  return { wall, isDate, zone: isDate ? utc : found[7] ? utc : zoneOf(tzid) };
}

/** Parses a DURATION into calendar days and clock milliseconds. */
export function durationOf(text: string): { days: number; ms: number } | undefined {
  const found = /^([+-]?)P(?:(\d{1,6})W)?(?:(\d{1,6})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,8})S)?)?$/i.exec(
    text.trim(),
  );
  if (!found) return undefined;
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = found.slice(2).map((part) => Number(part ?? 0));
  if (found[1] === "-") return { days: 0, ms: 0 };
  return { days: weeks * 7 + days, ms: ((hours * 60 + minutes) * 60 + seconds) * 1000 };
}
