import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { Unavailable } from '../src/errors.ts';
import { start } from './start.ts';
import { settled } from './virtual-platform.ts';

/** Clients on a server that syncs one commit after the other. Each sends its next item so long after a response. */
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
  ['which are back long before a commit is over share one write', 0.1, 2, [8, 8, 8]],
  ['which need about as long as a commit are written in two halves', 0.9, 2, [4, 4, 4]],
  ['which need about as long as a commit are written in as many parts as may be in flight', 0.9, 4, [2, 2, 2]],
])('clients %s', async (_, returnMs, maxWrites, last) => {
  const { clients, sizes, burst, pass } = setUp(1, maxWrites);
  await clients(8, returnMs, 200);
  expect(sizes.slice(-3)).toEqual(last);
  await pass(50);
  const before = sizes.length;
  await burst(8);
  // Those that come at once are as many.
  expect(sizes[before]).toBe(last[0]);
});

test('a client alone never waits, nor starts a timer beside that of the deadlines', async () => {
  const { clients, burst, answers, timers } = setUp(1);
  await clients(1, 0.1, 100);
  expect(new Set(answers.map(({ took }) => Math.round(took)))).toEqual(new Set([1]));
  await burst(1);
  // Its commit and its deadline.
  expect(timers).toHaveLength(2);
});

test('whoever waits for a client that is gone waits for a commit, also where that is less than a timer takes', async () => {
  const { clients, burst, answers, turn, pass } = setUp(0.5);
  await clients(8, 0.1, 100);
  await turn();
  await pass(0.6);
  await burst(8);
  await pass(0.5);
  await burst(1);
  await pass(3);
  // The commit that it waits for others at most, a turn, and its own.
  expect(answers.at(-1)?.took).toBeLessThan(1.1);
  expect(answers.at(-1)?.took).toBeGreaterThan(0.9);
});

test.each([
  ['whose write has failed', { isDown: true }, 1],
  ['whose outcome is unknown as yet', { locked: 4 }, 4],
  ['who are all refused', { refused: 8 }, 1],
])('clients %s are not waited for', async (_, state, count) => {
  const { clients, burst, server, sizes, turn, pass } = setUp(20);
  await clients(8, 0.1, 100);
  await turn();
  await pass(50);
  Object.assign(server, state);
  await burst(8);
  await pass(20);
  Object.assign(server, { isDown: false, locked: 0, refused: 0 });
  const before = sizes.length;
  await burst(count);
  expect(sizes.slice(before)).toEqual([count]);
});

test('whoever waits for others keeps the process running', () => {
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

test('at the end whoever waits for others is written at once', async () => {
  const { clients, burst, store, sizes, timers, turn } = setUp(20);
  await clients(8, 0.1, 100);
  await turn();
  const before = sizes.length;
  await burst(4);
  expect(sizes).toHaveLength(before);
  const started = timers.length;
  void store.close();
  await settled();
  expect(sizes.slice(before)).toEqual([4]);
  // The timer of the commit, and no longer that of the wait.
  expect(timers).toHaveLength(started);
});
