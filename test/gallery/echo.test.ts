import { describe, expect, test } from "vitest";
import { echoTyped } from "../../packages/gallery/src/echo-typed/echo-typed.ts";
import { echo } from "../../packages/gallery/src/echo/echo.ts";
import { train } from "./trainer.ts";

describe("echo", () => {
  test("echoes its input with the length in characters, without reward or end", async () => {
    await using environment = echo();
    const episode = await environment.start();
    expect(episode.firstObservation).toEqual({});
    expect(await environment.call(episode, "echo_message", { message: "hi" })).toBe("hi");
    expect(await environment.call(episode, "echo_message", { message: "" })).toBe("");
    expect(await environment.call(episode, "echo_with_length", { message: "né 🦊" })).toEqual({
      message: "né 🦊",
      length: 4,
    });
    expect(episode).toMatchObject({ last: { reward: null }, stepCount: 3, isOver: false });
  });

  test.each([{}, { message: 1 }, { message: "hi", loud: true }])("refuses %j", async (input) => {
    await using environment = echo();
    const episode = await environment.start();
    await expect(environment.call(episode, "echo_message", input)).rejects.toMatchObject({ code: "INVALID_INPUT" });
    expect(episode.stepCount).toBe(0);
  });

  test("answers a trainer's tool calls, and lists its tools", async () => {
    await using trainer = await train(echo());
    expect(await trainer.reset({ seed: 1 })).toEqual({ observation: {}, reward: 0, done: false });
    const listed = await trainer.step({ type: "list_tools" });
    expect(listed.observation["tools"]).toMatchObject([{ name: "echo_message" }, { name: "echo_with_length" }]);
    const call = { type: "call_tool", tool_name: "echo_with_length", arguments: { message: "hi" } };
    expect(await trainer.step(call)).toMatchObject({
      observation: { tool_name: "echo_with_length", result: { data: { message: "hi", length: 2 } }, error: null },
      reward: null,
      done: false,
    });
    const unknown = await trainer.step({ type: "call_tool", tool_name: "nope", arguments: {} });
    expect(unknown.observation).toMatchObject({ result: null, error: { error_type: "tool_not_found" } });
  });
});

describe("echo-typed", () => {
  test("pays a tenth for each character", async () => {
    await using environment = echoTyped();
    const episode = await environment.start();
    expect(episode.firstObservation).toEqual({ echoed_message: "Echo environment ready!", message_length: 0 });
    const seen = await environment.call(episode, "message_echo", { message: "Hello" });
    expect(seen).toEqual({ echoed_message: "Hello", message_length: 5 });
    expect(episode.last.reward).toBe(0.5);
    await environment.call(episode, "message_echo", { message: "🦊" });
    expect(episode.last.reward).toBe(0.1);
    expect(episode.isOver).toBe(false);
  });

  test("plays with TRL's typed actions", async () => {
    await using trainer = await train(echoTyped());
    const ready = { echoed_message: "Echo environment ready!", message_length: 0 };
    expect(await trainer.reset({ seed: 1 })).toEqual({ observation: ready, reward: 0, done: false });
    const echoed = { echoed_message: "Hello World!", message_length: 12 };
    const answer = await trainer.step({ message: "Hello World!", metadata: {} });
    expect(answer).toEqual({ observation: echoed, reward: 12 * 0.1, done: false });
    expect(await trainer.refused({ message: "" })).toBe("VALIDATION_ERROR");
    expect(await trainer.refused({ text: "hi" })).toBe("VALIDATION_ERROR");
    expect(await trainer.state()).toMatchObject({ step_count: 1 });
  });

  test("publishes its action", async () => {
    await using trainer = await train(echoTyped());
    const schemas = (await (await fetch(`${trainer.url}/schema`)).json()) as { action: unknown };
    expect(schemas.action).toMatchObject({
      properties: { message: { type: "string", minLength: 1 } },
      required: ["message"],
    });
  });
});
