import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createNetworkGuard } from "../../../packages/biplane/src/pack/shared/net/network-guard.ts";
import { HttpCassette } from "../../../packages/biplane/src/pack/shared/net/http-cassette.ts";
import { githubPack } from "../../../packages/biplane/src/pack/github/pack.ts";
import { webPack } from "../../../packages/biplane/src/pack/web/pack.ts";
import { PackServer } from "../pack-server.ts";
import { githubApi, issue } from "../github/github-api.ts";
import { LocalSite } from "./local-site.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const token = "ghp_0123456789abcdef";

test("the GitHub pack records its requests, and answers from the cassette without a network", async () => {
  await using folder = await temporaryFolder();
  const cassette = join(folder.path, "cassettes", "github.jsonl");
  const where = { owner: "octo", repo: "repo" };
  let url: string;
  let listed: string;
  {
    await using api = await githubApi([issue(1), issue(2)]);
    url = api.url;
    await using pack = new PackServer(githubPack({ token, baseUrl: url, record: true, cassette }));
    listed = await pack.text("github_list_issues", where);
    await pack.text("github_create_issue", { ...where, title: `About ${token}` });
    await pack.text("github_list_issues", where);
    expect(api.seen).toHaveLength(2);
  }
  const text = await readFile(cassette, "utf8");
  expect(text).not.toContain(token);
  expect(text).not.toMatch(/authorization/i);

  await using pack = new PackServer(githubPack({ token: "ghp_another_token_of_mine", baseUrl: url, cassette }));
  expect(await pack.text("github_list_issues", where)).toBe(listed);
  expect(await pack.text("github_list_issues", { ...where, state: "closed" })).toMatch(
    /has no request GET .*state=closed.* The nearest is GET .*Set record: true to add it/,
  );
});

test("the web pack reads a page from the cassette after its site is gone", async () => {
  await using folder = await temporaryFolder();
  const cassette = join(folder.path, "web.jsonl");
  const options = { allow: ["127.0.0.0/8"], cassette };
  let url: string;
  {
    await using site = await LocalSite.open((_, response) =>
      response.writeHead(200, { "content-type": "text/plain" }).end("A plain page."),
    );
    ({ url } = site);
    await using web = new PackServer(webPack({ ...options, record: true }));
    expect(await web.text("web_fetch", { url })).toContain("A plain page.");
  }
  await using web = new PackServer(webPack(options));
  expect(await web.text("web_fetch", { url })).toContain("A plain page.");
  expect(await web.text("web_fetch", { url: `${url}/other` })).toMatch(/The cassette .* has no request GET/);
});

test("equal requests are answered in recorded order, bytes stay bytes, and secrets leave the URL", async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, "web.jsonl");
  const bytes = Buffer.from([0xff, 0xfe, 0x00, 0x80]);
  {
    await using site = await LocalSite.open((_, response) =>
      response.writeHead(200, { "content-type": "application/octet-stream", "x-session": "private" }).end(bytes),
    );
    const guard = createNetworkGuard({
      allow: ["127.0.0.0/8"],
      cassette: new HttpCassette({ file, isRecording: true }),
    });
    const { body } = await guard.fetch(`${site.url}/a?access_token=abc123&page=2`);
    expect(body).toEqual(bytes);
  }
  const text = await readFile(file, "utf8");
  expect(text).not.toMatch(/abc123|x-session|private/);
  const [, line = ""] = text.split("\n");
  const entry = JSON.parse(line) as { request: string; response: { base64: string } };
  const later = { ...entry, response: { ...entry.response, base64: Buffer.from("later").toString("base64") } };
  await writeFile(file, `${text}${JSON.stringify(later)}\n`);
  const guard = createNetworkGuard({ cassette: new HttpCassette({ file, isRecording: false }) });
  const url = decodeURIComponent(
    entry.request.replace(/^GET /, "").replace(/access_token=[^&]*/, "access_token=other"),
  );
  const bodies = [];
  for (let count = 0; count < 3; count++) bodies.push((await guard.fetch(url)).body.toString("latin1"));
  expect(bodies).toEqual([bytes.toString("latin1"), "later", "later"]);
});

test("a cassette that is missing, or is none, is refused with what to do", async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, "none.jsonl");
  expect(() => new HttpCassette({ file, isRecording: false })).toThrow(/There is no cassette .*Set record: true/);
  await writeFile(file, "{}\n");
  expect(() => new HttpCassette({ file, isRecording: true })).toThrow(/is not a cassette of version 1/);
});
