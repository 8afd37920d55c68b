/** Settings of the calendar pack. */
export interface CalendarOptions {
  readonly calendars: readonly CalendarSource[];
  /** The zone that times are shown in, and that days are counted in. Left out: this machine's. */
  readonly timeZone?: string;
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
}

/** A calendar by its private address or as a file. */
export interface CalendarSource {
  readonly name: string;
  readonly url?: string;
  readonly file?: string;
}

export const calendarOptions = {
  type: "object",
  additionalProperties: false,
  required: ["calendars"],
  properties: {
    calendars: {
      type: "array",
      maxItems: 50,
      items: {
        type: "object",
        additionalProperties: false,
        required: ["name"],
        properties: {
          name: { type: "string", minLength: 1, maxLength: 80, description: "What the calendar is called in answers" },
          url: {
            type: "string",
            minLength: 1,
            description: "An iCal address (https, http or webcal). It is treated as a secret: write ${NAME} here",
          },
          file: {
            type: "string",
            minLength: 1,
            format: "path",
            description: "A path to an .ics file, instead of an address",
          },
        },
        oneOf: [{ required: ["url"] }, { required: ["file"] }],
      },
      description: "The calendars that can be read",
    },
    timeZone: { type: "string", description: "An IANA zone such as Europe/Berlin; left out: this machine's" },
    timeoutMs: {
      type: "integer",
      minimum: 1,
      maximum: 30_000,
      default: 15_000,
      description: "For fetching one calendar",
    },
    maxBytes: { type: "integer", minimum: 1, default: 10_485_760, description: "The largest calendar" },
  },
} as const;
