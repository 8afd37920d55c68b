// A real server with the built page, over the runs of a given file. Prints its URL, and ends with its parent.
import { server, tool } from "biplane";
import { openStore } from "biplane/store";
import { frozenLake } from "../../packages/gallery/src/frozen-lake/frozen-lake.ts";
import { openPageGateway } from "../../test/support/page.ts";

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
const runs = await openStore(file);
const gateway = await openPageGateway({
  served: [sums, frozenLake()],
  kit: ({ store }) => ({ stores: [store, runs], callStore: runs, statisticsStore: runs }),
});
process.on("disconnect", () => process.exit());
process.send({ url: gateway.url });
