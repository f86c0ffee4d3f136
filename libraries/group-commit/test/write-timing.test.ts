import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { Unavailable } from '../src/errors.ts';
import { added, start } from './start.ts';
import { flushPromises } from './virtual-platform.ts';

/** Closed-loop clients of a server that syncs one commit after the other. Each has a think time of `returnMs`. */
function setUp(commitMs: number, maxWrites = 2) {
  const sizes: number[] = [];
  const server = { commitMs, free: 0, isDown: false, locked: 0, refused: 0 };
  const started = start(
    ({ now, sleep }) => ({
      async write(items) {
        sizes.push(items.length);
        server.free = Math.max(now(), server.free) + server.commitMs;
        await sleep(server.free - now());
        if (server.isDown) throw new Unavailable('down');
        return items.map((_, at) => {
          if (at < server.refused) return { refused: new RangeError('refused') };
          return at < server.locked ? 'conflict' : { done: 'added' };
        });
      },
      settle: () => new Promise(() => {}),
      hasCircuitBreaker: false,
    }),
    { maxWrites },
  );
  const { send, step } = started;
  const { now, after } = started.platform;
  async function clients(count: number, returnMs: number, ms: number): Promise<void> {
    const end = now() + ms;
    const loop = async () => {
      await send();
      if (now() < end) after(returnMs, () => void loop());
    };
    for (let client = 0; client < count; client += 1) void loop();
    while (now() < end) await step();
  }
  return { ...started, server, sizes, clients };
}

test.each([
  ['that return long before a commit ends share one write', 1, 0.1, 2, [8, 8, 8]],
  ['that return after about a commit are written in two halves', 1, 0.9, 2, [4, 4, 4]],
  ['of a slow disk that return after about a commit are written in two halves', 100, 90, 2, [4, 4, 4]],
  ['that return after about a commit are written in `maxWrites` parts', 1, 0.9, 4, [2, 2, 2]],
])('clients %s', async (_, commitMs, returnMs, maxWrites, last) => {
  const { clients, sizes, burst, advance } = setUp(commitMs, maxWrites);
  await clients(8, returnMs, 200 * commitMs);
  expect(sizes.slice(-3)).toEqual(last);
  await advance(50 * commitMs);
  const before = sizes.length;
  await burst(8);
  // A burst is divided in the same way.
  expect(sizes[before]).toBe(last[0]);
});

test('of refused items, duplicates that are queued again do not count as clients that return', async () => {
  const sizes: number[] = [];
  const write = (sleep: (ms: number) => Promise<unknown>) => async (items: readonly number[]) => {
    sizes.push(items.length);
    await sleep(1);
    return items.map((id) => (id === 1 ? added : { refused: new RangeError('refused') }));
  };
  const inPairs = { keyOf: (id: number) => Math.trunc(id / 2) };
  const { burst, advance } = start(({ sleep }) => ({ write: write(sleep) }), { maxWrites: 5 }, {}, inPairs);
  await burst(5);
  await advance(10);
  // Three clients may return and two items wait, so a fifth of them is one.
  expect(sizes).toEqual([3, 1, 1]);
});

test('clients whose commits take nearly maxWaitMs are not refused, because nothing waits', async () => {
  const { clients, results } = setUp(450);
  await clients(40, 50, 10_000);
  expect(results.filter(({ error }) => error)).toEqual([]);
});

test('a lone client never waits, and needs no timer but those of its deadline and of its write', async () => {
  const { clients, burst, results, timers } = setUp(1);
  await clients(1, 0.1, 100);
  expect(new Set(results.map(({ took }) => Math.round(took)))).toEqual(new Set([1]));
  await burst(1);
  // The third is that of its commit.
  expect(timers).toHaveLength(3);
});

test('an item waits for lost clients for the duration of a commit, even below the resolution of timers', async () => {
  const { clients, burst, results, turn, advance } = setUp(0.5);
  await clients(8, 0.1, 100);
  await turn();
  await advance(0.6);
  await burst(8);
  await advance(0.5);
  await burst(1);
  await advance(3);
  // The maximum wait of one commit, a turn, and its own commit.
  expect(results.at(-1)?.took).toBeLessThan(1.1);
  expect(results.at(-1)?.took).toBeGreaterThan(0.9);
});

test.each([
  ['whose write has failed', { isDown: true }, 1],
  ['whose outcome is still unknown', { locked: 4 }, 4],
  ['that are all refused', { refused: 8 }, 1],
])('clients %s are not waited for', async (_, state, count) => {
  const { clients, burst, server, sizes, turn, advance } = setUp(20);
  await clients(8, 0.1, 100);
  await turn();
  await advance(50);
  Object.assign(server, state);
  await burst(8);
  await advance(20);
  Object.assign(server, { isDown: false, locked: 0, refused: 0 });
  const before = sizes.length;
  await burst(count);
  expect(sizes.slice(before)).toEqual([count]);
});

test('an item that waits for others keeps the process alive', () => {
  const source = (name: string) => JSON.stringify(new URL(`../src/${name}.ts`, import.meta.url));
  const program = `
    import { groupCommit } from ${source('group-commit')};
    const write = (items) => new Promise((resolve) => setTimeout(resolve, 50, items.map(() => ({ done: 'done' }))));
    const engine = { write, probe: async () => {}, close: async () => {} };
    const { submit } = groupCommit(engine, { keyOf: (id) => id }, { timeoutMs: 60_000, maxWaitMs: 10_000 });
    for (let round = 0; round < 3; round += 1) await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(submit));
    const sent = performance.now();
    await submit(1);
    console.log(performance.now() - sent > 75 ? 'waited' : 'did not wait');`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program]);
  expect({ stdout: `${stdout}`, stderr: `${stderr}` }).toEqual({ stdout: 'waited\n', stderr: '' });
});

test('close writes items that wait for others at once', async () => {
  const { clients, burst, store, sizes, turn } = setUp(20);
  await clients(8, 0.1, 100);
  await turn();
  const before = sizes.length;
  await burst(4);
  expect(sizes).toHaveLength(before);
  void store.close();
  await flushPromises();
  expect(sizes.slice(before)).toEqual([4]);
});
