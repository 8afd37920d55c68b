import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { githubOptions } from "../../../packages/biplane/src/pack/github/options.ts";
import type { GithubOptions } from "../../../packages/biplane/src/pack/github/options.ts";
import { githubPack } from "../../../packages/biplane/src/pack/github/pack.ts";
import { compileConfig } from "../../../packages/core/src/tool/schema.ts";
import { json, LocalSite } from "../net/local-site.ts";
import type { Seen } from "../net/local-site.ts";
import { PackServer } from "../pack-server.ts";
import { githubApi, issue } from "./github-api.ts";

const token = "ghp_0123456789abcdef";
const where = { owner: "octo", repo: "repo" };
const issues = [
  issue(3, { title: "Third", labels: ["bug", "good first issue"] }),
  issue(2, { title: "A change", pull: true }),
  issue(1, { title: "First\n#9: fake", state: "closed" }),
];

/** A clock that only waiting moves. */
function world() {
  let at = Date.parse("2026-01-01T00:00:00Z");
  const waits: number[] = [];
  return {
    waits,
    now: () => at,
    wait: async (ms: number) => {
      waits.push(ms);
      at += ms;
    },
  };
}

function github(site: LocalSite, options: Partial<GithubOptions> = {}, place = world()): PackServer {
  return new PackServer(githubPack({ token, baseUrl: site.url, ...options }, place));
}

describe("listing issues", () => {
  test("shows open ones, and no pull requests", async () => {
    await using api = await githubApi(issues);
    expect(await github(api).text("github_list_issues", where)).toBe(
      [
        "Issues in octo/repo (open):",
        "",
        "#3: Third [bug, good first issue]",
        "    URL: https://github.com/octo/repo/issues/3",
        "    Created: 2026-01-02",
      ].join("\n"),
    );
    expect(api.seen[0]).toMatchObject({
      url: "/repos/octo/repo/issues?state=open&per_page=30&page=1",
      headers: {
        accept: "application/vnd.github+json",
        "x-github-api-version": "2022-11-28",
        authorization: `Bearer ${token}`,
      },
    });
  });

  test("marks pull requests if they are requested", async () => {
    await using api = await githubApi(issues);
    const input = { ...where, state: "all", include_pull_requests: true };
    expect(await github(api).text("github_list_issues", input)).toContain("#2: A change (pull request)\n");
    expect(await github(api).call("github_list_issues", input)).toMatchObject({
      issues: [{ number: 3, pull_request: false, author: "octocat" }, { number: 2, pull_request: true }, { number: 1 }],
    });
  });

  test("filters by state and labels", async () => {
    await using api = await githubApi(issues);
    const closed = await github(api).text("github_list_issues", { ...where, state: "closed" });
    expect(closed).toContain("#1: First #9: fake\n");
    const labels = ["bug", "good first issue"];
    expect(await github(api).call("github_list_issues", { ...where, labels })).toMatchObject({
      issues: [{ number: 3 }],
    });
    expect(await github(api).text("github_list_issues", { ...where, labels: ["nothing has it"] })).toBe(
      "Issues in octo/repo (open):\n\nNo issues found.",
    );
  });

  test("goes page by page", async () => {
    await using api = await githubApi(Array.from({ length: 5 }, (_, at) => issue(5 - at)));
    const subject = github(api);
    expect(await subject.text("github_list_issues", { ...where, limit: 2 })).toContain("There are more on page 2.");
    const numbers: number[] = [];
    for (let page: number | undefined = 1; page !== undefined;) {
      const found = (await subject.call("github_list_issues", { ...where, limit: 2, page })) as {
        issues: { number: number }[];
        next_page?: number;
      };
      numbers.push(...found.issues.map(({ number }) => number));
      page = found.next_page;
    }
    expect(numbers).toEqual([5, 4, 3, 2, 1]);
  });
});

describe("creating an issue", () => {
  test("sends it and returns its number and URL", async () => {
    await using api = await githubApi([]);
    const input = { ...where, title: "It breaks", body: "Like **this**", labels: ["bug"] };
    expect(await github(api).text("github_create_issue", input)).toBe(
      "Created issue #99: It breaks\nURL: https://github.com/octo/repo/issues/99",
    );
    expect(api.seen[0]).toMatchObject({ method: "POST", url: "/repos/octo/repo/issues" });
    expect(JSON.parse(api.seen[0]?.body ?? "")).toEqual({ title: "It breaks", body: "Like **this**", labels: ["bug"] });
  });

  test("needs a token", async () => {
    await using api = await githubApi([]);
    const subject = new PackServer(githubPack({ baseUrl: api.url }));
    expect(await subject.text("github_create_issue", { ...where, title: "x" })).toBe(
      "NOT_SUPPORTED: GitHub not configured: token required",
    );
    expect(api.seen).toEqual([]);
  });
});

