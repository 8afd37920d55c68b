import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Client as OfficialClient } from "@modelcontextprotocol/client";
import { describe, expect, test } from "vitest";
import { deny, resource, server, skill } from "biplane";
import { connect } from "biplane/client";
import { loadSkills, openSkills } from "biplane/skills";
import { listen, modern, post } from "../support/serving.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const forms = skill({
  name: "pdf-forms",
  description: "Fill in PDF forms",
  instructions: "Read references/FORMS.md first.",
  metadata: { author: "acme" },
  files: { "references/FORMS.md": "# Forms\n", "assets/logo.bin": Uint8Array.of(0, 255, 128) },
});

test("a client lists skills, and reads a file only when it loads one", async () => {
  const reads: unknown[] = [];
  await using subject = server({ name: "s", skills: [forms], hooks: [{ onStart: ({ input }) => reads.push(input) }] });
  await using client = await connect(subject);
  const host = openSkills(client, { origin: "acme" });
  const [offered] = await host.list();
  expect(offered).toMatchObject({ origin: "acme", name: "pdf-forms", uri: "skill://pdf-forms/SKILL.md" });
  expect(reads).toEqual([]);
  const loaded = await host.load(offered as NonNullable<typeof offered>);
  expect(loaded.instructions).toContain("Read references/FORMS.md first.");
  expect(loaded.frontmatter["metadata"]).toEqual({ author: "acme" });
  expect(reads).toEqual([{ uri: "skill://pdf-forms/SKILL.md" }]);
  expect(Buffer.from(await loaded.read("skill://pdf-forms/assets/logo.bin"))).toEqual(Buffer.of(0, 255, 128));
  await expect(loaded.read("skill://pdf-forms/other")).rejects.toThrow("is not one of its files");
});

describe("a skill is not loaded", () => {
  const other = (text: string) => text.replace("Fill in", "Send out");
  const lies: Record<string, (text: string) => string> = {
    "if its text has another length": (text) => `${text}more`,
    "if its text is another": (text) => text.replace("first", "later").replace("Forms", "forms"),
    "if its front matter is another": other,
  };
  test.each(Object.keys(lies))("%s", async (name) => {
    const tampered = {
      ...forms,
      folder: { ...forms.folder, read: async () => (lies[name] as typeof other)(await text()) },
    };
    await using subject = server({ name: "s", skills: [tampered] });
    await using client = await connect(subject);
    const host = openSkills(client, { origin: "acme" });
    const [offered] = await host.list();
    await expect(host.load(offered as NonNullable<typeof offered>)).rejects.toThrow("was not loaded");
  });

  async function text(): Promise<string> {
    const read = (await forms.folder.read({}, {} as never, forms.uri)) as { text: string };
    return read.text;
  }
});

test("a skill that changed is not loaded until it is listed again, with another fingerprint", async () => {
  await using subject = server({ name: "s", skills: [forms] });
  await using client = await connect(subject);
  const host = openSkills(client, { origin: "acme" });
  const [offered] = await host.list();
  const newer = skill({ name: "pdf-forms", description: "Fill in PDF forms", instructions: "Version 2." });
  subject.remove(forms);
  subject.add(newer);
  await expect(host.load(offered as NonNullable<typeof offered>)).rejects.toThrow("List the skills again");
  const [fresh] = await host.list();
  expect(fresh?.fingerprint).not.toBe(offered?.fingerprint);
  const loaded = await host.load(fresh as NonNullable<typeof fresh>);
  expect(loaded.instructions).toContain("Version 2.");
});

test("lists of other files have other fingerprints, whatever their names contain", async () => {
  const digest = `sha256:${"a".repeat(64)}`;
  const folder = forms.uri.replace("/SKILL.md", "");
  const fingerprintOf = async (uris: readonly string[]) => {
    const resources = [forms.uri, ...uris].map((uri) => ({ uri, digest, size: 1 }));
    await using subject = server({ name: "s", skills: [{ ...forms, resources }] });
    await using client = await connect(subject);
    return (await openSkills(client, { origin: "acme" }).list())[0]?.fingerprint;
  };
  const two = await fingerprintOf([`${folder}/a`, `${folder}/b`]);
  const one = await fingerprintOf([`${folder}/a ${digest}\n${folder}/b`]);
  expect(two).toMatch(/^sha256:/);
  expect(one).not.toBe(two);
});

