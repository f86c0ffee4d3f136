import type { Tools } from '@plant-store/contracts-kit';
import { type NewPlant, type Plant, PlantRefused, StoreUnavailable } from '@plant-store/domain';
import type { EndFault } from '../store-harness.ts';

/** A simulated database server to which several stores may connect. */
export class Database {
  /** The rows that every connection sees. */
  readonly rows: Map<bigint, Plant> = new Map();
  /** Every written row, oldest first, without a plant if it was deleted. A crash truncates the log. */
  readonly #log: (readonly [bigint, Plant | undefined])[] = [];
  /** The length of the durable part of the log. */
  #durable = 0;
  /** The ids that a constraint refuses. */
  readonly refusedIds: Set<bigint> = new Set();
  readonly sleep: Tools['sleep'];
  crashes = 0;
  /** Whether the server has crashed and not been started again. */
  isDown = false;
  /** Whether commits fail while reads succeed. */
  isDiskFull = false;
  /** Why the database is unsuitable for plants. A correct store checks it. */
  fault: 'changes plants' | 'refuses plants' | 'does not exist' | undefined;
  /** Resolves when the outage ends. */
  outage: Promise<void> | undefined;

  constructor({ sleep }: Tools) {
    this.sleep = sleep;
  }

  async startFault(fault: Partial<Pick<Database, 'fault' | 'isDown' | 'isDiskFull'>>): Promise<EndFault> {
    const before = { fault: this.fault, isDown: this.isDown, isDiskFull: this.isDiskFull };
    Object.assign(this, fault);
    return async () => void Object.assign(this, before);
  }

  startOutage(): EndFault {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.outage = promise;
    return async () => {
      this.outage = undefined;
      resolve();
    };
  }

  /** Loses everything that is not durable, ends every round trip, and stays down until it is started. */
  crash(): Promise<EndFault> {
    this.crashes += 1;
    const durable = this.#log.splice(0).slice(0, this.#durable);
    this.rows.clear();
    for (const [id, row] of durable) this.write(id, row);
    return this.startFault({ isDown: true });
  }

  /** Writes a row, or deletes it if no plant is given. */
  write(id: bigint, row: Plant | undefined): void {
    this.#log.push([id, row]);
    if (row) this.rows.set(id, row);
    else this.rows.delete(id);
  }

  /**
   * Inserts the plants whose id is free, in one statement, and returns those that it inserted.
   * @throws {PlantRefused} if a plant is refused. Then none is inserted.
   */
  insert(plants: readonly NewPlant[]): ReadonlySet<NewPlant> {
    const refused = plants.find(({ id }) => this.refusedIds.has(id));
    if (this.fault === 'refuses plants') throw new PlantRefused('null value in column planted_by');
    if (refused) throw new PlantRefused(`new row violates check constraint: id ${refused.id}`);
    const inserted = new Set<NewPlant>();
    for (const plant of plants) {
      if (this.rows.has(plant.id)) continue;
      this.overwrite(plant);
      inserted.add(plant);
    }
    return inserted;
  }

  overwrite({ id, ...row }: NewPlant): void {
    this.write(id, row);
  }

  /**
   * Takes a millisecond, or waits for the end of an outage.
   * @throws {StoreUnavailable} if the server is down, or crashes in the meantime.
   */
  async roundTrip(): Promise<void> {
    const { crashes } = this;
    await this.sleep(1);
    await this.outage;
    if (this.isDown || this.crashes > crashes) throw new StoreUnavailable('Connection terminated unexpectedly');
  }

  /** Makes all rows durable that are visible when it begins, those of other connections included. */
  async flush(): Promise<void> {
    const logged = this.#log.length;
    await this.roundTrip();
    if (this.isDiskFull) throw new StoreUnavailable('No space left on device');
    this.#durable = Math.max(this.#durable, logged);
  }
}
