import type { ValueOf } from "@biplane/core/internal";
import { described, object } from "../../schema/builders.ts";
import { flag, optionsOf, path } from "../shared/options.ts";

const targets = {
  type: "array",
  items: { type: "string", minLength: 1, maxLength: 100 },
  description: "Allowed recipients: `channel:<id>`, `user:<id>` or an id; `*` allows everyone",
} as const;

const remote = (variable: string, baseUrl: string) =>
  object(
    {
      token: {
        type: "string",
        minLength: 8,
        description: `The bot's token. Write \`\${${variable}}\` to read it from a secret`,
      },
      targets,
    },
    { baseUrl: { type: "string", pattern: "^https?://", default: baseUrl, description: "The provider's base URL" } },
  );

export const defaultBaseUrls = {
  discord: "https://discord.com/api/v10",
  slack: "https://slack.com/api",
  telegram: "https://api.telegram.org",
} as const;

const discord = remote("DISCORD_TOKEN", defaultBaseUrls.discord);

/** The active providers, each with its allowed targets. */
export const chatOptions = optionsOf(
  {},
  {
    discord,
    slack: remote("SLACK_BOT_TOKEN", defaultBaseUrls.slack),
    telegram: remote("TELEGRAM_BOT_TOKEN", defaultBaseUrls.telegram),
    local: described(
      "For tests and development: messages go to a file or to memory",
      object({ targets }, { file: path("A JSON Lines file to append messages to") }),
    ),
    mentions: flag(false, "Allow mentions of people and groups, which are escaped otherwise"),
  },
);

export type ChatOptions = ValueOf<typeof chatOptions>;
export type ChatSettings = ValueOf<typeof chatOptions, true>;
