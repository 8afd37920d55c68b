import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { server, tool } from "biplane";
import { connect } from "biplane/client";
import { startHost } from "biplane/host";
import { readSessionRecordings } from "biplane/recording";
import { secretValues } from "../../packages/biplane/src/recording/secret-values.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

afterEach(() => void vi.unstubAllEnvs());

test("a host with `record` keeps the sessions of each server, without the secrets of its store", async () => {
  await using folder = await temporaryFolder();
  const record = join(folder.path, "sessions");
  const secret = "a-secret-of-the-host-0123";
  {
    vi.stubEnv("BIPLANE_SECRET_SHOP_KEY", secret);
    const shop = server({
      name: "shop",
      version: "1",
      tools: [tool({ name: "key_show", run: () => `It is ${secret}.` })],
    });
    await using host = await startHost({
      serve: [shop],
      folder: folder.path,
      settings: { listen: "http://127.0.0.1:0", "logging.level": "error", record },
    });
    await using client = await connect(`${host.url}/mcp`);
    expect(JSON.stringify(await client.callTool("key_show"))).not.toContain(secret);
  }
  const files = await readdir(record);
  expect(files).toHaveLength(1);
  expect(files[0]).toMatch(/^shop-\d{14}-\d+\.jsonl$/);
  const file = join(record, files[0] ?? "");
  const { sessions } = await readSessionRecordings([file]);
  expect(sessions[0]?.calls).toMatchObject([{ tool: "key_show" }]);
  expect(await readFile(file, "utf8")).not.toContain(secret);
});

test("a proxy redacts what the servers of a config are given as secrets", () => {
  const entries = [
    { command: "x", env: { SERVICE_TOKEN: "abcdefgh-1", HOME: "/home/someone", SHORT_SECRET: "abc" } },
    { url: "http://x", headers: { Authorization: "Bearer tok-123456789", Accept: "application/json" } },
  ];
  expect(secretValues(entries, { MY_API_KEY: "key-987654321", PATH: "/usr/bin:/bin", LANG: "en_US.UTF-8" })).toEqual({
    MY_API_KEY: "key-987654321",
    SERVICE_TOKEN: "abcdefgh-1",
    Authorization: "tok-123456789",
  });
});
