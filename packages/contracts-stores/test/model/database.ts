import type { Tools } from '@plant-store/contracts-kit';
import { type NewPlant, type Plant, StoreUnavailable } from '@plant-store/domain';

/** A simulated database. It lives outside the process, and several stores may be connected to it. */
export class Database {
  /** What every connection sees. */
  readonly rows: Map<bigint, Plant> = new Map();
  /** What is left when the process that wrote it crashes: the server has it in memory. */
  readonly committed: Map<bigint, Plant> = new Map();
  /** What is left when the server crashes. */
  readonly disk: Map<bigint, Plant> = new Map();
  /** The ids that it is set up to reject. */
  readonly rejected: Set<bigint> = new Set();
  readonly sleep: Tools['sleep'];
  /** How often everything crashed. */
  crashes = 0;
  /** How often the server crashed. */
  serverCrashes = 0;
  /** Whether it has not been started again since. */
  isDown = false;
  /** Resolves when the outage has ended; undefined while there is none. */
  outage: Promise<void> | undefined;

  constructor({ sleep }: Tools) {
    this.sleep = sleep;
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
    restore(this.rows, this.committed);
  }

  /** Kills the server, and all that had not reached its disk. Resolves with what starts it again. */
  crashServer(): () => Promise<void> {
    this.serverCrashes += 1;
    this.isDown = true;
    restore(this.committed, this.disk);
    restore(this.rows, this.disk);
    return async () => {
      this.isDown = false;
    };
  }
}

function restore(rows: Map<bigint, Plant>, from: ReadonlyMap<bigint, Plant>): void {
  rows.clear();
  copy(from, rows);
}

function copy(rows: Iterable<[bigint, Plant]>, to: Map<bigint, Plant>): void {
  for (const [id, plant] of rows) to.set(id, plant);
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
    this.#database.rows.set(id, row);
  }

  /** Has the server keep all that is visible when it begins, other connections' rows included, in its memory. */
  async commit(): Promise<void> {
    const visible = [...this.#database.rows];
    await this.reach();
    copy(visible, this.#database.committed);
  }

  /** The same on its disk: durable. */
  async flush(): Promise<void> {
    const visible = [...this.#database.rows];
    await this.reach();
    copy(visible, this.#database.committed);
    copy(visible, this.#database.disk);
  }

  #assertNoneRejected(plants: readonly NewPlant[]): void {
    const rejected = plants.find(({ id }) => this.#database.rejected.has(id));
    if (rejected) throw new Error(`new row violates check constraint: id ${rejected.id}`);
  }
}