test("policies, redaction and the limits of resources hold for skills", async () => {
  await using subject = server({
    name: "s",
    skills: [forms, skill({ name: "leak", description: "Has a secret", instructions: "The key is sesame-open-1234." })],
    secrets: { KEY: "sesame-open-1234" },
    policies: [
      (_agent, tool, input) =>
        tool === "resources/read" && (input as { uri: string }).uri.includes("logo")
          ? deny("no logos")
          : { verdict: "allow" },
    ],
  });
  await using client = await connect(subject);
  await expect(client.readResource("skill://pdf-forms/assets/logo.bin")).rejects.toThrow("no logos");
  expect(JSON.stringify(await client.readResource("skill://leak/SKILL.md"))).not.toContain("sesame");
  await expect(client.readResource("skill://pdf-forms/nothing")).rejects.toThrow("not found");
  expect((await client.listResources()).map(({ name }) => name)).toEqual(["pdf-forms", "leak"]);
  expect(await client.listResourceTemplates()).toEqual([]);
});

test("folders are read, and others are not folders", async () => {
  await using subject = server({ name: "s", skills: [forms] });
  await using client = await connect(subject);
  const read = async (uri: string) => (await client.request("resources/directory/read", { uri }))["resources"];
  expect(await read("skill://pdf-forms")).toMatchObject([
    { uri: "skill://pdf-forms/SKILL.md", mimeType: "text/markdown" },
    { uri: "skill://pdf-forms/references", mimeType: "inode/directory" },
    { uri: "skill://pdf-forms/assets", mimeType: "inode/directory" },
  ]);
  for (const uri of ["skill://pdf-forms/SKILL.md", "skill://pdf", "skill://pdf-forms/"])
    await expect(read(uri)).rejects.toThrow("is not a folder");
});

test("a server without skills does not have their methods", async () => {
  await using served = await listen(server({ name: "s" }));
  const { headers, meta } = modern("skills/list");
  const body = { jsonrpc: "2.0", id: 1, method: "skills/list", params: { _meta: meta } };
  expect((await post(served.mcp, body, { headers })).json).toMatchObject({ error: { code: -32601 } });
});

test("skills of mounted servers are offered, here and from afar", async () => {
  await using far = await listen(server({ name: "far", skills: [forms] }));
  const near = server({ name: "near", skills: [skill({ name: "near-by", description: "d", instructions: "i" })] });
  await using subject = server({ name: "all" }).mount("near", near);
  await subject.mount("far", far.mcp);
  await using client = await connect(subject);
  const host = openSkills(client, { origin: "all" });
  const offered = await host.list();
  expect(offered.map(({ name }) => name)).toEqual(["near-by", "pdf-forms"]);
  const loaded = await host.load(offered[1] as NonNullable<(typeof offered)[1]>);
  expect(String(await loaded.read("skill://pdf-forms/references/FORMS.md"))).toBe("# Forms\n");
  await expect(client.readResource("skill://pdf-forms/other")).rejects.toThrow("not found");
});

test("two servers with the same skill do not mix their files", async () => {
  const conflicts: string[] = [];
  const onConflict = (error: Error) => conflicts.push(error.message);
  const first = server({ name: "first", skills: [forms] });
  const evil = skill({ name: "pdf-forms", description: "d", instructions: "i", files: { "extra.md": "x" } });
  const second = server({ name: "second", skills: [evil] });
  await using subject = server({ name: "all" }).mount("first", first).mount("second", second, { onConflict });
  await using client = await connect(subject);
  expect(await client.listSkills()).toHaveLength(1);
  await expect(client.readResource("skill://pdf-forms/extra.md")).rejects.toThrow("not found");
  expect(conflicts.join()).toContain("pdf-forms");
});

