import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, expect, test } from "vitest";
import { openStore } from "biplane/store";
import { openApprovals } from "../../../packages/biplane/src/governance/approvals/approvals.ts";
import { verifyAudit } from "../../../packages/biplane/src/governance/audit/verify.ts";
import { openSecrets } from "../../../packages/biplane/src/governance/secrets/secrets.ts";
import { bundledScript } from "../../support/bundled-script.ts";

const isSoak = process.env["BIPLANE_SOAK"] === "1";
const kills = isSoak ? 200 : 4;
const child = bundledScript(new URL("writing-child.ts", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "biplane-kill-"));
afterAll(() => rmSync(folder, { recursive: true }));

test(
  `killed ${kills} times while it writes, a server has lost nothing that it acknowledged, and its log verifies`,
  async () => {
    const secrets = new Map<string, string>();
    for (let round = 0; round < kills; round++) {
      if (round % 20 === 0) secrets.clear(); // a new file now and then, so that checking all of it stays quick
      const file = join(folder, `${Math.floor(round / 20)}.db`);
      const said = await writeUntilKilled(file, round);
      expect(said.filter(({ what }) => what === "fault")).toEqual([]);
      await using store = await openStore(file);

      for (const { what, name } of said) {
        const [key = "", value = ""] = name.split(" ");
        if (what === "secret") secrets.set(key, value);
      }
      const kept = await openSecrets({ store, key: Buffer.alloc(32, 7), environment: {} });
      const last = said.findLast(({ what }) => what === "secret")?.name.split(" ")[0];
      for (const [name, value] of secrets) {
        // The one that was being set next may be there without having been acknowledged.
        if (name !== last && kept.get(name) !== value) expect(nextOf(value)).toContain(kept.get(name));
        expect(kept.get(name)).toMatch(/^value-\d+-\d+$/);
      }

      const approvals = openApprovals({ store });
      const statuses = new Map<string, string>();
      for (const { what, name } of said) if (["waiting", "approved", "used"].includes(what)) statuses.set(name, what);
      for (const [id, status] of statuses) {
        const approval = await approvals.get(id);
        const further = { waiting: ["waiting", "approved"], approved: ["approved", "used"], used: ["used"] };
        expect(further[status as keyof typeof further], `${status} ${id}`).toContain(approval?.status);
      }

      for (const { what, name } of said) {
        if (what !== "task") continue;
        const task = await store.get("tasks", name);
        expect(["working", "completed"]).toContain(task?.["status"]);
        if (task?.["status"] === "completed")
          expect(task["result"]).toMatchObject({ content: [{ text: "the result of a job" }] });
      }

      expect(await verifyAudit(store)).toMatchObject({ ok: true });
    }
  },
  isSoak ? 3_600_000 : 120_000,
);

/** A value of the same name set fifty rounds later. */
function nextOf(value: string): string[] {
  const [, round = "", n = ""] = /^value-(\d+)-(\d+)$/.exec(value) ?? [];
  return [`value-${round}-${Number(n) + 50}`];
}

async function writeUntilKilled(file: string, round: number): Promise<{ what: string; name: string }[]> {
  const writer = spawn(process.execPath, [child, file, String(round)], { stdio: ["ignore", "pipe", "inherit"] });
  const said: { what: string; name: string }[] = [];
  const killAfter = 20 + ((round * 7919) % 300);
  const lines = createInterface(writer.stdout);
  lines.on("line", (line) => {
    const [, what = "", name = ""] = /^(\w+) (.*)$/.exec(line) ?? [];
    said.push({ what, name });
    if (said.length === killAfter) writer.kill("SIGKILL");
  });
  await Promise.all([once(writer, "exit"), once(lines, "close")]);
  expect(said.length).toBeGreaterThanOrEqual(killAfter);
  return said;
}
