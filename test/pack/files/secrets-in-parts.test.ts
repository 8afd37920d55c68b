import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { server } from "biplane";
import type { Server } from "biplane";
import { filesystemPack, vaultPack, workspacePack } from "biplane/packs";

const token = "sk-Live_0123456789abcdef";
const key = "-----BEGIN KEY-----\nMIIEvQIBADANBgkq\nhkiG9w0BAQEFAASC\n-----END KEY-----\n";
const word = "pässwörd-für-世界";
const file = `first line\ntoken = ${token} # end\n${key}word: ${word}\nlast line\n`;

let root: string;
let kit: Server;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "biplane-parts-"));
  writeFileSync(join(root, "notes.md"), file);
  kit = server({
    name: "kit",
    secrets: { TOKEN: token, KEY: key, WORD: word },
    packs: [workspacePack({ root }), filesystemPack({ roots: [root] }), vaultPack({ root })],
    limits: false,
  });
});
afterAll(async () => {
  await kit.close();
  rmSync(root, { recursive: true });
});

/** The result's content, whatever its shape. */
async function content(name: string, input: object): Promise<Buffer> {
  const result = (await kit.call(name, input)) as { content: string; encoding?: string };
  const { content: text, encoding } = result;
  return Buffer.from(text, encoding === "base64" ? "base64" : "utf8");
}

test.each([1, 3, 6, 7, 50])("a file read %i bytes at a time shows no part of a secret", async (limit) => {
  const parts: Buffer[] = [];
  for (let offset = 0; offset < Buffer.byteLength(file); offset += limit)
    parts.push(await content("workspace_read", { path: "notes.md", unit: "bytes", offset, limit }));
  const text = Buffer.concat(parts).toString();
  expect(text.replaceAll(/(\[REDACTED:\w+\])+/g, "*")).toBe("first line\ntoken = * # end\n*word: *\nlast line\n");
});

test.each([1, 2, 3])("a file read %i lines at a time shows no line of a secret", async (limit) => {
  let text = "";
  for (let offset = 1; offset <= file.split("\n").length; offset += limit)
    text += String(await content("workspace_read", { path: "notes.md", offset, limit }));
  expect(text.replaceAll(/(\[REDACTED:\w+\])+/g, "*")).toBe("first line\ntoken = * # end\n*word: *\nlast line\n");
});

test.each([
  ["head", 4],
  ["tail", 5],
])("%s of a file shows no line of a secret", async (end, count) => {
  const text = String(await content("read_text_file", { path: "notes.md", [end]: count }));
  expect(text).toContain("[REDACTED:KEY]");
  for (const line of key.trim().split("\n")) expect(text).not.toContain(line);
});

test("a search finds nothing by a part of a secret", async () => {
  for (const query of ["sk-L", "0123", "MIIEvQ", "pässw"])
    expect(await kit.call("workspace_search", { query })).toMatchObject({ matches: [] });
  expect(await kit.call("workspace_search", { query: "token" })).toMatchObject({
    matches: [{ text: "token = [REDACTED:TOKEN] # end" }],
  });
});
