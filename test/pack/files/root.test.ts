import { linkSync, readlinkSync, realpathSync, symlinkSync } from "node:fs";
import { expect, describe, test } from "vitest";
import { readFile } from "../../../src/pack/files/read-file.ts";
import { removeFile } from "../../../src/pack/files/remove-file.ts";
import { Root } from "../../../src/pack/files/root.ts";
import { writeFile } from "../../../src/pack/files/write-file.ts";
import { moveFile } from "../../../src/pack/files/move-file.ts";
import { protecting } from "../../../src/pack/files/names.ts";
import { Playground } from "./playground.ts";

const ways = process.platform === "linux" ? [true, false] : [false];

describe.each(ways)("a root whose folders are held open: %s", (holdsFolders) => {
  function rootIn(ground: Playground): Root {
    const isProtected = protecting([".git"]);
    return new Root({ path: ground.folder("root"), prefix: "/r", isProtected, holdsFolders });
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
    await using ground = new Playground();
    const root = rootIn(ground);
    ground.write("root/a/b/c.txt", "c");
    symlinkSync("a/b", ground.at("root/short"));
    symlinkSync(realpathSync(ground.at("root/a")), ground.at("root/absolute"));
    expect(await read(root, "short/c.txt")).toBe("c");
    expect(await read(root, "absolute/b/c.txt")).toBe("c");
    await write(root, "short/new/d.txt");
    expect(ground.read("root/a/b/new/d.txt")).toBe("written");
    await using from = await root.find("a/b/c.txt", { keepLastLink: true });
    await using to = await root.find("moved.txt", { keepLastLink: true });
    await moveFile(from, to);
    expect(ground.read("root/moved.txt")).toBe("c");
  });

  test("a link is moved and removed as a link, wherever it leads", async () => {
    await using ground = new Playground();
    const root = rootIn(ground);
    ground.write("canary", "canary");
    symlinkSync("../canary", ground.at("root/link"));
    {
      await using from = await root.find("link", { keepLastLink: true });
      await using to = await root.find("moved", { keepLastLink: true });
      await moveFile(from, to);
    }
    expect(readlinkSync(ground.at("root/moved"))).toBe("../canary");
    await using gone = await root.find("moved", { keepLastLink: true });
    expect(await removeFile(gone, { recursive: true })).toBe(1);
    expect(ground.files("root")).toEqual([]);
    expect(ground.read("canary")).toBe("canary");
  });

  test("refuses what lies outside, and says nothing of it", async () => {
    await using ground = new Playground();
    const root = rootIn(ground);
    ground.write("root-x/canary", "canary");
    ground.write("root/.git/config", "secret");
    symlinkSync("../root-x", ground.at("root/sibling"));
    symlinkSync("..", ground.at("root/up"));
    symlinkSync(".git/config", ground.at("root/alias"));
    linkSync(ground.at("root-x/canary"), ground.at("root/hard"));
    for (const path of ["sibling/canary", "up/root-x/canary", "up/root/a", "sibling/none", "hard", "alias", "none/x"]) {
      const message = await read(root, path).catch((error: Error) => error.message);
      expect(message).toMatch(/^\/r\//);
      expect(message).not.toContain(ground.path);
      if (path !== "none/x") await expect(write(root, path)).rejects.toThrow("/r/");
    }
    expect(ground.files("root-x")).toEqual(["canary"]);
    expect(ground.read("root-x/canary")).toBe("canary");
  });
});

test("a root that is not a folder is a mistake of whoever set it up", async () => {
  await using ground = new Playground();
  expect(() => new Root({ path: ground.write("file") })).toThrow("is not a folder");
  expect(() => new Root({ path: ground.at("none") })).toThrow("cannot be used");
});
