import { linkSync, readlinkSync, realpathSync, symlinkSync } from "node:fs";
import { expect, describe, test } from "vitest";
import { readFile } from "../../../packages/biplane/src/pack/shared/files/read-file.ts";
import { removeFile } from "../../../packages/biplane/src/pack/shared/files/remove-file.ts";
import { Root } from "../../../packages/biplane/src/pack/shared/files/root.ts";
import { writeFile } from "../../../packages/biplane/src/pack/shared/files/write-file.ts";
import { moveFile } from "../../../packages/biplane/src/pack/shared/files/move-file.ts";
import { protecting } from "../../../packages/biplane/src/pack/shared/files/names.ts";
import { Playground } from "./playground.ts";

const ways = process.platform === "linux" ? [true, false] : [false];

describe.each(ways)("a root whose folders are held open: %s", (holdsFolders) => {
  function rootIn(playground: Playground): Root {
    const isProtected = protecting([".git"]);
    return new Root({ path: playground.folder("root"), prefix: "/r", isProtected, holdsFolders });
  }
  async function read(root: Root, path: string): Promise<string> {
    await using place = await root.find(path);
    return (await readFile(place, 1000)).toString();
  }
  async function write(root: Root, path: string): Promise<void> {
    await using place = await root.find(path, { createFolders: true });
    await writeFile(place, Buffer.from("written"));
  }

  test("reads and writes what lies in it, through links that stay inside", async () => {
    await using playground = new Playground();
    const root = rootIn(playground);
    playground.write("root/a/b/c.txt", "c");
    symlinkSync("a/b", playground.at("root/short"));
    symlinkSync(realpathSync(playground.at("root/a")), playground.at("root/absolute"));
    expect(await read(root, "short/c.txt")).toBe("c");
    expect(await read(root, "absolute/b/c.txt")).toBe("c");
    await write(root, "short/new/d.txt");
    expect(playground.read("root/a/b/new/d.txt")).toBe("written");
    await using from = await root.find("a/b/c.txt", { keepLastLink: true });
    await using to = await root.find("moved.txt", { keepLastLink: true });
    await moveFile(from, to);
    expect(playground.read("root/moved.txt")).toBe("c");
  });

  test("a link is moved and removed as a link, wherever it leads", async () => {
    await using playground = new Playground();
    const root = rootIn(playground);
    playground.write("canary", "canary");
    symlinkSync("../canary", playground.at("root/link"));
    {
      await using from = await root.find("link", { keepLastLink: true });
      await using to = await root.find("moved", { keepLastLink: true });
      await moveFile(from, to);
    }
    expect(readlinkSync(playground.at("root/moved"))).toBe("../canary");
    await using gone = await root.find("moved", { keepLastLink: true });
    expect(await removeFile(gone, { recursive: true })).toBe(1);
    expect(playground.files("root")).toEqual([]);
    expect(playground.read("canary")).toBe("canary");
  });

  test("refuses what lies outside, and says nothing of it", async () => {
    await using playground = new Playground();
    const root = rootIn(playground);
    playground.write("root-x/canary", "canary");
    playground.write("root/.git/config", "secret");
    symlinkSync("../root-x", playground.at("root/sibling"));
    symlinkSync("..", playground.at("root/up"));
    symlinkSync(".git/config", playground.at("root/alias"));
    linkSync(playground.at("root-x/canary"), playground.at("root/hard"));
    for (const path of ["sibling/canary", "up/root-x/canary", "up/root/a", "sibling/none", "hard", "alias", "none/x"]) {
      const message = await read(root, path).catch((error: Error) => error.message);
      expect(message).toMatch(/^\/r\//);
      expect(message).not.toContain(playground.path);
      if (path !== "none/x") await expect(write(root, path)).rejects.toThrow("/r/");
    }
    expect(playground.files("root-x")).toEqual(["canary"]);
    expect(playground.read("root-x/canary")).toBe("canary");
  });
});

test("a root that is not a folder is a configuration error", async () => {
  await using playground = new Playground();
  expect(() => new Root({ path: playground.write("file") })).toThrow("is not a folder");
  expect(() => new Root({ path: playground.at("none") })).toThrow("cannot be used");
});
