import type { Mutation } from '@plant-store/contracts-kit';
import {
  type AddResult,
  type NewPlant,
  type Plant,
  type PlantRepository,
  type PlantStore,
  pickPlant,
  StoreMisconfigured,
  StoreUnavailable,
} from '@plant-store/domain';
import type { Database } from './database.ts';

/** The time-out of a call, in milliseconds. */
export const TIMEOUT_MS = 2_000;

/** The result of an add. It throws an error. */
export type Outcome = AddResult | Error;

/** What a store is about to do. */
export type Operation = 'open' | 'check' | 'add';

export const ADDED: AddResult = { outcome: 'added' };

/** The steps of the model that a mutant replaces. */
export type StoreMutation = Mutation<ModelStore>;

/**
 * A correct store, in steps that a mutant can replace one by one. It writes adds that arrive together in one statement and one
 * commit.
 */
export class ModelStore implements PlantStore {
  readonly plants: PlantRepository = { add: (plant) => this.#track(this.add(plant)) };
  readonly database: Database;
  closed = false;
  /** How many of the ten connections mutants have acquired. */
  acquired = 0;
  readonly #waiting: { readonly plant: NewPlant; readonly settle: PromiseWithResolvers<AddResult> }[] = [];
  readonly #pending = new Set<Promise<AddResult>>();
  #writing = false;

  constructor(database: Database) {
    this.database = database;
  }

  /** Does not connect. Each call does. */
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
    await this.finishPending();
  }

  /** Waits for adds in flight. */
  finishPending(): Promise<unknown> {
    return Promise.allSettled(this.#pending);
  }

  async add(plant: NewPlant): Promise<AddResult> {
    this.assertOpen('add');
    this.assertFit('add');
    return this.withTimeout(this.enqueue(this.snapshot(plant)));
  }

  assertOpen(_before: Operation): void {
    if (this.closed) throw new StoreUnavailable('the store is closed');
  }

  /** Checks that commits are durable, and that the table can hold every plant. */
  assertFit(_before: Operation): void {
    const { fault } = this.database;
    if (fault) throw new StoreMisconfigured(`the database ${fault}`);
  }

  /** Acquires a connection, or never resolves if there is none. */
  async acquire(): Promise<void> {
    if (this.acquired >= 10) await new Promise(() => {});
    this.acquired += 1;
  }

  /** Waits for a call, at most for the time-out. */
  withTimeout<T>(call: Promise<T>): Promise<T> {
    const timeout = this.database.sleep(TIMEOUT_MS).then(() => {
      throw new StoreUnavailable(`the database did not answer within ${TIMEOUT_MS} ms`);
    });
    return Promise.race([call, timeout]);
  }

  /** Copies the plant, so that changes to the object of the caller have no effect. */
  snapshot(plant: NewPlant): NewPlant {
    return { id: plant.id, ...pickPlant(plant) };
  }

  #track(result: Promise<AddResult>): Promise<AddResult> {
    this.#pending.add(result);
    const settled = () => this.#pending.delete(result);
    result.then(settled, settled);
    return result;
  }

  /** Queues a plant for the next batch. */
  enqueue(plant: NewPlant): Promise<AddResult> {
    const settle = Promise.withResolvers<AddResult>();
    this.#waiting.push({ plant, settle });
    if (!this.#writing) void this.#writeAll();
    return settle.promise;
  }

  async #writeAll(): Promise<void> {
    this.#writing = true;
    while (this.#waiting.length > 0) {
      // Adds of the same moment are in one batch.
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

  /** Writes a batch, and returns an outcome for each plant. */
  async write(batch: readonly NewPlant[]): Promise<readonly Outcome[]> {
    try {
      return await this.commit(batch);
    } catch (reason) {
      return this.retryAlone(batch, reason as Error);
    }
  }

  /** Writes each plant alone, because one of the batch was refused. */
  async retryAlone(batch: readonly NewPlant[], reason: Error): Promise<readonly Outcome[]> {
    if (batch.length === 1) return batch.map((plant) => this.refuse(plant, reason));
    const alone = await Promise.all(batch.map((plant) => this.write([plant])));
    return alone.flat();
  }

  /** Returns the result for a plant that was refused alone: that of the stored plant if its id is taken. */
  refuse(plant: NewPlant, reason: Error): Outcome {
    return this.database.rows.has(plant.id) ? this.exists(plant) : reason;
  }

  /**
   * Writes a batch, and returns once it is durable.
   * @throws {PlantRefused} if a plant is refused. Then none is stored.
   */
  async commit(batch: readonly NewPlant[]): Promise<readonly Outcome[]> {
    await this.database.roundTrip();
    const inserted = this.database.insert(batch);
    const outcomes = batch.map((plant) => (inserted.has(plant) ? ADDED : this.exists(plant)));
    await this.makeDurable(inserted);
    return outcomes;
  }

  /** Ends a commit. Once it resolves, the adds return. */
  makeDurable(_inserted: ReadonlySet<NewPlant>): Promise<void> {
    return this.database.flush();
  }

  /** Returns the result for a plant whose id is taken. */
  exists(asked: NewPlant): Outcome {
    const stored = this.database.rows.get(asked.id);
    return stored ? { outcome: 'exists', plant: this.toPlant(stored, asked) } : new Error(`no row has ${asked.id}`);
  }

  /** Copies the row, so that changes to the result have no effect. */
  toPlant(stored: Plant, _asked: NewPlant): Plant {
    return { ...stored };
  }
}
