import { type AddResult, type NewPlant, plantOf } from '@plant-store/domain';

/** An add whose caller waits. It is settled once; its promise ignores later results. */
export class PendingAdd {
  readonly plant: NewPlant;
  /** By the platform's clock. */
  readonly deadline: number;
  settled = false;
  /** Later adds of the same id, which depend on the outcome of this one. */
  repeats: PendingAdd[] | undefined;
  readonly #resolve: (result: AddResult) => void;
  readonly #reject: (reason: unknown) => void;
  readonly #onSettled: () => void;

  constructor(
    plant: NewPlant,
    deadline: number,
    resolve: (result: AddResult) => void,
    reject: (reason: unknown) => void,
    onSettled: () => void,
  ) {
    this.plant = plant;
    this.deadline = deadline;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#onSettled = onSettled;
  }

  /** Whether this add, or a later one of its id, is still unsettled. */
  get isAwaited(): boolean {
    return !this.settled || (this.repeats?.some((repeat) => !repeat.settled) ?? false);
  }

  /** Settles this add, and the later ones of its id with the plant that then has the id. */
  resolve(result: AddResult): void {
    this.#settle();
    this.#resolve(result);
    for (const repeat of this.repeats ?? [])
      repeat.resolve(result.outcome === 'added' ? { outcome: 'exists', plant: plantOf(this.plant) } : result);
  }

  /** Rejects this add alone. */
  reject(reason: unknown): void {
    this.#settle();
    this.#reject(reason);
  }

  #settle(): void {
    if (this.settled) return;
    this.settled = true;
    this.#onSettled();
  }
}
