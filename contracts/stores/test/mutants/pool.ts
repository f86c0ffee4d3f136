/** Connections that are taken and given back, first come, first served. */
export class Pool {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(size: number) {
    this.#free = size;
  }

  /** Resolves when there is a free one. */
  async take(): Promise<void> {
    while (this.#free === 0) await new Promise<void>((free) => this.#waiting.push(free));
    this.#free -= 1;
  }

  release(): void {
    this.#free += 1;
    this.#waiting.shift()?.();
  }
}
