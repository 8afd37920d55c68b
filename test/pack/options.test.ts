import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { gitPack, vaultPack, webPack, workspacePack } from "biplane/packs";
import { packs } from "../../packages/biplane/src/pack/packs.ts";
import type { Schema } from "../../packages/biplane/src/config/schema.ts";

const documented = Object.keys(packs).filter((name) => name !== "approvals"); // It has no options and no page.

describe("the declared options of a pack", () => {
  test.each(documented)("are the table in docs/packs/%s.md", (name) => {
    const page = readFileSync(new URL(`../../docs/packs/${name}.md`, import.meta.url), "utf8");
    const [, table = ""] = page.split(/^\| option .*\n\| -.*\n/m);
    const rows = table.split("\n\n", 1).flatMap((text) => text.trim().split("\n"));
    const cells = rows.map((row) =>
      row
        .slice(1, -1)
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim()),
    );
    expect(cells).toEqual(rowsOf(packs[name]?.options as Schema));
  });

  test("are checked where a program passes them: each mistake names the key, and a wrong key the one that was meant", () => {
    const mistakes: [() => unknown, string][] = [
      [() => webPack({ alow: [] } as object), "webPack: alow is not a known key; did you mean allow?"],
      [() => webPack({ maxRedirects: 21 }), "webPack: maxRedirects must be at"],
      [() => webPack({ rate: { perSecond: 1 } } as object), "webPack: rate must have property 'burst'"],
      [() => webPack({ ports: [0] }), "webPack: ports[0] must be at least 1"],
      [() => gitPack({} as { root: string }), "gitPack: its options must have property 'root'"],
      [() => workspacePack(undefined as never), "workspacePack: its options must be object"],
      [
        () => vaultPack({ root: "x", git: { repository: "x", autosync: true } as { repository: string } }),
        "vaultPack: git has unknown property 'autosync'",
      ],
    ];
    for (const [open, message] of mistakes) expect(open).toThrow(message);
  });

  test("are checked before a pack of the config is opened, too", async () => {
    expect(documented.length).toBeGreaterThan(10);
    for (const name of documented)
      await expect(packs[name]?.open({ junk: 1 })).rejects.toThrow(`${name}Pack: junk is not a known key`);
  });
});

/** Option, default, meaning. */
function rowsOf({ properties = {}, required = [] }: Schema, path = ""): string[][] {
  return Object.entries(properties).flatMap(([key, each]) => {
    const isRequired = required.includes(key);
    const { description = "", maximum, default: preset } = each;
    const most = maximum === undefined ? "" : ` (at most ${maximum.toLocaleString("en")})`;
    const own = [`\`${path}${key}\``, isRequired ? "required" : shownDefault(key, preset), description + most];
    return preset === undefined ? [own, ...rowsOf(each, `${path}${key}.`)] : [own];
  });
}

function shownDefault(key: string, preset: unknown): string {
  if (preset === undefined) return "";
  if (typeof preset !== "number") return `\`${typeof preset === "string" ? preset : JSON.stringify(preset)}\``;
  if (key.endsWith("Bytes") && preset % 2 ** 20 === 0) return `${preset / 2 ** 20} MiB`;
  return key.endsWith("Bytes") && preset % 1024 === 0 ? `${preset / 1024} KiB` : preset.toLocaleString("en");
}
