import type { Mutation } from '@plant-store/contracts-kit';
import {
  type AddResult,
  type NewPlant,
  type Plant,
  type PlantRepository,
  type PlantStore,
  plantOf,
  StoreMisconfigured,
  StoreUnavailable,
} from '@plant-store/domain';
import type { StoreObserver } from '@plant-store/store-kit';
import type { Database } from './database.ts';

/** The longest time, in milliseconds, until a call of the model settles. */
export const TIMEOUT_MS = 2_000;

/** How an add is settled: it throws an error. */
export type Outcome = AddResult | Error;

/** What a store is called for. */
export type Step = 'open' | 'check' | 'add';

export const ADDED: AddResult = { outcome: 'added' };

/** What a store gets wrong: steps of the model in place of its own. */
export type StoreMutation = Mutation<ModelStore>;

/**
 * A correct store, in steps that a mutant can get wrong one at a time. Adds that arrive together are written
 * together, in one statement and one commit.
 */
export class ModelStore implements PlantStore {
  readonly plants: PlantRepository = { add: (plant) => this.#inFlight(this.add(plant)) };
  readonly database: Database;
  closed = false;
  /** How many of its ten connections a mutant has taken. */
  used = 0;
  readonly #waiting: { readonly plant: NewPlant; readonly settle: PromiseWithResolvers<AddResult> }[] = [];
  readonly #pending = new Set<Promise<AddResult>>();
  #writing = false;
  #observer: StoreObserver | undefined;
  #circuit: 'open' | 'closed' = 'closed';

  constructor(database: Database) {
    this.database = database;
  }

  /** Tells of each add as of a write of its own. */
  observe(observer: StoreObserver): void {
    this.#observer = observer;
    observer.watchWaiting(() => this.#pending.size);
    observer.watchConnections(() => ({ used: this.#writing ? 1 : 0, idle: this.#writing ? 0 : 1, pending: 0, max: 1 }));
    observer.circuit(this.#circuit);
  }

  /** Connects when it is used. */
  async open(): Promise<void> {
    this.assertFit('open');
  }

  async check(): Promise<void> {
    this.assertOpen('check');
    this.assertFit('check');
    await this.withTimeout(this.database.flush());
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.settled();
  }

  /** Waits for what is in flight. */
  settled(): Promise<unknown> {
    return Promise.allSettled(this.#pending);
  }

  async add(plant: NewPlant): Promise<AddResult> {
    this.assertOpen('add');
    this.assertFit('add');
    return this.withTimeout(this.enqueue(this.snapshot(plant)));
  }

  assertOpen(_for: Step): void {
    if (this.closed) throw new StoreUnavailable('the store is closed');
  }

  /** Looks whether the database would keep every plant. */
  assertFit(_for: Step): void {
    const { fault } = this.database;
    if (fault) throw new StoreMisconfigured(`the database ${fault}`);
  }

  /** Takes a connection, or waits for ever. */
  async take(): Promise<void> {
    if (this.used >= 10) await new Promise(() => {});
    this.used += 1;
  }

  /** Waits for something, but not longer than the store may take. */
  async withTimeout<T>(call: Promise<T>): Promise<T> {
    const settle = await Promise.race([
      call.then((value) => () => value),
      this.database.sleep(TIMEOUT_MS).then(() => () => {
        throw new StoreUnavailable(`the database did not answer within ${TIMEOUT_MS} ms`);
      }),
    ]);
    return settle();
  }

  /** A copy to store, apart from the caller's object. */
  snapshot(plant: NewPlant): NewPlant {
    return { id: plant.id, ...plantOf(plant) };
  }

  #inFlight(result: Promise<AddResult>): Promise<AddResult> {
    this.#pending.add(result);
    const done = (outcome: 'done' | 'failed', seconds: number) => {
      this.#pending.delete(result);
      if (!this.closed) this.#tell(outcome, seconds);
    };
    // Before the caller hears of it.
    result.then(
      () => done('done', 0.002),
      () => done('failed', TIMEOUT_MS / 1_000),
    );
    return result;
  }

  #tell(outcome: 'done' | 'failed', seconds: number): void {
    this.#observer?.wrote(outcome, 1, seconds);
    const circuit = outcome === 'done' ? 'closed' : 'open';
    if (circuit !== this.#circuit) this.#observer?.circuit(circuit);
    this.#circuit = circuit;
  }

  /** Waits for its turn to be written. */
  enqueue(plant: NewPlant): Promise<AddResult> {
    const settle = Promise.withResolvers<AddResult>();
    this.#waiting.push({ plant, settle });
    if (!this.#writing) void this.#writeAll();
    return settle.promise;
  }

  async #writeAll(): Promise<void> {
    this.#writing = true;
    while (this.#waiting.length > 0) {
      // Those that are added in the same moment go together.
      await Promise.resolve();
      const batch = this.#waiting.splice(0);
      const writing = this.write(batch.map(({ plant }) => plant));
      const outcomes: readonly Outcome[] = await writing.catch((error) => batch.map(() => error));
      for (const [at, { settle }] of batch.entries()) {
        const outcome = outcomes[at];
        if (outcome instanceof Error) settle.reject(outcome);
        else if (outcome) settle.resolve(outcome);
      }
    }
    this.#writing = false;
  }

  /** Writes plants together, and returns an outcome for each. */
  async write(batch: readonly NewPlant[]): Promise<readonly Outcome[]> {
    try {
      return await this.commit(batch);
    } catch (reason) {
      return this.reject(batch, reason as Error);
    }
  }

  /** A plant of the batch was rejected: each is written alone, so that only this one fails. */
  async reject(batch: readonly NewPlant[], reason: Error): Promise<readonly Outcome[]> {
    if (batch.length === 1) return [reason];
    const alone = await Promise.all(batch.map((plant) => this.write([plant])));
    return alone.flat();
  }

  /**
   * Writes plants together, and returns once they are on the disk.
   * @throws if one of them is rejected; then none is stored.
   */
  async commit(batch: readonly NewPlant[]): Promise<readonly Outcome[]> {
    await this.database.reach();
    const inserted = this.database.insert(batch);
    const outcomes = batch.map((plant) => (inserted.has(plant) ? ADDED : this.exists(plant)));
    await this.makeDurable(inserted);
    return outcomes;
  }

  /** The end of a commit: once it resolves, its adds return. */
  makeDurable(_inserted: ReadonlySet<NewPlant>): Promise<void> {
    return this.database.flush();
  }

  /** The result for a plant whose id is taken. */
  exists(asked: NewPlant): Outcome {
    const stored = this.database.rows.get(asked.id);
    return stored ? { outcome: 'exists', plant: this.returned(stored, asked) } : new Error(`no row has ${asked.id}`);
  }

  /** The plant of a row, apart from the row. */
  returned(stored: Plant, _asked: NewPlant): Plant {
    return { ...stored };
  }
}
