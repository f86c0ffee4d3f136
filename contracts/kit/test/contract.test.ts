import { expect, test } from 'vitest';
import { forwarding, methodsOf, runContract, show, type Tools, within } from '../src/index.ts';
import { atRevision } from '../src/select-clauses.ts';

const never = new Promise<never>(() => {});

test('runContract fails a clause that takes longer than three minutes', async () => {
  const hanging = { name: 'Hangs', clauses: [{ id: 'EX-6', title: 'hangs', check: () => never }] };
  const atOnce: Tools = { sleep: async () => {}, nextTurn: async () => {} };
  const message =
    'action:   checked EX-6\nactual:   no result after 180000 ms\nexpected: a result, or an error, within 180000 ms';
  expect((await runContract(hanging, {}, atOnce)).results[0]).toHaveProperty('message', message);
});

test('within returns a result in time, even if an adapter in JavaScript returns no promise', async () => {
  const noPromise = 'in time' as unknown as Promise<string>;
  expect(await within(1, { sleep: () => never, nextTurn: () => never }, 'waited', noPromise)).toBe('in time');
});

test.each([
  [{ id: 9007199254740993n, name: 'a"b' }, '{id: 9007199254740993, name: "a\\"b"}'],
  [[1n, undefined, null, true], '[1, undefined, null, true]'],
  ['x'.repeat(200), `"${'x'.repeat(100)}"… (200 code units)`],
  ['\ufeffa b\u200b', '"\\u{feff}a b\\u{200b}"'],
  [new RangeError('no'), 'RangeError: no'],
  [new Error('x'.repeat(3_000)), `Error: ${'x'.repeat(2_000)}… (3000 code units)`],
  [new Error('no', { cause: new Error('why') }), 'Error: no (cause: Error: why)'],
  [new AggregateError([new Error('a'), new Error('b')], ''), 'AggregateError (cause: [Error: a, Error: b])'],
])('show writes %o for a person', (value, text) => expect(show(value)).toBe(text));

test('a clause belongs to the revision that it came with and to later ones, whichever contract names those', () => {
  const clause = (id: string, since: string) => ({ id, title: 'is checked', since, check: async () => {} });
  const contracts = [
    { name: 'Mailbox', clauses: [clause('MB-1', '2026-12'), clause('MB-2', '2027-02'), clause('MB-3', '2027-01')] },
    { name: 'Letter', clauses: [clause('LE-1', '2026-12')] },
  ];
  const at = (name?: string) =>
    atRevision(contracts, name).map(({ clauses, newer = [] }) => {
      return [clauses, newer].map((each) => each.map(({ id }) => id).join(' ')).join(' | ');
    });
  expect(at('2026-12')).toEqual(['MB-1 | MB-2 MB-3', 'LE-1 | ']);
  expect(at('2027-01')).toEqual(['MB-1 MB-3 | MB-2', 'LE-1 | ']);
  expect(at()).toEqual(['MB-1 MB-2 MB-3 | ', 'LE-1 | ']);
  expect(() => at('2025-01')).toThrow('the Mailbox, Letter contract has no revision 2025-01; it has 2026-12, 2027-01');
});

test('every method of an object, of its classes and of its parts can be forwarded without naming it', async () => {
  class Counter {
    readonly #offset: number = 1;
    add(to: number) {
      return this.#offset + to;
    }
  }
  class Shop extends Counter {
    readonly till = new Counter();
    readonly double = (of: number) => 2 * of;
  }
  const methods = methodsOf(new Shop(), 'till', 'missing');
  const names = Object.keys(methods);
  expect(names.toSorted()).toEqual(['add', 'double', 'till.add']);
  const calls: string[] = [];
  const shop = forwarding<Shop>(names, (name, given) => {
    calls.push(name);
    return methods[name]?.(...given);
  });
  expect([await shop.add(1), await shop.double(3), await shop.till.add(5)]).toEqual([2, 6, 6]);
  expect(calls).toEqual(['add', 'double', 'till.add']);
});
