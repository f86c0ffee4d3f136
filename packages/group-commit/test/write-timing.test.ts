import { expect, test } from 'vitest';
import { groupCommit } from '../src/group-commit.ts';
import { settled, virtualPlatform } from './virtual-platform.ts';

/** Clients on a server that syncs one commit after the other. Each sends its next item so long after a response. */
function setUp(commitMs: number, maxWrites = 2) {
  const virtual = virtualPlatform();
  const { now, after, sleep } = virtual.platform;
  const sizes: number[] = [];
  const waits: number[] = [];
  const server = { commitMs, free: 0 };
  const { submit, close } = groupCommit<number, number, 'done'>(
    {
      async write(items) {
        sizes.push(items.length);
        server.free = Math.max(now(), server.free) + server.commitMs;
        await sleep(server.free - now());
        return items.map(() => ({ done: 'done' }));
      },
      probe: async () => {},
      close: async () => {},
    },
    { keyOf: (id) => id },
    { maxWrites },
    {},
    virtual.platform,
  );
  let ids = 0;
  const send = async () => {
    const sent = now();
    ids += 1;
    await submit(ids);
    waits.push(now() - sent);
  };
  return {
    ...virtual,
    server,
    sizes,
    waits,
    send,
    close,
    async clients(count: number, returnMs: number, ms: number) {
      const end = now() + ms;
      const loop = async () => {
        await send();
        if (now() < end) after(returnMs, () => void loop());
      };
      for (let client = 0; client < count; client += 1) void loop();
      while (now() < end) await virtual.step();
    },
  };
}

test.each([
  ['which are back long before a commit is over share one write', 0.1, 2, [8, 8, 8]],
  ['which need about as long as a commit are written in two halves', 0.9, 2, [4, 4, 4]],
  ['which need about as long as a commit are written in as many parts as may be in flight', 0.9, 4, [2, 2, 2]],
])('clients %s', async (_, returnMs, maxWrites, last) => {
  const { clients, sizes } = setUp(1, maxWrites);
  await clients(8, returnMs, 200);
  expect(sizes.slice(-3)).toEqual(last);
});

test('a client alone never waits, nor starts a timer beside that of the deadlines', async () => {
  const { clients, send, waits, timers, turn } = setUp(1);
  await clients(1, 0.1, 100);
  expect(new Set(waits.map(Math.round))).toEqual(new Set([1]));
  void send();
  await turn();
  // Its commit and its deadline.
  expect(timers).toHaveLength(2);
});

test('whoever stays waits for a client that is gone no longer than a commit', async () => {
  const { clients, send, waits, turn, pass } = setUp(1);
  await clients(8, 0.1, 100);
  await turn();
  await pass(1);
  const before = waits.length;
  for (let at = 0; at < 4; at += 1) void send();
  await turn();
  await pass(3);
  expect(waits).toHaveLength(before + 4);
});

test('at the end whoever waits for others is written at once', async () => {
  const { clients, send, close, sizes, timers, turn } = setUp(20);
  await clients(8, 0.1, 100);
  await turn();
  const before = sizes.length;
  for (let at = 0; at < 4; at += 1) void send();
  await turn();
  expect(sizes).toHaveLength(before);
  const started = timers.length;
  void close();
  await settled();
  expect(sizes.slice(before)).toEqual([4]);
  // The timer of the commit, and no longer that of the wait.
  expect(timers).toHaveLength(started);
});

test('beside a write that takes three times as long as usual, the next one begins', async () => {
  const { clients, send, server, sizes, pass, turn } = setUp(1);
  await clients(8, 0.1, 100);
  await pass(5);
  server.commitMs = 1_000;
  void send();
  await turn();
  const before = sizes.length;
  void send();
  await turn();
  expect(sizes).toHaveLength(before);
  await pass(5);
  expect(sizes).toHaveLength(before + 1);
});
