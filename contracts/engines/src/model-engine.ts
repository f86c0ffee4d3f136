import { type Clause, type Mutation, mutate, type Tools } from '@plant-store/contracts-kit';
import { type BatchEngine, type Outcome, Unavailable, Unsafe } from '@plant-store/group-commit';
import type { EngineHarness, StoredItem } from './engine-harness.ts';

export type Item = StoredItem;
export type Result = 'written' | { readonly existing: string };
/** The steps of the model that a mutant replaces. */
export type EngineMutation = Mutation<ModelEngine>;

/** A clause of the contract, with its mutants. */
export type EngineClause = Clause<EngineHarness<unknown, unknown>, EngineMutation>;

/** Whether the model rejects an item. */
export const isRefused = ({ text }: Item): boolean => text === 'refused';

/** The stored items, and the current faults. */
class Database {
  rows: Item[] = [];
  readonly locked = new Set<number>();
  isHanging = false;
  isUnsafe = false;
  isLosing = false;
}

/** A correct engine. Mutants replace its methods. */
class ModelEngine implements BatchEngine<Item, Result> {
  readonly database: Database;
  readonly tools: Tools;
  isClosed = false;

  constructor(database: Database, tools: Tools) {
    this.database = database;
    this.tools = tools;
  }

  async write(items: readonly Item[], _deadline?: number): Promise<readonly Outcome<Result>[]> {
    await this.reach();
    return this.commit(items);
  }

  async settle(items: readonly Item[], _deadline?: number): Promise<readonly Outcome<Result>[]> {
    await this.reach();
    return items.map((item) => this.settleOne(item));
  }

  async probe(): Promise<void> {
    await this.reach();
    if (this.database.isUnsafe) throw new Unsafe('no commit is synced');
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }

  /** Waits until the database responds. */
  async reach(): Promise<void> {
    await this.tools.sleep(1);
    while (this.database.isHanging && !this.isClosed) await this.tools.sleep(10);
    if (this.isClosed) throw new Unavailable('it is closed');
  }

  async commit(items: readonly Item[]): Promise<readonly Outcome<Result>[]> {
    const outcomes = items.map((item) => this.writeOne(item));
    if (this.database.isLosing) throw new Unavailable('the response is lost');
    return outcomes;
  }

  writeOne(item: Item): Outcome<Result> {
    if (isRefused(item)) return { refused: new RangeError('refused') };
    return this.isLocked(item) || this.find(item) ? 'conflict' : this.insert(item);
  }

  settleOne(item: Item): Outcome<Result> {
    if (this.isLocked(item)) return 'conflict';
    const found = this.find(item);
    return found ? { done: { existing: found.text } } : this.insert(item);
  }

  insert(item: Item): Outcome<Result> {
    this.database.rows.push(item);
    return { done: 'written' };
  }

  find({ number }: Item): Item | undefined {
    return this.database.rows.find((row) => row.number === number);
  }

  isLocked({ number }: Item): boolean {
    return this.database.locked.has(number);
  }
}

export function modelHarness(mutation: EngineMutation, tools: Tools): EngineHarness<Item, Result> {
  return {
    async prepare() {
      const database = new Database();
      const fault = (name: 'isHanging' | 'isUnsafe' | 'isLosing') => async () => {
        database[name] = true;
        return async () => {
          database[name] = false;
        };
      };
      return {
        Unavailable,
        open: async () => mutate(new ModelEngine(database, tools), mutation),
        item: (number, text) => ({ number, text }),
        stored: async () => [...database.rows],
        dispose: async () => {},
        existing: (result) => (result === 'written' ? undefined : result.existing),
        refused: { number: -1, text: 'refused' },
        async lock(number) {
          database.locked.add(number);
          return async () => void database.locked.delete(number);
        },
        outages: { 'the database hangs': fault('isHanging'), 'no commit is synced': fault('isUnsafe') },
        loseResponses: fault('isLosing'),
      };
    },
  };
}
