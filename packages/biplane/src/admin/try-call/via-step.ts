import { BiplaneError } from "@biplane/core";
import { agentClaim } from "./via.ts";
import type { Via, ViaRequest } from "./via.ts";

/** Makes a step like a trainer: a frame over a WebSocket bound to the episode. */
export const overStep: Via = async (call) => {
  const { environment, episode, principal } = call;
  if (!environment || !episode) throw new BiplaneError("NOT_SUPPORTED", "A step needs an episode.");
  const { OpenEnvSocket } = await import("@biplane/core/wire");
  const slot = environment.episodes.openSlot();
  await slot.adopt(episode);
  const frame = { type: "step", data: actionOf(call) };
  const received = await new Promise<string>((resolve) => {
    const channel = { send: (message: string | Uint8Array) => resolve(String(message)), close: () => undefined };
    const mcp = () => Promise.resolve(null);
    const socket = new OpenEnvSocket(environment, channel, { principal, slot, mcp, onClosed: () => undefined });
    void socket.onMessage(JSON.stringify(frame));
  });
  return { sent: { body: frame }, received: { body: JSON.parse(received) as unknown } };
};

/** If the tool is the environment's typed action, send its input like trainers do. */
function actionOf(call: ViaRequest): Record<string, unknown> {
  const { environment, tool, input } = call;
  const metadata = agentClaim(call);
  const isTyped = environment?.rules.options.action === tool.name;
  const isPlain = ["type", "tool_name", "metadata"].every((key) => !Object.hasOwn(input, key));
  if (isTyped && isPlain) return { ...input, metadata };
  return { type: "call_tool", tool_name: tool.name, arguments: input, metadata };
}
