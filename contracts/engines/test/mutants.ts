import { type Mutant, mutantTable } from '@plant-store/contracts-kit';
import { type Outcome, Unavailable } from '@plant-store/group-commit';
import type { EngineMutation, Item, Result } from '../src/model-engine.ts';

const isRefused = ({ text }: Item) => text === 'refused';

export const correctEngines: readonly (readonly [does: string, mutation: EngineMutation])[] = [
  ['returns `conflict` for taken keys', () => ({})],
  [
    'looks up taken keys itself, and returns `conflict` only for locks',
    (_, engine) => ({
      writeOne: (item) => (isRefused(item) ? { refused: new RangeError('refused') } : engine.settleOne(item)),
    }),
  ],
  [
    'throws Unavailable at once while the database hangs',
    (_, engine) => ({
      async reach() {
        await engine.tools.sleep(1);
        if (engine.database.isHanging || engine.isClosed) throw new Unavailable('no response');
      },
    }),
  ],
];

/** Engines with one mistake each, by the clause that must catch it. */
export const engineMutants: readonly Mutant<EngineMutation>[] = mutantTable<EngineMutation>({
  'GE-1': {
    'returns at most fifty outcomes': ({ write }) => ({ write: async (items) => (await write(items)).slice(0, 50) }),
    'returns the outcomes of written items first, as RETURNING does': ({ commit }) => ({
      async commit(items) {
        const outcomes = await commit(items);
        const isConflict = (outcome: Outcome<Result>) => outcome === 'conflict';
        return [...outcomes.filter((each) => !isConflict(each)), ...outcomes.filter(isConflict)];
      },
    }),
  },
  'GE-2': {
    'forgets its last batch when it is closed': ({ close }, { database }) => ({
      close() {
        database.rows = database.rows.slice(0, 1);
        return close();
      },
    }),
    'writes only after it has returned': ({ commit }, { tools, database }) => ({
      async commit(items) {
        const before = [...database.rows];
        const outcomes = await commit(items);
        if (items.length < 50) return outcomes;
        const after = database.rows;
        database.rows = before;
        void tools.sleep(50).then(() => {
          database.rows = after;
        });
        return outcomes;
      },
    }),
  },
  'GE-3': {
    'throws another error if the response is lost': ({ commit }) => ({
      commit: (items) => commit(items).catch(() => Promise.reject(new SyntaxError('Unexpected end of JSON input'))),
    }),
    'fails with another error half-way, and rolls nothing back': ({ commit }, { database }) => ({
      async commit(items) {
        if (!database.isUnsafe) return commit(items);
        await commit(items.slice(0, 2));
        throw new TypeError('fsync failed');
      },
    }),
    'remembers keys before it writes them, and forgets none if that fails': ({ commit }, { database }) => {
      const known = new Set<number>();
      return {
        async commit(items) {
          if (items.every(({ number }) => known.has(number)))
            return items.map(({ text }) => ({ done: { existing: text } }));
          for (const { number } of items) known.add(number);
          if (database.isUnsafe) throw new Unavailable('fsync failed');
          return commit(items);
        },
      };
    },
    'returns `done` for a lost response, although it has rolled back': ({ commit }, { database }) => ({
      async commit(items) {
        if (!database.isLosing) return commit(items);
        return items.map(() => ({ done: 'written' }));
      },
    }),
  },
  'GE-4': {
    'rejects the whole batch with the error of a refused item': ({ commit }) => ({
      async commit(items) {
        if (items.some(isRefused)) throw new RangeError('refused');
        return commit(items);
      },
    }),
    'rolls back the items beside a refused one, and returns `done` for them': ({ commit }, { database }) => ({
      async commit(items) {
        const before = [...database.rows];
        const outcomes = await commit(items);
        if (items.some(isRefused)) database.rows = before;
        return outcomes;
      },
    }),
    'returns the outcomes of refused items last': ({ commit }) => ({
      commit: async (items) => commit([...items.filter((item) => !isRefused(item)), ...items.filter(isRefused)]),
    }),
    'writes a refused item': ({ writeOne }, engine) => ({
      writeOne: (item) => {
        if (isRefused(item)) engine.insert(item);
        return writeOne(item);
      },
    }),
    'returns the message alone': ({ writeOne }) => ({
      writeOne: (item) => (isRefused(item) ? { refused: 'refused' as unknown as Error } : writeOne(item)),
    }),
  },
  'GE-5': {
    'returns `written` for an item that is already stored with the same text': ({ settleOne }, engine) => ({
      settleOne: (item) => (engine.find(item)?.text === item.text ? { done: 'written' } : settleOne(item)),
    }),
    'returns the given text instead of the stored one': ({ settleOne }, engine) => ({
      settleOne: (item) =>
        engine.find(item)?.text.startsWith('first') ? { done: { existing: item.text } } : settleOne(item),
    }),
  },
  'GE-6': {
    'checks which keys are free, and writes them later': ({ writeOne }, engine) => ({
      async commit(items) {
        const isLate = engine.database.isHanging;
        const free = new Set(items.filter((item) => !engine.find(item)));
        if (items.length === 20 && !isLate) await engine.tools.sleep(1);
        return items.map((item) =>
          free.has(item) && !isRefused(item) && !engine.isLocked(item) ? engine.insert(item) : writeOne(item),
        );
      },
    }),
  },
  'GE-7': {
    'overwrites later items when a late write finishes': ({ settleOne }, engine) => {
      let isLate = false;
      const { database } = engine;
      return {
        async reach() {
          await engine.tools.sleep(1);
          const hung = database.isHanging;
          while (database.isHanging && !engine.isClosed) await engine.tools.sleep(10);
          if (engine.isClosed) throw new Unavailable('it is closed');
          isLate ||= hung;
        },
        settleOne(item) {
          if (!isLate) return settleOne(item);
          database.rows = database.rows.filter(({ number }) => number !== item.number);
          return engine.insert(item);
        },
      };
    },
    'never ends the second of two hanging writes': ({ reach }, { database }) => {
      let waiting = 0;
      return {
        async reach() {
          if (database.isHanging) waiting += 1;
          if (waiting > 1) await new Promise(() => {});
          await reach();
        },
      };
    },
  },
  'GE-8': {
    'never writes an item that has conflicted': ({ settleOne }, engine) => ({
      settleOne: (item) => (engine.find(item) ? settleOne(item) : 'conflict'),
    }),
    'returns the outcomes of settle in another order': ({ settle }) => ({
      settle: async (items) => {
        const outcomes = await settle(items);
        return outcomes.some(
          (outcome) => typeof outcome === 'object' && 'done' in outcome && outcome.done === 'written',
        )
          ? outcomes.toReversed()
          : outcomes;
      },
    }),
  },
  'GE-9': {
    'waits for locks in write': ({ write }, engine) => ({
      async write(items) {
        if (items.length === 3) while (items.some((item) => engine.isLocked(item))) await engine.tools.sleep(10);
        return write(items);
      },
    }),
    'waits for locks in settle': ({ settle }, engine) => ({
      async settle(items) {
        while (items.some((item) => engine.isLocked(item))) await engine.tools.sleep(10);
        return settle(items);
      },
    }),
    'returns `conflict` for a whole batch if one key is locked': ({ commit }, engine) => ({
      commit: async (items) =>
        items.some((item) => engine.isLocked(item)) ? items.map(() => 'conflict') : commit(items),
    }),
  },
  'GE-10': {
    'writes an item to probe': ({ probe }, engine) => ({
      async probe() {
        await probe();
        engine.insert({ number: 0, text: 'probe' });
      },
    }),
    'leaks one of ten connections in each probe': ({ probe }) => {
      let free = 10;
      return {
        async probe() {
          free -= 1;
          if (free < 0) await new Promise(() => {});
          await probe();
        },
      };
    },
  },
  'GE-11': {
    'probes without the database': () => ({ probe: async () => {} }),
    'does not check whether a commit would be durable': (_, engine) => ({ probe: () => engine.reach() }),
    'throws another error': ({ probe }) => ({
      probe: () => probe().catch(({ message }) => Promise.reject(new Error(message))),
    }),
    'fails forever after its first failure': ({ probe }) => {
      let probing: Promise<void> = Promise.resolve();
      return { probe: () => (probing = probing.then(probe)) };
    },
  },
  'GE-12': {
    'waits in close until the database responds': ({ close }, { database, tools }) => ({
      async close() {
        while (database.isHanging) await tools.sleep(10);
        await close();
      },
    }),
    'never settles late writes': ({ reach }, engine) => ({
      reach: () =>
        reach().catch((error) => (engine.database.isHanging ? new Promise(() => {}) : Promise.reject(error))),
    }),
  },
  'GE-13': {
    'writes after it is closed': (_, engine) => ({
      async reach() {
        await engine.tools.sleep(1);
        while (engine.database.isHanging && !engine.isClosed) await engine.tools.sleep(10);
      },
    }),
    'probes after it is closed': ({ probe }, engine) => ({
      probe: async () => (engine.isClosed ? undefined : probe()),
    }),
    'writes after it is closed, and throws': ({ write }, engine) => ({
      write(items) {
        if (engine.isClosed) for (const item of items) engine.insert(item);
        return write(items);
      },
    }),
  },
  'GE-14': {
    'throws when it is closed again': ({ close }, engine) => ({
      async close() {
        if (engine.isClosed) throw new Error('Called end on pool more than once');
        await close();
      },
    }),
  },
});
