import { BiplaneError } from "@biplane/core";

/** The recipient of a message. */
export interface ChatTarget {
  readonly kind: "user" | "channel";
  readonly id: string;
}

/** Parses `user:<id>`, `channel:<id>`, or an id, which means a channel. */
export function parseChatTarget(text: string, options: { provider: string; idPattern: RegExp }): ChatTarget {
  const [, kind = "channel", id = ""] = /^(?:(user|channel):)?(.*)$/s.exec(text) ?? [];
  if (!options.idPattern.test(id)) {
    const shown = JSON.stringify(text).slice(0, 80);
    throw new BiplaneError(
      "INVALID_INPUT",
      `${shown} is not a target of ${options.provider}. Use channel:<id>, user:<id> or an id.`,
    );
  }
  return { kind: kind as ChatTarget["kind"], id };
}

/** True if the target is in the configured list. */
export function isListed({ kind, id }: ChatTarget, targets: readonly string[]): boolean {
  const named = `${kind}:${id}`;
  return targets.some((listed) => listed === "*" || listed === named || (kind === "channel" && listed === id));
}
