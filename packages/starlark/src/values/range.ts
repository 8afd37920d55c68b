/** An arithmetic sequence of ints in constant memory. */
export class Range {
  readonly start: number;
  readonly stop: number;
  readonly step: number;
  readonly length: number;

  constructor(start: number, stop: number, step: number) {
    this.start = start;
    this.stop = stop;
    this.step = step;
    this.length = Math.max(0, Math.ceil((stop - start) / step)) + 0;
  }

  get typeName(): string {
    return "range";
  }

  at(index: number): number {
    return this.start + index * this.step;
  }

  has(value: number): boolean {
    const offset = (value - this.start) / this.step;
    return Number.isInteger(offset) && offset >= 0 && offset < this.length;
  }
}
