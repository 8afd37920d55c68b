// A real server with the built page, over the runs of the file that it is told. Says where it is, and ends with its parent.
import { server, tool } from "biplane";
import { sqliteStore } from "biplane/sqlite";
import { frozenLake } from "../../src/gallery/frozen-lake/frozen-lake.ts";
import { openPageHouse } from "../../test/support/page.ts";

const [, , file] = process.argv;
const number = { type: "number" };
const sums = server({
  name: "sums",
  version: "1.0.0",
  tools: [
    tool({
      name: "add",
      description: "Adds two numbers",
      input: { type: "object", properties: { a: number, b: number }, required: ["a", "b"] },
      run: ({ a, b }) => {
        if (a % 9 === 0) throw new Error("nine is not added");
        return { sum: a + b };
      },
    }),
  ],
});
const house = await openPageHouse({
  served: [sums, frozenLake()],
  desk: ({ store }) => ({ stores: [store, sqliteStore(file)] }),
});
process.on("disconnect", () => process.exit());
process.send({ url: house.url });
