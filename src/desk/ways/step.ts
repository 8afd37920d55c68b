import { BiplaneError } from "../../errors.ts";
import { claimOf } from "./way.ts";
import type { Way, WayOrder } from "./way.ts";

/** A step as trainers make it: a frame to a socket that sits at the episode. */
export const overStep: Way = async (order) => {
  const { environment, episode, principal } = order;
  if (!environment || !episode) throw new BiplaneError("NOT_SUPPORTED", "A step is made in an episode");
  const { OpenEnvSocket } = await import("../../wire/openenv/socket.ts");
  const seat = environment.episodes.seat();
  seat.take(episode);
  const frame = { type: "step", data: actionOf(order) };
  const received = await new Promise<string>((resolve) => {
    const channel = { send: (message: string | Uint8Array) => resolve(String(message)), close: () => undefined };
    const mcp = () => Promise.resolve(null);
    const socket = new OpenEnvSocket(environment, channel, { principal, seat, mcp, onClosed: () => undefined });
    socket.onMessage(JSON.stringify(frame));
  });
  return { sent: { body: frame }, received: { body: JSON.parse(received) as unknown } };
};

/** Where the tool's input is the environment's own action, that is what trainers send. */
function actionOf(order: WayOrder): Record<string, unknown> {
  const { environment, tool, input } = order;
  const metadata = claimOf(order);
  const isTyped = environment?.rules.options.action === tool.name;
  const isPlain = ["type", "tool_name", "metadata"].every((key) => !Object.hasOwn(input, key));
  if (isTyped && isPlain) return { ...input, metadata };
  return { type: "call_tool", tool_name: tool.name, arguments: input, metadata };
}
