import type { ServerResponse } from "node:http";
import { json, LocalSite } from "../net/local-site.ts";
import type { Seen } from "../net/local-site.ts";

/** An issue as GitHub's REST API writes it, as far as anyone here looks. */
export function issue(
  number: number,
  options: { title?: string; labels?: string[]; pull?: boolean; state?: string } = {},
) {
  const { title = `Issue ${number}`, labels = [], pull = false, state = "open" } = options;
  const url = `https://github.com/octo/repo/${pull ? "pull" : "issues"}/${number}`;
  return {
    id: 1000 + number,
    number,
    title,
    state,
    html_url: url,
    user: { login: "octocat", id: 1 },
    labels: labels.map((name, id) => ({ id, name, color: "ededed", default: false })),
    created_at: "2026-01-02T03:04:05Z",
    body: null,
    ...(pull && { pull_request: { url, html_url: url, merged_at: null } }),
  };
}

/** A part of GitHub's REST API: issues of octo/repo, with its paging, its errors and its limits. */
export async function githubApi(
  issues: readonly ReturnType<typeof issue>[],
  override?: (seen: Seen, response: ServerResponse) => boolean,
): Promise<LocalSite> {
  return LocalSite.open((seen, response) => {
    if (override?.(seen, response)) return;
    const { pathname, searchParams } = new URL(seen.url, "http://api.test");
    if (seen.headers.authorization !== "Bearer ghp_0123456789abcdef") {
      return json(
        response,
        { message: "Bad credentials", documentation_url: "https://docs.github.com/rest" },
        { status: 401 },
      );
    }
    if (pathname !== "/repos/octo/repo/issues") return json(response, { message: "Not Found" }, { status: 404 });
    if (seen.method === "POST") {
      const { title, labels } = JSON.parse(seen.body) as { title: string; labels?: string[] };
      return json(response, issue(99, { title, labels: labels ?? [] }), { status: 201 });
    }
    const state = searchParams.get("state") ?? "open";
    const labels = searchParams.get("labels")?.split(",") ?? [];
    const size = Number(searchParams.get("per_page") ?? 30);
    const page = Number(searchParams.get("page") ?? 1);
    const found = issues.filter(
      (each) =>
        (state === "all" || each.state === state) &&
        labels.every((label) => each.labels.some(({ name }) => name === label)),
    );
    const hasNext = found.length > page * size;
    const next = `<https://api.github.com/repositories/1/issues?page=${page + 1}>; rel="next"`;
    return json(response, found.slice((page - 1) * size, page * size), { headers: hasNext ? { link: next } : {} });
  });
}
