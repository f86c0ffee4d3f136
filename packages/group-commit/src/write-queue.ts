import { type AddResult, type NewPlant, plantOf, StoreUnavailable } from '@plant-store/domain';

/** What the domain does not have of its own. */
export interface Platform {
  /** A clock that never goes back, in milliseconds. */
  readonly now: () => number;
  /** Calls back once, after so many milliseconds. Need not keep the process alive. */
  readonly after: (ms: number, callback: () => void) => void;
  /** Calls back once, as soon as the input that has arrived by now was looked at. */
  readonly defer: (callback: () => void) => void;
}

/** An add that somebody waits for. It is answered once; what comes after the first answer is ignored. */
export interface PendingAdd {
  readonly plant: NewPlant;
  readonly answered: boolean;
  resolve(result: AddResult): void;
  reject(reason: unknown): void;
}

/** The adds that were not answered yet, in the order in which they came, with a bound on how long that may last. */
export interface AddQueue {
  /** How many adds were not taken yet. */
  readonly waiting: number;
  /** How much text they hold, in UTF-16 code units. */
  readonly waitingText: number;
  /** How long the first of them has waited, in milliseconds; 0 where there is none. */
  readonly longestWaitMs: number;
  push(plant: NewPlant): Promise<AddResult>;
  /**
   * Takes the adds that have waited longest: so many at the most, with so much text at the most, but always one. Until
   * they are given back their time goes on; `whenLate` is called if it is up for the last of them.
   */
  take(max: number, maxText: number, whenLate: () => void): readonly PendingAdd[];
  /** Rejects the last ones of those that were not taken, so that so many are left at the most. */
  shorten(max: number, reason: StoreUnavailable): void;
  giveBack(batch: readonly PendingAdd[]): void;
  /** Resolves when every add so far was answered. */
  answered(): Promise<void>;
}

/** Makes a queue whose adds are rejected with {@link StoreUnavailable} after so many milliseconds, taken or not. */
export function addQueue(timeoutMs: number, { now, after }: Platform): AddQueue {
  let waiting: Timed[] = [];
  const taken = new Map<readonly Timed[], () => void>();
  let waitingText = 0;
  let unanswered = 0;
  let watching = false;
  let whenAnswered: (() => void)[] = [];

  function onAnswer(): void {
    unanswered -= 1;
    if (unanswered > 0) return;
    for (const resolve of whenAnswered) resolve();
    whenAnswered = [];
  }

  /** One timer for all of them, set for the oldest: with a timer an add, timers would cost more than the queue. */
  function watch(ms: number): void {
    if (watching) return;
    watching = true;
    after(ms, () => {
      watching = false;
      const time = now();
      const late = new StoreUnavailable(`the store has not answered within ${timeoutMs} ms`);
      let next = Number.POSITIVE_INFINITY;
      for (const add of [...taken.keys(), waiting].flat()) {
        if (add.deadline <= time) add.reject(late);
        else if (!add.answered) next = Math.min(next, add.deadline);
      }
      waiting = waiting.filter((add) => !add.answered);
      waitingText = textOf(waiting);
      for (const [batch, whenLate] of taken) {
        if (batch.every((add) => add.answered)) {
          taken.delete(batch);
          whenLate();
        }
      }
      if (next < Number.POSITIVE_INFINITY) watch(Math.max(1, Math.ceil(next - time)));
    });
  }

  return {
    get waiting() {
      return waiting.length;
    },
    get waitingText() {
      return waitingText;
    },
    get longestWaitMs() {
      const [first] = waiting;
      return first ? now() - (first.deadline - timeoutMs) : 0;
    },
    push(newPlant) {
      // A copy: the caller may change its object while the add waits.
      const plant = { id: newPlant.id, ...plantOf(newPlant) };
      unanswered += 1;
      waitingText += textIn(plant);
      watch(timeoutMs);
      return new Promise((resolve, reject) => {
        waiting.push(new Timed(plant, now() + timeoutMs, resolve, reject, onAnswer));
      });
    },
    take(max, maxText, whenLate) {
      let count = 0;
      let text = 0;
      for (const { plant } of waiting) {
        const more = text + textIn(plant);
        if (count === max || (count > 0 && more > maxText)) break;
        count += 1;
        text = more;
      }
      const batch = waiting.slice(0, count);
      waiting = waiting.slice(count);
      waitingText -= text;
      taken.set(batch, whenLate);
      return batch;
    },
    shorten(max, reason) {
      for (const add of waiting.splice(max)) add.reject(reason);
      waitingText = textOf(waiting);
    },
    giveBack(batch) {
      taken.delete(batch as readonly Timed[]);
    },
    answered: () => (unanswered === 0 ? Promise.resolve() : new Promise((resolve) => void whenAnswered.push(resolve))),
  };
}

function textIn({ name, tag = '' }: NewPlant): number {
  return name.length + tag.length;
}

function textOf(adds: readonly PendingAdd[]): number {
  return adds.reduce((sum, { plant }) => sum + textIn(plant), 0);
}

class Timed implements PendingAdd {
  readonly plant: NewPlant;
  readonly deadline: number;
  answered = false;
  readonly #resolve: (result: AddResult) => void;
  readonly #reject: (reason: unknown) => void;
  readonly #onAnswer: () => void;

  constructor(
    plant: NewPlant,
    deadline: number,
    resolve: (result: AddResult) => void,
    reject: (reason: unknown) => void,
    onAnswer: () => void,
  ) {
    this.plant = plant;
    this.deadline = deadline;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#onAnswer = onAnswer;
  }

  resolve(result: AddResult): void {
    if (this.#answer()) this.#resolve(result);
  }

  reject(reason: unknown): void {
    if (this.#answer()) this.#reject(reason);
  }

  #answer(): boolean {
    if (this.answered) return false;
    this.answered = true;
    this.#onAnswer();
    return true;
  }
}
