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
import { Connection, type Database } from './database.ts';

/** The longest time, in milliseconds, until a call of the model settles. */
export const TIMEOUT_MS = 2_000;

/** How an add is settled. */
export type Settled = PromiseSettledResult<AddResult>;

/** What a store gets wrong: steps of the model in place of its own. */
export type StoreMutation = Mutation<ModelStore>;

/**
 * A correct store, in steps that a mutant can get wrong one at a time. Adds that arrive together are written
 * together, in one statement and one commit.
 */
export class ModelStore implements PlantStore {
  readonly plants: PlantRepository = { add: (plant) => this.#inFlight(this.add(plant)) };
  readonly database: Database;
  readonly connection: Connection;
  closed = false;
  readonly #waiting: { plant: NewPlant; settle: (result: Settled | undefined) => void }[] = [];
  readonly #pending = new Set<Promise<AddResult>>();
  #writing = false;
  #observer: StoreObserver | undefined;
  #circuit: 'open' | 'closed' = 'closed';

  constructor(database: Database) {
    this.database = database;
    this.connection = new Connection(database);
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
    this.assertFit();
  }

  async check(): Promise<void> {
    this.assertOpen();
    this.assertFit();
    await this.withTimeout(this.connection.flush());
  }

  async close(): Promise<void> {
    this.closed = true;
    await Promise.allSettled(this.#pending);
  }

  async add(plant: NewPlant): Promise<AddResult> {
    this.assertOpen();
    this.assertFit();
    return this.withTimeout(this.enqueue(this.snapshot(plant)));
  }

  assertOpen(): void {
    if (this.closed) throw new StoreUnavailable('the store is closed');
  }

  /** Looks whether the database would keep every plant. */
  assertFit(): void {
    const { fault } = this.database;
    if (fault) throw new StoreMisconfigured(`the database ${fault}`);
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
    const { promise, resolve, reject } = Promise.withResolvers<AddResult>();
    this.#waiting.push({
      plant,
      settle: (result) => {
        if (result?.status === 'fulfilled') resolve(result.value);
        if (result?.status === 'rejected') reject(result.reason);
      },
    });
    if (!this.#writing) void this.#writeAll();
    return promise;
  }

  async #writeAll(): Promise<void> {
    this.#writing = true;
    while (this.#waiting.length > 0) {
      // Those that are added in the same moment go together.
      await Promise.resolve();
      const batch = this.#waiting.splice(0);
      const results = await this.write(batch.map(({ plant }) => plant)).catch((reason) =>
        batch.map((): Settled => ({ status: 'rejected', reason })),
      );
      for (const [at, { settle }] of batch.entries()) settle(results[at]);
    }
    this.#writing = false;
  }

  /** Writes plants together, and returns a result for each. */
  async write(batch: readonly NewPlant[]): Promise<readonly Settled[]> {
    try {
      return await this.commit(batch);
    } catch (reason) {
      return this.reject(batch, reason);
    }
  }

  /** A plant of the batch was rejected: each is written alone, so that only this one fails. */
  async reject(batch: readonly NewPlant[], reason: unknown): Promise<readonly Settled[]> {
    if (batch.length === 1) return [{ status: 'rejected', reason }];
    const alone = await Promise.all(batch.map((plant) => this.write([plant])));
    return alone.flat();
  }

  /**
   * Writes plants together, and returns once they are on the disk.
   * @throws if one of them is rejected; then none is stored.
   */
  async commit(batch: readonly NewPlant[]): Promise<readonly Settled[]> {
    await this.connection.reach();
    const inserted = this.connection.insert(batch);
    const results = batch.map((plant) => settled(() => (inserted.has(plant) ? ADDED : this.exists(plant))));
    await this.makeDurable(inserted);
    return results;
  }

  /** The end of a commit: once it resolves, its adds return. */
  makeDurable(_inserted: ReadonlySet<NewPlant>): Promise<void> {
    return this.connection.flush();
  }

  /** The result for a plant whose id is taken. */
  exists(asked: NewPlant): AddResult {
    const stored = this.connection.find(asked.id);
    if (!stored) throw new Error(`no row has the id ${asked.id}`);
    return { outcome: 'exists', plant: this.returned(stored, asked) };
  }

  /** The plant of a row, apart from the row. */
  returned(stored: Plant, _asked: NewPlant): Plant {
    return { ...stored };
  }
}

export const ADDED: AddResult = { outcome: 'added' };

/** What a function returns or throws. */
export function settled(result: () => AddResult): Settled {
  try {
    return { status: 'fulfilled', value: result() };
  } catch (reason) {
    return { status: 'rejected', reason };
  }
}