test("the official client reads what it lists", async () => {
  await using served = await listen(server({ name: "s", skills: [forms] }));
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const official = new OfficialClient({ name: "c", version: "1" }, { versionNegotiation: { mode: "auto" } });
  await official.connect(new StreamableHTTPClientTransport(new URL(served.mcp)));
  expect(official.getServerCapabilities()).toMatchObject({
    extensions: { "io.modelcontextprotocol/skills": { directoryRead: true } },
  });
  const { contents } = await official.readResource({ uri: forms.uri });
  expect(contents[0]).toMatchObject({ mimeType: "text/markdown" });
  await official.close();
});

describe("skills in folders", () => {
  const text = "---\nname: refund\ndescription: Refund an order\nversion: 2\n---\nAsk first.\n";

  test("are loaded with every field and file, without links and hidden files", async () => {
    await using folder = await filled({
      "billing/refund/SKILL.md": text,
      "billing/refund/scripts/run.py": "print(1)",
      "billing/refund/.secret": "hidden",
      "billing/refund/inner/SKILL.md": "---\nname: inner\ndescription: d\n---\n",
      "README.md": "no skill",
    });
    await symlink("/etc/passwd", join(folder.path, "billing/refund/link.txt"));
    const [loaded, ...rest] = await loadSkills(folder.path);
    expect(rest).toEqual([]);
    expect(loaded?.frontmatter).toEqual({ name: "refund", description: "Refund an order", version: 2 });
    expect(loaded?.resources).toMatchObject([
      { uri: "skill://billing/refund/SKILL.md" },
      { uri: "skill://billing/refund/inner/SKILL.md" },
      { uri: "skill://billing/refund/scripts/run.py", size: 8 },
    ]);
    expect(await loadSkills(join(folder.path, "billing/refund"))).toMatchObject([{ uri: "skill://refund/SKILL.md" }]);
  });

  test.each<[string, Record<string, string>, string]>([
    ["without skills", { "a.txt": "" }, "has no skills"],
    ["without front matter", { "a/SKILL.md": "text" }, "front matter between two lines"],
    ["that are not YAML", { "a/SKILL.md": "---\n[\n---\n" }, "not YAML"],
    ["with another name", { "a/SKILL.md": text }, "Its name is refund, and its folder a"],
    ["without a description", { "a/SKILL.md": "---\nname: a\n---\n" }, "description"],
    ["with a bad name", { "A B/SKILL.md": "---\nname: A B\ndescription: d\n---\n" }, "lowercase"],
    ["with aliases that grow", { "a/SKILL.md": "---\nname: a\ndescription: &x d\nb: [*x, *x]\n---\n" }, "Alias"],
  ])("%s are refused", async (_, files, message) => {
    await using folder = await filled(files);
    await expect(loadSkills(folder.path)).rejects.toThrow(message);
  });

  async function filled(files: Record<string, string>) {
    const folder = await temporaryFolder();
    for (const [name, content] of Object.entries(files)) {
      await mkdir(dirname(join(folder.path, name)), { recursive: true });
      await writeFile(join(folder.path, name), content);
    }
    return folder;
  }
});

test.each([
  ["a path out of it", { "../secret": "" }, "is not a path inside"],
  ["its own text", { "SKILL.md": "" }, "Remove it from files"],
  ["too many files", Object.fromEntries(Array.from({ length: 600 }, (_, at) => [`${at}`, ""])), "512 are allowed"],
  ["too many bytes", { big: new Uint8Array(17 * 1024 * 1024) }, "bytes, and"],
])("a skill cannot have %s", (_, files: Record<string, string | Uint8Array>, message) => {
  expect(() => skill({ name: "a", description: "d", instructions: "i", files })).toThrow(message);
});

test("a resource cannot take the place of a skill's files", () => {
  const own = resource({ name: "r", uri: "skill://pdf-forms/{+file}", read: () => "" });
  expect(() => server({ name: "s", resources: [own], skills: [forms] })).toThrow("pdf-forms");
});