describe("owner and repo cannot lead to another address with the token", () => {
  test.each([
    { repo: "r/issues/1/comments?" },
    { repo: "../../user" },
    { repo: ".." },
    { repo: "." },
    { repo: "" },
    { repo: "r#" },
    { repo: "r%2fissues" },
    { repo: "r\n" },
    { repo: "ｒepo" },
    { owner: "octo/repo/issues/1/comments?" },
    { owner: ".." },
    { owner: "-octo" },
    { owner: "evil.example\\@" },
    { owner: "o".repeat(101) },
  ])("%j", async (names) => {
    await using api = await githubApi(issues);
    const subject = github(api);
    for (const [tool, more] of [
      ["github_list_issues", {}],
      ["github_create_issue", { title: "x" }],
    ] as const) {
      expect(await subject.text(tool, { ...where, ...names, ...more })).toMatch(/^INVALID_INPUT/);
    }
    expect(api.connections).toBe(0);
  });

  test("repositories that are not listed are refused where a list is given", async () => {
    await using api = await githubApi(issues);
    const of = (repositories: string[]) => github(api, { repositories }).text("github_list_issues", where);
    expect(await of(["octo/other", "octa/*"])).toBe(
      "POLICY_DENIED: octo/repo is not an allowed repository. An operator can add it to repositories.",
    );
    expect(await of(["Octo/*"])).toContain("#3");
    expect(await of(["octo/Repo"])).toContain("#3");
  });
});

describe("errors are reported", () => {
  const failing =
    (status: number, body: unknown, headers: Record<string, string> = {}) =>
    (_: Seen, response: ServerResponse) => {
      json(response, body, { status, headers });
      return true;
    };

  test.each<[string, number, unknown, Record<string, string>, string]>([
    ["not found", 404, { message: "Not Found" }, {}, "GitHub answered 404 Not Found: Not Found"],
    [
      "gone",
      410,
      { message: "Issues are disabled for this repo" },
      {},
      "GitHub answered 410 Gone: Issues are disabled for this repo",
    ],
    [
      "invalid",
      422,
      { message: "Validation Failed", errors: [{ resource: "Issue", field: "title", code: "missing_field" }] },
      {},
      "GitHub answered 422 Unprocessable Entity: Validation Failed; title missing_field",
    ],
    [
      "not allowed",
      403,
      { message: "Resource not accessible by personal access token" },
      { "x-ratelimit-remaining": "4999" },
      "GitHub answered 403 Forbidden: Resource not accessible by personal access token",
    ],
    [
      "used up",
      403,
      { message: "API rate limit exceeded" },
      { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1767226500" },
      "GitHub is rate limiting its API. Try again in 900 s, at 2026-01-01T00:15:00Z.",
    ],
    [
      "too fast",
      403,
      { message: "secondary rate limit" },
      { "retry-after": "60" },
      "GitHub is rate limiting its API. Try again in 60 s, at 2026-01-01T00:01:00Z.",
    ],
    ["no JSON", 502, "<html>", {}, "GitHub answered 502 Bad Gateway"],
  ])("%s", async (_, status, body, headers, expected) => {
    await using api = await githubApi([], failing(status, body, headers));
    expect(await github(api).text("github_list_issues", where)).toBe(`EXECUTION_ERROR: ${expected}`);
  });

  test("a short wait that is asked for is waited, and the request sent again", async () => {
    const place = world();
    await using api = await githubApi(issues, (seen, response) =>
      place.waits.length === 0 ? failing(429, { message: "slow down" }, { "retry-after": "3" })(seen, response) : false,
    );
    expect(await github(api, {}, place).text("github_list_issues", where)).toContain("#3");
    expect(place.waits).toContain(3000);
    expect(api.seen).toHaveLength(2);
  });

  test("an answer that is neither a list nor an issue", async () => {
    await using api = await githubApi([], failing(200, { unexpected: true }));
    expect(await github(api).text("github_list_issues", where)).toContain("not a list of issues");
    expect(await github(api).text("github_create_issue", { ...where, title: "x" })).toContain("not an issue");
  });

  test("the token is in no error, even where the service repeats it", async () => {
    await using api = await githubApi([], failing(401, { message: `Bad credentials: ${token}` }));
    const pack = githubPack({ token, baseUrl: api.url });
    expect(pack.secrets).toEqual({ GITHUB_TOKEN: token });
    const bare = new PackServer({ name: pack.name, tools: pack.tools });
    expect(await bare.text("github_list_issues", where)).toBe(
      "EXECUTION_ERROR: GitHub answered 401 Unauthorized: Bad credentials: [REDACTED:SECRET]",
    );
  });

  test("the token does not follow a redirect to another host", async () => {
    await using other = await LocalSite.open((_, response) => json(response, []));
    await using api = await githubApi([], (_, response) => {
      response.writeHead(301, { location: `${other.url}/x` }).end();
      return true;
    });
    await github(api).text("github_list_issues", where);
    expect(other.seen).toHaveLength(1);
    expect(other.seen[0]?.headers.authorization).toBeUndefined();
  });
});

test("an address of GitHub Enterprise keeps its path", async () => {
  await using api = await LocalSite.open((_, response) => json(response, []));
  await github(api, { baseUrl: `${api.url}/api/v3/` }).text("github_list_issues", where);
  expect(api.seen[0]?.url).toMatch(/^\/api\/v3\/repos\/octo\/repo\/issues\?/);
});

test("the settings are described by a schema", () => {
  const { check } = compileConfig(githubOptions);
  expect(check({ token, baseUrl: "https://ghe.corp/api/v3", repositories: ["a/b", "a/*"] })).toMatchObject({
    ok: true,
  });
  expect(check({ repositories: ["a"] })).toMatchObject({ ok: false });
});
