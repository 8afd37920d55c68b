import { BiplaneError } from "@biplane/core";
import type { Call } from "@biplane/core";
import { recordOrEmpty } from "../shared/net/rest-client.ts";
import type { RestClient } from "../shared/net/rest-client.ts";
import type { Issue } from "./schemas.ts";

/** Lists one page of issues. GitHub includes pull requests. */
export async function listIssues(
  rest: RestClient,
  query: { owner: string; repo: string; state: string; labels: readonly string[]; limit: number; page: number },
  call: Call,
): Promise<{ issues: readonly Issue[]; nextPage: number | undefined }> {
  const { owner, repo, state, labels, limit, page } = query;
  const { data, headers } = await rest({
    method: "GET",
    path: ["repos", owner, repo, "issues"],
    query: { state, per_page: limit, page, labels: labels.length > 0 ? labels.join(",") : undefined },
    signal: call.signal,
    redacting: call,
  });
  if (!Array.isArray(data))
    throw new BiplaneError("EXECUTION_ERROR", "GitHub returned a response that is not a list of issues.");
  const hasNext = /rel="next"/.test(headers["link"] ?? "");
  return { issues: data.map(issueOf), nextPage: hasNext ? page + 1 : undefined };
}

export async function createIssue(
  rest: RestClient,
  issue: { owner: string; repo: string; title: string; body?: string; labels?: readonly string[] },
  call: Call,
): Promise<Issue> {
  const { owner, repo, ...body } = issue;
  const { data } = await rest({
    method: "POST",
    path: ["repos", owner, repo, "issues"],
    body,
    signal: call.signal,
    redacting: call,
  });
  return issueOf(data);
}

/** Extracts GitHub's error message. */
export function explainGithubError(data: unknown): string | undefined {
  const { message, errors } = recordOrEmpty(data);
  const more = Array.isArray(errors)
    ? errors.map((error) => {
        const { message, field, code } = recordOrEmpty(error);
        return typeof message === "string"
          ? message
          : [field, code].filter((part) => typeof part === "string").join(" ");
      })
    : [];
  const all = [message, ...more].filter((part): part is string => typeof part === "string" && part !== "");
  return all.length > 0 ? all.join("; ") : undefined;
}

function issueOf(data: unknown): Issue {
  const { number, title, state, labels, user, html_url, created_at, pull_request } = recordOrEmpty(data);
  if (typeof number !== "number")
    throw new BiplaneError("EXECUTION_ERROR", "GitHub returned a response that is not an issue.");
  return {
    number,
    title: textOf(title),
    state: textOf(state),
    labels: Array.isArray(labels)
      ? labels.map((label) => textOf(typeof label === "string" ? label : recordOrEmpty(label)["name"]))
      : [],
    author: textOf(recordOrEmpty(user)["login"]),
    url: textOf(html_url),
    created_at: textOf(created_at),
    pull_request: pull_request !== undefined && pull_request !== null,
  };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
