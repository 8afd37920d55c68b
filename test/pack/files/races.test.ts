import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { workspacePack } from "../../../src/pack/workspace/pack.ts";
import { Playground } from "./playground.ts";

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

test.runIf(process.platform === "linux")(
  "a folder that is swapped for a link between the check and the use leads nowhere",
  { timeout: 600_000 },
  async () => {
    await using ground = new Playground();
    const desk = ground.serve(workspacePack({ root: ground.at("root"), approveDelete: false }));
    ground.write("outside/a.txt", "CANARY");
    ground.write("outside/deep/b.txt", "CANARY");
    ground.write("root/template/a.txt", "inside");
    ground.write("root/template/deep/b.txt", "inside");
    const child = spawn(process.execPath, ["-e", swapper], {
      cwd: ground.at("root"),
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    const exited = once(child, "exit");
    await once(child, "message");
    using _ = { [Symbol.dispose]: () => child.kill() };
    const told: string[] = [];
    const rounds = process.env["BIPLANE_SOAK"] ? 2000 : 60;
    for (let round = 0; round < rounds; round++) {
      const answers = await Promise.allSettled([
        desk.call("workspace_read", { path: "folder/a.txt" }),
        desk.call("workspace_read", { path: "folder/deep/b.txt" }),
        desk.call("workspace_write", { path: `folder/written-${round}.txt`, content: "WRITTEN" }),
        desk.call("workspace_write", { path: `folder/new-${round}/c.txt`, content: "WRITTEN" }),
        desk.call("workspace_list", { path: "folder", recursive: true }),
        desk.call("workspace_search", { query: "CANARY" }),
        desk.call("workspace_move", { from: "folder/deep/b.txt", to: "folder/deep/b.txt" }),
        desk.call("workspace_delete", { path: `folder/new-${round - 1}`, recursive: true }),
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
    expect(ground.files("outside")).toEqual(["a.txt", "b.txt"]);
    expect([ground.read("outside/a.txt"), ground.read("outside/deep/b.txt")]).toEqual(["CANARY", "CANARY"]);
    expect(told.some((answer) => answer.includes("leads outside"))).toBe(true);
    expect(told.some((answer) => answer.includes("inside"))).toBe(true);
  },
);
