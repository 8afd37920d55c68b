import { BiplaneError, reply, text, tool } from "@biplane/core";
import type { Pack } from "@biplane/core";
import { createNetworkGuard } from "../shared/net/network-guard.ts";
import type { NetworkGuardOptions } from "../shared/net/network-guard.ts";
import { createRestClient } from "../shared/net/rest-client.ts";
import { parseRequestUrl } from "../shared/net/request-target.ts";
import { createIssue, explainGithubError, listIssues } from "./issues.ts";
import type { Issue } from "./issues.ts";
import { githubOptions, publicUrl } from "./options.ts";
import type { GithubOptions } from "./options.ts";
import { optionsReader } from "../shared/options.ts";
import { issueSchema, labelNames, repository } from "./schemas.ts";

const readOptions = optionsReader("githubPack", githubOptions);

/** Replaces the network and the clock in tests. */
type NetworkOverrides = Pick<NetworkGuardOptions, "lookup" | "now" | "wait">;

/** The tools `github_list_issues` and `github_create_issue`. */
export function githubPack(options: GithubOptions = {}, overrides: NetworkOverrides = {}): Pack {
  const { token, baseUrl, repositories } = readOptions(options);
  // A configured host may be internal, but its redirect targets may not.
  const allow = baseUrl === publicUrl ? [] : [parseRequestUrl(baseUrl).hostname];
  const rest = createRestClient({
    ...overrides,
    name: "GitHub",
    baseUrl,
    guard: createNetworkGuard({ ...overrides, allow, userAgent: "Biplane/0.1" }),
    headers: {
      accept: "application/vnd.github+json",
      "x-github-api-version": "2022-11-28",
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    secrets: token === undefined ? [] : [token],
    explain: explainGithubError,
  });

  const requireAllowed = ({ owner, repo }: { owner: string; repo: string }): void => {
    const names = [`${owner}/${repo}`, `${owner}/*`].map((name) => name.toLowerCase());
    if (!repositories || repositories.some((listed) => names.includes(listed.toLowerCase()))) return;
    throw new BiplaneError(
      "POLICY_DENIED",
      `${owner}/${repo} is not an allowed repository. An operator can add it to repositories.`,
    );
  };

  return {
    name: "github",
    ...(token !== undefined && { secrets: { GITHUB_TOKEN: token } }),
    tools: [
      tool({
        name: "github_list_issues",
        title: "List GitHub issues",
        description:
          "List the issues of a GitHub repository, newest first, one page at a time. Excludes pull requests by default.",
        input: {
          type: "object",
          required: ["owner", "repo"],
          properties: {
            ...repository,
            state: { enum: ["open", "closed", "all"], default: "open" },
            labels: { ...labelNames, description: "Only issues that have all of these labels" },
            limit: {
              type: "integer",
              minimum: 1,
              maximum: 100,
              default: 30,
              description: "Issues per page, including excluded pull requests",
            },
            page: { type: "integer", minimum: 1, maximum: 10_000, default: 1 },
            include_pull_requests: { type: "boolean", default: false },
          },
        },
        output: {
          type: "object",
          required: ["issues"],
          properties: {
            issues: { type: "array", items: issueSchema },
            next_page: { type: "integer", description: "The next page, if there is one" },
          },
        },
        timeoutMs: 30_000,
        idempotent: true,
        annotations: { readOnlyHint: true, openWorldHint: true },
        run: async (input, { signal }) => {
          const { include_pull_requests: includesPulls = false, ...given } = input as ListInput;
          requireAllowed(given);
          const query = { state: "open", labels: [], limit: 30, page: 1, ...given };
          const { issues: all, nextPage } = await listIssues(rest, query, signal);
          const issues = all.filter(({ isPullRequest }) => includesPulls || !isPullRequest);
          const head = `Issues in ${query.owner}/${query.repo} (${query.state}):\n\n`;
          const body = issues.length === 0 ? "No issues found.\n" : issues.map(issueText).join("\n");
          const more = nextPage === undefined ? "" : `\nThere are more on page ${nextPage}.`;
          const next = nextPage === undefined ? {} : { next_page: nextPage };
          return reply(text((head + body + more).trimEnd()), {
            structured: { issues: issues.map(issueData), ...next },
          });
        },
      }),
      tool({
        name: "github_create_issue",
        title: "Create a GitHub issue",
        description: "Open a new issue in a GitHub repository.",
        input: {
          type: "object",
          required: ["owner", "repo", "title"],
          properties: {
            ...repository,
            title: { type: "string", minLength: 1, maxLength: 256, pattern: "\\S" },
            body: { type: "string", maxLength: 65_536, description: "Markdown" },
            labels: labelNames,
          },
        },
        output: issueSchema,
        timeoutMs: 30_000,
        annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
        run: async (input, { signal }) => {
          if (token === undefined) {
            throw new BiplaneError("NOT_SUPPORTED", "GitHub not configured: token required");
          }
          const given = input as CreateInput;
          requireAllowed(given);
          const issue = await createIssue(rest, given, signal);
          return reply(text(`Created issue #${issue.number}: ${issue.title}\nURL: ${issue.url}`), {
            structured: issueData(issue),
          });
        },
      }),
    ],
  };
}

type ListInput = {
  readonly owner: string;
  readonly repo: string;
  readonly state?: string;
  readonly labels?: readonly string[];
  readonly limit?: number;
  readonly page?: number;
  readonly include_pull_requests?: boolean;
};

type CreateInput = {
  readonly owner: string;
  readonly repo: string;
  readonly title: string;
  readonly body?: string;
  readonly labels?: readonly string[];
};

function issueText({ number, title, labels, url, createdAt, isPullRequest }: Issue): string {
  const kind = isPullRequest ? " (pull request)" : "";
  const listed = labels.length > 0 ? ` [${labels.join(", ")}]` : "";
  const line = title.replaceAll(/\s+/g, " ").trim();
  return `#${number}: ${line}${kind}${listed}\n    URL: ${url}\n    Created: ${createdAt.slice(0, 10)}\n`;
}

function issueData({ number, title, state, labels, author, url, createdAt, isPullRequest }: Issue) {
  return { number, title, state, labels, author, url, created_at: createdAt, pull_request: isPullRequest };
}
