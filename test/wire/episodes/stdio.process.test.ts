import { describe, expect, test } from "vitest";
import { connect } from "biplane/client";
import { bundledScript } from "../../support/bundled-script.ts";

const script = bundledScript(new URL("counter-stdio.ts", import.meta.url));

describe.each(["legacy", "modern"] as const)("over stdio, in the %s era", (era) => {
  const open = (mode: string) => connect({ command: process.execPath, args: [script, mode] }, { era });

  test("a client goes on in its own episode, which stays ended in simulation", async () => {
    await using client = await open("simulation");
    expect((await client.callTool("add", { by: 2 })).structuredContent).toEqual({ count: 2 });
    expect((await client.callTool("add", { by: 3 })).structuredContent).toEqual({ count: 5 });
    for (let at = 0; at < 2; at++) expect((await client.callTool("add")).isError).toBe(true);
  });

  test("in production, another episode follows after EPISODE_ENDED", async () => {
    await using client = await open("production");
    await client.callTool("add", { by: 5 });
    expect((await client.callTool("add")).isError).toBe(true);
    expect((await client.callTool("add")).structuredContent).toEqual({ count: 1 });
  });
});
