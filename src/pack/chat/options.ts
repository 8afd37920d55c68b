/** Settings of the chat pack: the providers that are active, each with the targets that may be written to. */
export interface ChatOptions {
  readonly discord?: RemoteProvider;
  readonly slack?: RemoteProvider;
  readonly telegram?: RemoteProvider;
  readonly local?: LocalProvider;
  /** Let messages mention people and groups. Left out: they are disarmed. */
  readonly mentions?: boolean;
}

export interface RemoteProvider {
  readonly token: string;
  readonly targets: readonly string[];
  readonly baseUrl?: string;
}

/** For trying things out: messages go to a file, or are only kept in memory. */
export interface LocalProvider {
  readonly targets: readonly string[];
  readonly file?: string;
}

const targets = {
  type: "array",
  items: { type: "string", minLength: 1, maxLength: 100 },
  description: "Who may be written to: channel:<id>, user:<id> or a bare id; * for anyone. Nobody else is",
} as const;

const remote = (variable: string, baseUrl: string) =>
  ({
    type: "object",
    additionalProperties: false,
    required: ["token", "targets"],
    properties: {
      token: { type: "string", minLength: 8, description: `The bot's token: write \${${variable}} here` },
      targets,
      baseUrl: { type: "string", pattern: "^https?://", default: baseUrl, description: "The provider's address" },
    },
  }) as const;

export const defaultBaseUrls = {
  discord: "https://discord.com/api/v10",
  slack: "https://slack.com/api",
  telegram: "https://api.telegram.org",
} as const;

export const chatOptions = {
  type: "object",
  additionalProperties: false,
  properties: {
    discord: remote("DISCORD_TOKEN", defaultBaseUrls.discord),
    slack: remote("SLACK_BOT_TOKEN", defaultBaseUrls.slack),
    telegram: remote("TELEGRAM_BOT_TOKEN", defaultBaseUrls.telegram),
    local: {
      type: "object",
      additionalProperties: false,
      required: ["targets"],
      properties: {
        targets,
        file: {
          type: "string",
          minLength: 1,
          format: "path",
          description: "A file that gets a line of JSON for each message",
        },
      },
    },
    mentions: { type: "boolean", default: false, description: "Let messages mention people and groups" },
  },
} as const;
