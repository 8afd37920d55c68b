import { expect, test } from "vitest";
import { rules, server, tool } from "biplane";
import type { Meter } from "biplane";

test("the timeline of a call names the rule that decided it", async () => {
  const seen: { step: string; decisions?: readonly { by: string }[] }[] = [];
  const meter: Meter = {
    wantsTimeline: true,
    end: ({ timeline }) => void seen.push(...(timeline?.steps() ?? [])),
  };
  const subject = server({
    name: "ruled",
    tools: { go: tool({ run: () => "went" }) },
    policies: [rules([{ name: "everyone may go", tool: "go", allow: true }])],
    meters: [meter],
  });
  await subject.call("go");
  expect(seen.find(({ step }) => step === "decide")?.decisions).toEqual([
    { by: "everyone may go", verdict: "allow", policy: "rules" },
  ]);
});
