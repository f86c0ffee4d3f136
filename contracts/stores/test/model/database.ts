import type { Tools } from '@plant-store/contracts-kit';
import { type NewPlant, type Plant, PlantRefused, StoreUnavailable } from '@plant-store/domain';

/** A simulated database. It lives outside the process, and several stores may be connected to it. */
export class Database {
  /** What every connection sees. What a mutant changes here, and not in the log, is as before after a crash. */
  readonly rows: Map<bigint, Plant> = new Map();
  /** Every row as it was written or, without a plant, deleted, oldest first: what a crash leaves is the beginning of it. */
  readonly #log: (readonly [bigint, Plant | undefined])[] = [];
  /** How many entries of the log are left when the process that wrote them crashes: the server has them in memory. */
  #committed = 0;
  /** How many are left when the server crashes. */
  #onDisk = 0;
  /** The ids that it is set up to reject. */
  readonly rejected: Set<bigint> = new Set();
  readonly sleep: Tools['sleep'];
  /** How often everything crashed. */
  crashes = 0;
  /** How often the server crashed. */
  serverCrashes = 0;
  /** Whether it has not been started again since. */
  isDown = false;
  /** Whether the disk is full: what is there can be read, and nothing is made durable. */
  isFull = false;
  /** Why it is no place for plants; undefined while it is one. It does not act on it, but for one that rejects every plant. */
  fault: 'changes plants' | 'rejects plants' | 'does not exist' | undefined;
  /** Resolves when the outage has ended; undefined while there is none. */
  outage: Promise<void> | undefined;

  constructor({ sleep }: Tools) {
    this.sleep = sleep;
  }

  startFault(fault: Database['fault']): () => Promise<void> {
    this.fault = fault;
    return async () => {
      this.fault = undefined;
    };
  }

  startOutage(): () => Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.outage = promise;
    return async () => {
      this.outage = undefined;
      resolve();
    };
  }

  /** Kills the process of every open store, and whatever the server does not have in memory. */
  crash(): void {
    this.crashes += 1;
    this.#recover(this.#committed);
  }

  /** Kills the server, and all that had not reached its disk. Resolves with what starts it again. */
  crashServer(): () => Promise<void> {
    this.serverCrashes += 1;
    this.isDown = true;
    this.#committed = this.#onDisk;
    this.#recover(this.#onDisk);
    return async () => {
      this.isDown = false;
    };
  }

  /** Writes a row, whatever stood there before. */
  overwrite(id: bigint, row: Plant): void {
    this.#apply(id, row);
    this.#log.push([id, row]);
  }

  delete(id: bigint): void {
    this.#apply(id, undefined);
    this.#log.push([id, undefined]);
  }

  /** Deletes everything, on the disk as well. */
  clear(): void {
    this.#committed = 0;
    this.#onDisk = 0;
    this.#recover(0);
  }

  /** How much of the log there is. */
  get logged(): number {
    return this.#log.length;
  }

  assertSpace(): void {
    if (this.isFull) throw new StoreUnavailable('No space left on device');
  }

  /** The server has this much of the log in its memory. */
  keepInMemory(logged: number): void {
    this.#committed = Math.max(this.#committed, Math.min(logged, this.#log.length));
  }

  /** The same on its disk. */
  keepOnDisk(logged: number): void {
    this.keepInMemory(logged);
    this.#onDisk = Math.max(this.#onDisk, Math.min(logged, this.#log.length));
  }

  #recover(logged: number): void {
    this.#log.length = logged;
    this.rows.clear();
    for (const [id, row] of this.#log) this.#apply(id, row);
  }

  #apply(id: bigint, row: Plant | undefined): void {
    if (row) this.rows.set(id, row);
    else this.rows.delete(id);
  }
}

/** One store's way to the database, which ends with the process. */
export class Connection {
  readonly #database: Database;
  readonly #crashes: number;

  constructor(database: Database) {
    this.#database = database;
    this.#crashes = database.crashes;
  }

  /**
   * A round trip: a millisecond or, in an outage, until the outage has ended.
   * @throws {StoreUnavailable} when the server is down, or was killed meanwhile.
   */
  async reach(): Promise<void> {
    const { serverCrashes } = this.#database;
    await this.#database.sleep(1);
    await this.#database.outage;
    if (this.#database.crashes > this.#crashes) await new Promise(() => {});
    if (this.#database.isDown || this.#database.serverCrashes > serverCrashes)
      throw new StoreUnavailable('Connection terminated unexpectedly');
  }

  find(id: bigint): Plant | undefined {
    return this.#database.rows.get(id);
  }

  /**
   * Inserts the plants whose id is free, in one statement: all of them or none.
   * @returns those that were inserted.
   * @throws if one of them is rejected.
   */
  insert(plants: readonly NewPlant[]): ReadonlySet<NewPlant> {
    this.#assertNoneRejected(plants);
    const inserted = new Set<NewPlant>();
    for (const plant of plants) {
      if (this.find(plant.id)) continue;
      this.overwrite(plant);
      inserted.add(plant);
    }
    return inserted;
  }

  /**
   * Writes a row, whatever stood there before.
   * @throws if the plant is rejected.
   */
  overwrite(plant: NewPlant): void {
    this.#assertNoneRejected([plant]);
    const { id, ...row } = plant;
    this.#database.overwrite(id, row);
  }

  /** Has the server keep all that is visible when it begins, other connections' rows included, in its memory. */
  async commit(): Promise<void> {
    const { logged } = this.#database;
    await this.reach();
    this.#database.assertSpace();
    this.#database.keepInMemory(logged);
  }

  /** The same on its disk: durable. */
  async flush(): Promise<void> {
    const { logged } = this.#database;
    await this.reach();
    this.#database.assertSpace();
    this.#database.keepOnDisk(logged);
  }

  #assertNoneRejected(plants: readonly NewPlant[]): void {
    const rejected = plants.find(({ id }) => this.#database.rejected.has(id));
    if (this.#database.fault === 'rejects plants') throw new PlantRefused('null value in column planted_by');
    if (rejected) throw new PlantRefused(`new row violates check constraint: id ${rejected.id}`);
  }
}
