import type { Tools } from '../../src/contract/index.ts';
import type { NewPlant, Plant } from '../../src/index.ts';

/** A simulated database. It lives outside the process, and several stores may be connected to it. */
export class Database {
  /** What every connection sees. */
  readonly rows: Map<bigint, Plant> = new Map();
  /** What a crash leaves. */
  readonly disk: Map<bigint, Plant> = new Map();
  /** The ids that it is set up to refuse. */
  readonly refused: Set<bigint> = new Set();
  readonly sleep: Tools['sleep'];
  /** How often everything crashed. */
  crashes = 0;
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

  /** Kills the process of every open store, and all that had not reached the disk. */
  crash(): void {
    this.crashes += 1;
    this.rows.clear();
    for (const [id, plant] of this.disk) this.rows.set(id, plant);
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

  /** A round trip: a millisecond or, in an outage, until the outage has ended. */
  async reach(): Promise<void> {
    await this.#database.sleep(1);
    await this.#database.outage;
    if (this.#database.crashes > this.#crashes) await new Promise(() => {});
  }

  find(id: bigint): Plant | undefined {
    return this.#database.rows.get(id);
  }

  /**
   * Inserts the plants whose id is free, in one statement: all of them or none.
   * @returns those that were inserted.
   * @throws when one of them is refused.
   */
  insert(plants: readonly NewPlant[]): ReadonlySet<NewPlant> {
    this.#assertNoneRefused(plants);
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
   * @throws when the plant is refused.
   */
  overwrite(plant: NewPlant): void {
    this.#assertNoneRefused([plant]);
    const { id, ...row } = plant;
    this.#database.rows.set(id, row);
  }

  /** Makes all that is visible durable, other connections' rows included. */
  async flush(): Promise<void> {
    await this.reach();
    for (const [id, plant] of this.#database.rows) this.#database.disk.set(id, plant);
  }

  #assertNoneRefused(plants: readonly NewPlant[]): void {
    const refused = plants.find(({ id }) => this.#database.refused.has(id));
    if (refused) throw new Error(`new row violates check constraint: id ${refused.id}`);
  }
}
