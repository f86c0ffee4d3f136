import { type AddResult, type NewPlant, plantOf } from '@plant-store/domain';

/** An add that somebody waits for. It is settled once; what comes after that is ignored. */
export class PendingAdd {
  readonly plant: NewPlant;
  /** Until when it has to be settled, by the platform's clock. */
  readonly deadline: number;
  settled = false;
  /** Later adds of the same id, which wait for what comes of this one. */
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

  /** Whether somebody still waits for this plant: the caller of this add, or of a later one of its id. */
  get isAwaited(): boolean {
    return !this.settled || (this.repeats?.some((repeat) => !repeat.settled) ?? false);
  }

  /** Settles this add, and the later ones of its id with what has the id then. */
  resolve(result: AddResult): void {
    if (this.#settle()) this.#resolve(result);
    for (const repeat of this.repeats ?? [])
      repeat.resolve(result.outcome === 'added' ? { outcome: 'exists', plant: plantOf(this.plant) } : result);
  }

  /** Rejects this add alone. */
  reject(reason: unknown): void {
    if (this.#settle()) this.#reject(reason);
  }

  #settle(): boolean {
    if (this.settled) return false;
    this.settled = true;
    this.#onSettled();
    return true;
  }
}
