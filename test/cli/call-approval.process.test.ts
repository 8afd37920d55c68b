import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { openKit } from "../governance/approvals/approval-server.ts";
import { commandLine, runHere } from "./command.ts";

const pending = fileURLToPath(new URL("pending-server.mjs", import.meta.url));

test("a call that waits says at once how to approve it, and prints its result once it is approved elsewhere", async () => {
  await using kit = await openKit();
  const { url } = await kit.server.serve("http://127.0.0.1:0");
  const { command, args } = commandLine("call", `${url}/mcp`, "refund", "amount=5");
  const call = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
  const [output, closed] = [text(call.stdout), once(call, "close")];
  const lines = createInterface(call.stderr)[Symbol.asyncIterator]();
  const id = await kit.waiting();
  expect((await lines.next()).value).toBe(`refund {"amount":5} waits for approval ${id}.`);
  const [, how = ""] = /npx biplane (.*)$/.exec(String((await lines.next()).value)) ?? [];
  expect(how).toBe(`approvals approve ${id}`);
  expect(await runHere(...how.split(" "), "--store", kit.file)).toMatchObject({ code: 0 });
  expect((await closed)[0]).toBe(0);
  expect(await output).toBe("refunded 5\n");
});

test("a call that is not approved ends at its timeout, and the same command finds the answer later", async () => {
  await using kit = await openKit();
  const { url } = await kit.server.serve("http://127.0.0.1:0");
  const call = ["call", `${url}/mcp`, "refund", "amount=7", "--timeout", "1"];
  const late = await runHere(...call);
  const id = await kit.waiting();
  expect(late).toMatchObject({ code: 1, stdout: "" });
  expect(late.stderr).toContain(`biplane approvals approve ${id}\n`);
  expect(late.stderr).toContain(`biplane: refund still waits for approval ${id} after 1 s.`);
  expect(kit.refunds).toEqual([]);
  await runHere("approvals", "approve", id, "--store", kit.file);
  expect(await runHere(...call)).toEqual({ code: 0, stdout: "refunded 7\n", stderr: "" });
});

test("a server without tasks is called again until the answer is there", async () => {
  const answered = await runHere("call", "refund", "--", process.execPath, pending);
  expect(answered).toMatchObject({ code: 0, stdout: "refunded at call 2\n" });
  expect(answered.stderr).toContain("npx biplane approvals approve 'a b'\n");
});
