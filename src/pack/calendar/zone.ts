/** How the clocks of a place stand. `wall` is what they show, in milliseconds as if it were UTC. */
export interface Zone {
  readonly name: string;
  toWall(instant: number): number;
  /** A time that comes twice is the first one; a time that is left out is counted as if it were not. */
  toInstant(wall: number): number;
}

export const utc: Zone = { name: "UTC", toWall: (instant) => instant, toInstant: (wall) => wall };

/** A zone by its IANA name, also where a program has put something before it; undefined where there is none. */
export function namedZone(name: string): Zone | undefined {
  if (/^(etc\/)?(utc|gmt|zulu)$/i.test(name)) return utc;
  const parts = name.split("/").filter((part) => part !== "");
  for (let from = 0; from < parts.length; from++) {
    const zone = knownZone(parts.slice(from).join("/"));
    if (zone) return zone;
  }
  return undefined;
}

const known = new Map<string, Zone | undefined>();

function knownZone(name: string): Zone | undefined {
  if (known.has(name)) return known.get(name);
  const zone = makeZone(name);
  if (known.size < 1000) known.set(name, zone);
  return zone;
}

function makeZone(name: string): Zone | undefined {
  // Node takes offsets and abbreviations for zones too; a calendar's own definition of those is better.
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
    return undefined; // no such zone
  }
  return zoneByOffset(name, (instant) => {
    const part: Record<string, number> = {};
    for (const { type, value } of format.formatToParts(instant)) part[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(instant / 1000) * 1000;
  });
}

/** A zone from how far its clocks are ahead of UTC at an instant. */
export function zoneByOffset(name: string, offsetAt: (instant: number) => number): Zone {
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
