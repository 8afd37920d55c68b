import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, test } from "vitest";
import { program, runToEnd } from "../support/project.ts";
import { runIn } from "./command.ts";

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), "biplane-token-"))));
afterAll(() => rm(folder, { recursive: true }));

test("standard output is the token alone, and standard error is what biplane.yaml needs to accept it", async () => {
  const make = `TOKEN=$('${process.execPath}' '${program}' token new --id ada --scope a,b 2> entry.txt); printf %s "$TOKEN"`;
  const { code, stdout: token } = await runToEnd("/bin/sh", ["-c", make], { cwd: folder });
  expect([code, token]).toEqual([0, expect.stringMatching(/^biplane_t_[\w-]+$/)]);
  const told = await readFile(join(folder, "entry.txt"), "utf8");
  expect(told).not.toContain(token);
  expect(told).toContain("The token is not shown again.");
  const lines = told.slice(told.indexOf("auth:"));
  expect(lines).toContain('{ id: "ada", kind: token, scopes: ["a","b"], hash: "sha256:');
  await writeFile(join(folder, "biplane.yaml"), `environments: [echo]\nlisten: http://127.0.0.1:0\n${lines}`);
  const child = spawn(process.execPath, [program, "serve"], { cwd: folder });
  let url: string | undefined;
  for await (const line of createInterface({ input: child.stderr })) {
    url ??= /http:\/\/[\d.:]+\/mcp/.exec(line)?.[0];
    if (line.includes("Ctrl-C")) break;
  }
  child.stderr.resume();
  try {
    const known = await runIn(folder, ["tools", url ?? "", "--bearer", "$TOKEN"], { TOKEN: token });
    const unknown = await runIn(folder, ["tools", url ?? ""]);
    expect(known).toMatchObject({ code: 0, stdout: expect.stringContaining("echo_message(") as string });
    expect([unknown.code, unknown.stdout]).toEqual([1, ""]);
  } finally {
    child.kill("SIGTERM");
    await once(child, "exit");
  }
});
