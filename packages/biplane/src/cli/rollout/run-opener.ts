import { BiplaneError } from "@biplane/core";
import type { EnvironmentTarget } from "@biplane/core/client";
import type { OpenedRun } from "../../queue/run-player.ts";
import { make } from "../../rollout/make.ts";
import type { StoredRun } from "../../store/runs/run.ts";
import { connectOptions } from "../target/connect-args.ts";
import { codeOf, hashOfCode } from "./code-hash.ts";
import { openAgent } from "./open-agent.ts";
import { openModels } from "./open-models.ts";
import { openRolloutTarget, readStyle, targetKind, wholeNumber, writtenTarget } from "./rollout-target.ts";
import type { RunSettings } from "./rollout-target.ts";

/** Opens what the runs of a worker need. Code is loaded once in a process, so it is shared by the runs that name it. */
export class RunOpener implements AsyncDisposable {
  readonly #mayStartCommands: boolean;
  readonly #targets = new Map<string, Promise<{ target: EnvironmentTarget; close: () => Promise<void> }>>();
  /** The hashes of the modules that are loaded. */
  readonly #loaded = new Map<string, string>();

  constructor({ mayStartCommands }: { readonly mayStartCommands: boolean }) {
    this.#mayStartCommands = mayStartCommands;
  }

  /** Throws if the run cannot be played here, or not as its owner meant it. */
  readonly open = async ({ settings: stored = {} }: StoredRun): Promise<OpenedRun> => {
    const settings = stored as RunSettings;
    await this.#checkCode(settings);
    const models = await openModels(settings);
    const { agent, user } = await openAgent(settings, models);
    const names = ["user-model", "user-key", "judge-model", "judge-key", "key"].map((name) => settings[name]);
    const key = JSON.stringify([writtenTarget(settings), names]);
    const parts = { user: models.user?.options, judge: models.judge?.chat };
    const opening = this.#targets.get(key) ?? openRolloutTarget(settings, parts);
    this.#targets.set(key, opening);
    opening.catch(() => this.#targets.delete(key));
    const { target } = await opening;
    const options = connectOptions({ bearer: text(settings["bearer"]), header: text(settings["header"]) });
    const { connector } = await make(target, { rows: [], ...targetKind(settings), ...options });
    const retries = wholeNumber("retries", settings["retries"] ?? "0");
    return { agent, user, style: readStyle(settings), retries, connector, close: () => connector.close() };
  };

  async [Symbol.asyncDispose](): Promise<void> {
    for (const opening of this.#targets.values()) await (await opening).close();
  }

  async #checkCode(settings: RunSettings): Promise<void> {
    if (writtenTarget(settings).kind === "command" && !this.#mayStartCommands)
      throw new BiplaneError(
        "FORBIDDEN",
        "It starts a command, and this worker may not. Start the worker with --allow-commands if you trust everyone who can queue runs.",
      );
    const code = codeOf(settings);
    if (!code) return;
    const expected = String(settings["code"]);
    const found = await hashOfCode(code);
    const what = [...code.files, ...code.texts.slice(1)].join(" and ");
    if (found !== expected)
      throw new BiplaneError(
        "INVALID_DEFINITION",
        `Its code (${what}, Biplane ${code.texts[0]}) has the hash ${found.slice(0, 12)} here, and ${expected.slice(0, 12)} where it was queued. Install the same files and the same version of Biplane here, or queue the run again.`,
      );
    for (const file of code.files) await this.#checkLoaded(file);
  }

  /** Modules stay loaded, so a file that changed would not be what is played. */
  async #checkLoaded(file: string): Promise<void> {
    const found = await hashOfCode({ files: [file], texts: [] });
    if ((this.#loaded.get(file) ?? found) !== found)
      throw new BiplaneError("INVALID_DEFINITION", `${file} changed after this worker loaded it. Restart the worker.`);
    this.#loaded.set(file, found);
  }
}

function text(setting: string | boolean | undefined): string | undefined {
  return typeof setting === "string" ? setting : undefined;
}
