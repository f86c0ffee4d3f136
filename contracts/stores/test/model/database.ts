import type { Tools } from '@plant-store/contracts-kit';
import { type NewPlant, type Plant, PlantRefused, StoreUnavailable } from '@plant-store/domain';

/** A simulated database. It lives outside the process, and several stores may be connected to it. */
export class Database {
  /** What every connection sees. What a mutant changes here, and not by `write`, is as before after a crash. */
  readonly rows: Map<bigint, Plant> = new Map();
  /** Every row as it was written or, without a plant, deleted, oldest first: what a crash leaves is the beginning of it. */
  readonly #log: (readonly [bigint, Plant | undefined])[] = [];
  /** How much of the log is left when the process that wrote it crashes, since the server has it in memory. */
  #committed = 0;
  /** How much is left when the server crashes. */
  #onDisk = 0;
  /** The ids that it is set up to reject. */
  readonly rejected: Set<bigint> = new Set();
  readonly sleep: Tools['sleep'];
  /** How often the process of every open store crashed, and how often the server. */
  crashes = 0;
  #serverCrashes = 0;
  /** Whether the server has not been started again since. */
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

  /** Begins a fault, and resolves with what ends it. */
  async begin(fault: Partial<Pick<Database, 'fault' | 'isDown' | 'isFull'>>): Promise<() => Promise<void>> {
    const before = { fault: this.fault, isDown: this.isDown, isFull: this.isFull };
    Object.assign(this, fault);
    return async () => void Object.assign(this, before);
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
  crashServer(): Promise<() => Promise<void>> {
    this.#serverCrashes += 1;
    this.#committed = this.#onDisk;
    this.#recover(this.#onDisk);
    return this.begin({ isDown: true });
  }

  /** Deletes everything, on the disk as well. */
  clear(): void {
    this.#committed = 0;
    this.#onDisk = 0;
    this.#recover(0);
  }

  #recover(logged: number): void {
    const kept = this.#log.splice(0).slice(0, logged);
    this.rows.clear();
    for (const [id, row] of kept) this.write(id, row);
  }

  /** Writes a row, or deletes it, whatever stood there before. */
  write(id: bigint, row: Plant | undefined): void {
    this.#log.push([id, row]);
    if (row) this.rows.set(id, row);
    else this.rows.delete(id);
  }

  /**
   * Inserts the plants whose id is free, in one statement: all of them or none.
   * @returns those that were inserted.
   * @throws if one of them is rejected.
   */
  insert(plants: readonly NewPlant[]): ReadonlySet<NewPlant> {
    const rejected = plants.find(({ id }) => this.rejected.has(id));
    if (this.fault === 'rejects plants') throw new PlantRefused('null value in column planted_by');
    if (rejected) throw new PlantRefused(`new row violates check constraint: id ${rejected.id}`);
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
   * A round trip: a millisecond or, in an outage, until the outage has ended.
   * @throws {StoreUnavailable} when the server is down, or was killed meanwhile.
   */
  async reach(): Promise<void> {
    const [crashes, serverCrashes] = [this.crashes, this.#serverCrashes];
    await this.sleep(1);
    await this.outage;
    if (this.crashes > crashes) await new Promise(() => {});
    if (this.isDown || this.#serverCrashes > serverCrashes)
      throw new StoreUnavailable('Connection terminated unexpectedly');
  }

  /** Has the server keep all that is visible when it begins, other connections' rows included, in its memory. */
  async commit(): Promise<number> {
    const logged = this.#log.length;
    await this.reach();
    if (this.isFull) throw new StoreUnavailable('No space left on device');
    this.#committed = Math.max(this.#committed, logged);
    return logged;
  }

  /** The same on its disk: durable. */
  async flush(): Promise<void> {
    this.#onDisk = Math.max(this.#onDisk, await this.commit());
  }
}
