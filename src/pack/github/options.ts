/** Settings of the GitHub pack. */
export interface GithubOptions {
  /** Left out: only what is public can be read, and nothing written. */
  readonly token?: string;
  readonly baseUrl?: string;
  /** `owner/repo` or `owner/*`. Left out: all that the token may see. */
  readonly repositories?: readonly string[];
}

export const githubOptions = {
  type: "object",
  additionalProperties: false,
  properties: {
    token: { type: "string", minLength: 8, description: "An access token: write ${GITHUB_TOKEN} here" },
    baseUrl: {
      type: "string",
      pattern: "^https?://",
      default: "https://api.github.com",
      description: "The REST address; of GitHub Enterprise Server https://<host>/api/v3",
    },
    repositories: {
      type: "array",
      items: { type: "string", pattern: "^[A-Za-z0-9_-]+/([A-Za-z0-9._-]+|\\*)$" },
      description:
        "The repositories that tools may touch, as owner/repo or owner/*; left out: all that the token may see",
    },
  },
} as const;
