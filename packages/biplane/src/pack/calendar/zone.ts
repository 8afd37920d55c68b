/** A time zone. `wall` is the local time in milliseconds, as if it were UTC. */
export interface TimeZone {
  readonly name: string;
  toWall(instant: number): number;
  /** An ambiguous time means its first occurrence. A skipped time uses the offset before the change. */
  toInstant(wall: number): number;
}

export const utc: TimeZone = { name: "UTC", toWall: (instant) => instant, toInstant: (wall) => wall };

/** A time zone by IANA name, with or without a vendor prefix. Undefined if unknown. */
export function namedZone(name: string): TimeZone | undefined {
  if (/^(etc\/)?(utc|gmt|zulu)$/i.test(name)) return utc;
  if (name.length > maxNameLength) return undefined;
  const parts = name.split("/").filter((part) => part !== "");
  for (let from = 0; from < parts.length; from++) {
    const zone = knownZone(parts.slice(from).join("/"));
    if (zone) return zone;
  }
  return undefined;
}

const maxNameLength = 200;
const known = new Map<string, TimeZone | undefined>();

function knownZone(name: string): TimeZone | undefined {
  if (known.has(name)) return known.get(name);
  const zone = makeZone(name);
  if (known.size < 1000) known.set(name, zone);
  return zone;
}

function makeZone(name: string): TimeZone | undefined {
  // Node also accepts offsets and abbreviations, but the calendar's own definition is more precise.
  if (!/^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)+$/.test(name)) return undefined;
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat("en-US", {
      timeZone: name,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
  } catch {
    return undefined; // unknown zone
  }
  return zoneByOffset(name, (instant) => {
    const part: Record<string, number> = {};
    for (const { type, value } of format.formatToParts(instant)) part[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(instant / 1000) * 1000;
  });
}

/** Creates a time zone from its UTC offset at an instant. */
export function zoneByOffset(name: string, offsetAt: (instant: number) => number): TimeZone {
  return {
    name,
    toWall: (instant) => instant + offsetAt(instant),
    toInstant: (wall) => {
      const before = offsetAt(wall - aDay);
      if (offsetAt(wall - before) === before) return wall - before;
      const after = offsetAt(wall + aDay);
      return offsetAt(wall - after) === after ? wall - after : wall - before;
    },
  };
}

const aDay = 86_400_000;
