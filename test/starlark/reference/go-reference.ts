import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { createInterface, type Interface } from "node:readline";
import { fileURLToPath } from "node:url";

export interface ReferenceAnswer {
  readonly output: string;
  readonly error: string;
  readonly backtrace: string;
}

const binary = fileURLToPath(new URL("../../../.cache/starlark-go-reference", import.meta.url));

/** Builds the reference program if it changed; false when there is no Go here to build it with. */
export function prepareReference(): boolean {
  // Without optimisation, the first build compiles Go's libraries in two thirds of the time.
  const built = spawnSync("go", ["build", "-gcflags=all=-N -l", "-o", binary, "."], {
    cwd: fileURLToPath(new URL(".", import.meta.url)),
    timeout: 600_000,
  });
  return built.status === 0;
}

/** starlark-go in a child process that stays up; programs are answered in order. */
export class GoReference implements Disposable {
  readonly #child: ChildProcess;
  readonly #lines: Interface;
  readonly #waiting: ((answer: ReferenceAnswer) => void)[] = [];

  constructor() {
    this.#child = spawn(binary, { stdio: ["pipe", "pipe", "inherit"] });
    const { stdout } = this.#child;
    if (!stdout) throw new Error("the reference has no output");
    this.#lines = createInterface({ input: stdout });
    this.#lines.on("line", (line) => this.#waiting.shift()?.(JSON.parse(line) as ReferenceAnswer));
  }

  run(source: string, options: { steps?: number; standard?: boolean } = {}): Promise<ReferenceAnswer> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      const request = { Source: source, Steps: options.steps ?? 0, Standard: options.standard ?? false };
      this.#child.stdin?.write(`${JSON.stringify(request)}\n`);
    });
  }

  [Symbol.dispose](): void {
    this.#lines.close();
    this.#child.kill();
  }
}
