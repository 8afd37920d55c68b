export type Printed = Readonly<Pick<Output, "stdout" | "stderr" | "isCut">>;

/** The printed output of an action. Both streams share one limit. */
export class Output {
  stdout = "";
  stderr = "";
  isCut = false;
  #left: number;

  constructor(bytes: number, before?: Printed) {
    this.#left = bytes;
    if (!before) return;
    Object.assign(this, before);
    this.#left -= Buffer.byteLength(this.stdout) + Buffer.byteLength(this.stderr);
  }

  write(stream: string, text: string): void {
    const kept = this.#take(text);
    if (stream === "error") this.stderr += kept;
    else this.stdout += kept;
  }

  #take(text: string): string {
    if (this.isCut) return "";
    const bytes = Buffer.byteLength(text);
    if (bytes <= this.#left) {
      this.#left -= bytes;
      return text;
    }
    this.isCut = true;
    const whole = Buffer.from(text)
      .subarray(0, Math.max(0, this.#left))
      .toString()
      .replace(/\uFFFD$/, "");
    this.#left = 0;
    return `${whole}\n[output was truncated]\n`;
  }
}
