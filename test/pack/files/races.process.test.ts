import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { workspacePack } from "../../../packages/biplane/src/pack/workspace/pack.ts";
import { Playground } from "./playground.ts";
import { needs } from "../../support/needs.ts";

/** Another process that swaps a folder for a link and back, as fast as it can. */
const swapper = `
  const { cpSync, mkdirSync, renameSync, rmSync, symlinkSync } = require("node:fs");
  process.on("message", () => process.exit());
  mkdirSync("../trash");
  const attempt = (work) => { try { work(); } catch {} };
  const clear = () => {
    attempt(() => renameSync("folder", "../trash/" + process.hrtime.bigint()));
  };
  const linger = () => {
    for (const until = process.hrtime.bigint() + 500_000n; process.hrtime.bigint() < until;);
  };
  process.send("ready");
  const swap = () => {
    for (let round = 0; round < 10; round++) {
      clear();
      attempt(() => symlinkSync("../outside", "folder"));
      linger();
      clear();
      attempt(() => cpSync("template", "folder", { recursive: true }));
      linger();
    }
    attempt(() => rmSync("../trash", { recursive: true, force: true }));
    attempt(() => mkdirSync("../trash", { recursive: true }));
    setImmediate(swap);
  };
  swap();
`;

test(
  "a folder that is swapped for a link between the check and the use leads nowhere",
  { timeout: 600_000, ...needs("linux") },
  async () => {
    await using playground = new Playground();
    const kit = playground.serve(workspacePack({ root: playground.at("root"), approveDelete: false }));
    playground.write("outside/a.txt", "CANARY");
    playground.write("outside/deep/b.txt", "CANARY");
    playground.write("root/template/a.txt", "inside");
    playground.write("root/template/deep/b.txt", "inside");
    const child = spawn(process.execPath, ["-e", swapper], {
      cwd: playground.at("root"),
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    const exited = once(child, "exit");
    await once(child, "message");
    using _ = { [Symbol.dispose]: () => child.kill() };
    const told: string[] = [];
    const rounds = process.env["BIPLANE_SOAK"] ? 2000 : 60;
    for (let round = 0; round < rounds; round++) {
      const answers = await Promise.allSettled([
        kit.call("workspace_read", { path: "folder/a.txt" }),
        kit.call("workspace_read", { path: "folder/deep/b.txt" }),
        kit.call("workspace_write", { path: `folder/written-${round}.txt`, content: "WRITTEN" }),
        kit.call("workspace_write", { path: `folder/new-${round}/c.txt`, content: "WRITTEN" }),
        kit.call("workspace_list", { path: "folder", recursive: true }),
        kit.call("workspace_search", { query: "CANARY" }),
        kit.call("workspace_move", { from: "folder/deep/b.txt", to: "folder/deep/b.txt" }),
        kit.call("workspace_delete", { path: `folder/new-${round - 1}`, recursive: true }),
      ]);
      told.push(
        ...answers.map((answer) =>
          JSON.stringify(answer.status === "fulfilled" ? answer.value : String(answer.reason)),
        ),
      );
    }
    child.send("stop");
    await exited;
    expect(told.filter((answer) => answer.includes("CANARY"))).toEqual([]);
    expect(playground.files("outside")).toEqual(["a.txt", "b.txt"]);
    expect([playground.read("outside/a.txt"), playground.read("outside/deep/b.txt")]).toEqual(["CANARY", "CANARY"]);
    expect(told.some((answer) => answer.includes("leads outside"))).toBe(true);
    expect(told.some((answer) => answer.includes("inside"))).toBe(true);
  },
);
