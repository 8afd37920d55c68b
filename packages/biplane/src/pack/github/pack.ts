import { BiplaneError } from "@biplane/core";
import type { Pack } from "@biplane/core";
import { list, object } from "../../schema/builders.ts";
import type { NetworkOverrides } from "../shared/net/network-guard.ts";
import { openCassette } from "../shared/net/open-cassette.ts";
import { createRestClient } from "../shared/net/rest-client.ts";
import { packTool, textReply } from "../shared/pack-tool.ts";
import { createIssue, explainGithubError, listIssues } from "./issues.ts";
import { githubOptions, publicUrl } from "./options.ts";
import type { GithubOptions } from "./options.ts";
import { readOptions } from "../shared/options.ts";
import { issueSchema, labelNames, repository } from "./schemas.ts";
import type { Issue } from "./schemas.ts";

/** The tools `github_list_issues` and `github_create_issue`. */
export function githubPack(options: GithubOptions = {}, network: NetworkOverrides = {}): Pack {
  const { token, baseUrl, repositories, record, cassette } = readOptions(options, {
    pack: "githubPack",
    schema: githubOptions,
  });
  const secrets = token === undefined ? [] : [token];
  const rest = createRestClient({
    name: "GitHub",
    baseUrl,
    publicUrl,
    userAgent: "Biplane/0.1",
    network,
    headers: {
      accept: "application/vnd.github+json",
      "x-github-api-version": "2022-11-28",
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    secrets,
    cassette: openCassette("github", { record, cassette, secrets }),
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
      packTool({
        name: "github_list_issues",
        title: "List GitHub issues",
        description:
          "List the issues of a GitHub repository, newest first, one page at a time. Excludes pull requests by default.",
        input: object(repository, {
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
        }),
        output: object(
          { issues: list(issueSchema) },
          { next_page: { type: "integer", description: "The next page, if there is one" } },
        ),
        idempotent: true,
        annotations: { readOnlyHint: true, openWorldHint: true },
        run: async ({ include_pull_requests: includesPulls, labels = [], ...query }, call) => {
          requireAllowed(query);
          const { issues: all, nextPage } = await listIssues(rest, { ...query, labels }, call);
          const issues = all.filter(({ pull_request }) => includesPulls || !pull_request);
          const head = `Issues in ${query.owner}/${query.repo} (${query.state}):\n\n`;
          const body = issues.length === 0 ? "No issues found.\n" : issues.map(issueText).join("\n");
          const more = nextPage === undefined ? "" : `\nThere are more on page ${nextPage}.`;
          const next = nextPage === undefined ? {} : { next_page: nextPage };
          return textReply((head + body + more).trimEnd(), { issues, ...next });
        },
      }),
      packTool({
        name: "github_create_issue",
        title: "Create a GitHub issue",
        description: "Open a new issue in a GitHub repository.",
        input: object(
          { ...repository, title: { type: "string", minLength: 1, maxLength: 256, pattern: "\\S" } },
          { body: { type: "string", maxLength: 65_536, description: "Markdown" }, labels: labelNames },
        ),
        output: issueSchema,
        annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
        run: async (given, call) => {
          if (token === undefined) throw new BiplaneError("NOT_SUPPORTED", "GitHub not configured: token required");
          requireAllowed(given);
          const issue = await createIssue(rest, given, call);
          return textReply(`Created issue #${issue.number}: ${issue.title}\nURL: ${issue.url}`, { ...issue });
        },
      }),
    ],
  };
}

function issueText({ number, title, labels, url, created_at, pull_request }: Issue): string {
  const kind = pull_request ? " (pull request)" : "";
  const listed = labels.length > 0 ? ` [${labels.join(", ")}]` : "";
  const line = title.replaceAll(/\s+/g, " ").trim();
  return `#${number}: ${line}${kind}${listed}\n    URL: ${url}\n    Created: ${created_at.slice(0, 10)}\n`;
}
