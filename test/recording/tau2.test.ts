import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { callTool, connect, connectEnvironment } from "biplane/client";
import { environmentFromRecording, readSessionRecordings, recordSessions, recordedServer } from "biplane/recording";
import { tau2Environment } from "biplane/tau2";
import { openDomain } from "../../packages/biplane/src/tau2/open-domain.ts";
import { dataFolder, needsVectors } from "../tau2/vectors.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

describe("a recorded tau2 session", needsVectors, () => {
  test("is served as a mock and as an environment, with the same answers, and a divergence is found", async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, "airline.jsonl");
    const domain = openDomain({ domain: "airline", folder: dataFolder });
    const task = domain.tasks.find((each) => (each.evaluation_criteria?.actions?.length ?? 0) >= 3);
    const actions = (task?.evaluation_criteria?.actions ?? []).map(
      ({ name, arguments: input }) => [name, input as Record<string, unknown>] as const,
    );
    const calls = [...actions, ["message_user", { message: "It is done." }] as const];

    await using live = tau2Environment({ domain: "airline", folder: dataFolder });
    await using recorder = await recordSessions(live, { file });
    const { url } = await live.serve("http://127.0.0.1:0");
    const episode = await live.start({
      config: { task_id: task?.id ?? "", user_script: ["I need help.", "###STOP###"] },
    });
    const seen: unknown[] = [];
    {
      await using client = await connect(`${url}/e/${episode.id}/mcp`);
      for (const [name, input] of calls) seen.push((await client.callTool(name, input)).content);
    }
    await recorder[Symbol.asyncDispose]();
    const recordings = await readSessionRecordings([file]);
    expect(recordings.sessions).toHaveLength(1);
    expect(recordings.sessions[0]?.observation).toMatchObject({ conversation: expect.any(Array) as unknown[] });
    expect(recordings.sessions[0]?.calls.at(-1)?.step).toMatchObject({ terminated: true });

    await using mock = recordedServer(recordings);
    await using client = await connect(mock);
    const mocked: unknown[] = [];
    for (const [name, input] of calls) mocked.push((await client.callTool(name, input)).content);
    expect(mocked).toEqual(seen);

    await using environment = environmentFromRecording(recordings);
    await using player = await connectEnvironment(environment);
    const { observation } = await player.reset();
    expect(observation).toMatchObject({ start: episode.firstObservation });
    const played: unknown[] = [];
    let total = 0;
    for (const [name, input] of calls) {
      const outcome = await player.step(callTool(name, input));
      played.push(outcome.content);
      total += outcome.reward ?? 0;
    }
    expect(played).toEqual(seen);
    expect(total).toBeCloseTo(1);

    await player.reset();
    const [first, second] = calls;
    await player.step(callTool(first?.[0] ?? "", first?.[1] ?? {}));
    await player.step(callTool(second?.[0] ?? "", { ...second?.[1], nothing: "recorded" }));
    expect(await player.state()).toMatchObject({
      position: 1,
      divergence: { step: 1, expected: { tool: second?.[0] } },
    });
  });
});
