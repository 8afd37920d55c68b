/**
 * A value as JSON of about `most` characters at most. What is too long is cut and says by how much; what has no JSON
 * becomes "…". A cut is made in a copy of its own, so that nothing holds on to the long original.
 */
export function boundedJson(value: unknown, most: number): string {
  try {
    if (roomAfter(value, most, 0) >= 0) {
      const whole = JSON.stringify(value) ?? "null";
      if (whole.length <= most) return whole;
    }
    return JSON.stringify(shortened(value, { left: most / 2 }, 0)) ?? "null";
  } catch {
    return '"…"';
  }
}

/** A text of `most` characters at most, that says how many were left out. */
export function boundedText(text: string, most: number): string {
  if (text.length <= most) return text;
  // Through bytes: a slice would keep the whole of the long text in memory.
  const kept = Buffer.from(text.slice(0, most)).toString();
  return `${kept}… (${text.length - most} more characters)`;
}

/** How many of `room` characters are left when the value's JSON is written; below 0 where it does not fit. */
function roomAfter(value: unknown, room: number, depth: number): number {
  if (typeof value === "string") return room - value.length - 2;
  if (typeof value !== "object" || value === null) return room - 6;
  if (depth > mostDepth) return -1;
  let left = room - 2;
  if (Array.isArray(value)) {
    for (const item of value) if ((left = roomAfter(item, left - 1, depth + 1)) < 0) return left;
    return left;
  }
  for (const key of Object.keys(value)) {
    left = roomAfter((value as Record<string, unknown>)[key], left - key.length - 4, depth + 1);
    if (left < 0) return left;
  }
  return left;
}

const mostDepth = 64;

function shortened(value: unknown, room: { left: number }, depth: number): unknown {
  if (typeof value === "string") {
    const most = Math.max(fewestCharacters, Math.floor(room.left));
    room.left -= Math.min(value.length, most) + 2;
    return value.length <= most ? value : `${value.slice(0, most)}… (${value.length - most} more characters)`;
  }
  if (typeof value !== "object" || value === null) {
    room.left -= 6;
    return value;
  }
  if (depth > mostDepth) return "…";
  return Array.isArray(value) ? shortenedList(value, room, depth) : shortenedObject(value, room, depth);
}

const fewestCharacters = 40;

function shortenedList(list: readonly unknown[], room: { left: number }, depth: number): unknown[] {
  const made: unknown[] = [];
  for (const item of list) {
    if (room.left <= 0) return [...made, `… (${list.length - made.length} more)`];
    room.left -= 1;
    made.push(shortened(item, room, depth + 1));
  }
  return made;
}

function shortenedObject(object: object, room: { left: number }, depth: number): Record<string, unknown> {
  if ("toJSON" in object)
    return shortened(JSON.parse(JSON.stringify(object)), room, depth + 1) as Record<string, unknown>;
  const made: [string, unknown][] = [];
  const keys = Object.keys(object);
  for (const key of keys) {
    if (room.left <= 0) {
      made.push(["…", `${keys.length - made.length} more`]);
      break;
    }
    room.left -= Math.min(key.length, mostKey) + 4;
    const short = key.length > mostKey ? `${key.slice(0, mostKey)}…` : key;
    made.push([short, shortened((object as Record<string, unknown>)[key], room, depth + 1)]);
  }
  return Object.fromEntries(made);
}

const mostKey = 200;
