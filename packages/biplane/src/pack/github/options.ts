import type { ValueOf } from "@biplane/core/internal";
import { cassetteMembers } from "../shared/net/open-cassette.ts";
import { optionsOf } from "../shared/options.ts";

export const publicUrl = "https://api.github.com";

export const githubOptions = optionsOf(
  {},
  {
    token: {
      type: "string",
      minLength: 8,
      description:
        "An access token. Write `${GITHUB_TOKEN}` to read it from a secret. Without one, only public repositories can be read",
    },
    baseUrl: {
      type: "string",
      pattern: "^https?://",
      default: publicUrl,
      description: "Base URL of the REST API. For GitHub Enterprise Server: `https://<host>/api/v3`",
    },
    repositories: {
      type: "array",
      items: { type: "string", pattern: "^[A-Za-z0-9_-]+/([A-Za-z0-9._-]+|\\*)$" },
      description: "Allowed repositories, as `owner/repo` or `owner/*` (default: all that the token can access)",
    },
    ...cassetteMembers,
  },
);

export type GithubOptions = ValueOf<typeof githubOptions>;
