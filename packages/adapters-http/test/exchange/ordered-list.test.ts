import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { ListMember, OrderedList } from '../../src/exchange/ordered-list.ts';

class Item extends ListMember {
  readonly name: string;
  /** As much as is kept for a request. */
  readonly ballast: readonly number[];

  constructor(name: string, size = 0) {
    super();
    this.name = name;
    this.ballast = new Array<number>(size).fill(1);
  }
}

function namesIn(list: OrderedList<Item>): readonly string[] {
  const names: string[] = [];
  for (let item = list.first; item; item = item.next as Item | undefined) names.push(item.name);
  return names;
}

test('members are in the order in which they were added, wherever one is deleted', () => {
  const list = new OrderedList<Item>();
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => new Item(name)) as [Item, Item, Item, Item];
  for (const item of [a, b, c, d]) list.add(item);
  list.add(a);
  expect(namesIn(list)).toEqual(['a', 'b', 'c', 'd']);
  for (const [item, left] of [
    [b, ['a', 'c', 'd']],
    [d, ['a', 'c']],
    [a, ['c']],
    [c, []],
  ] as const) {
    list.delete(item);
    list.delete(item);
    expect(namesIn(list)).toEqual(left);
    expect(list.size).toBe(left.length);
  }
  list.add(a);
  expect(namesIn(list)).toEqual(['a']);
});

test('a member of another list is not deleted', () => {
  const [list, another] = [new OrderedList<Item>(), new OrderedList<Item>()];
  const item = new Item('a');
  another.add(item);
  list.delete(item);
  expect([list.size, another.size]).toEqual([0, 1]);
});

test('members that were deleted are not kept alive by one that has reached the old generation', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const list = new OrderedList<Item>();
  const inList: Item[] = [];
  const churn = (count: number) => {
    for (let at = 0; at < count; at += 1) {
      const item = new Item('', 200);
      list.add(item);
      inList.push(item);
      const [oldest] = inList.length > 8 ? inList.splice(0, 1) : [];
      if (oldest) list.delete(oldest);
    }
  };
  churn(1_000);
  // A full collection moves everything to the old generation, and the next ones look at the young one only.
  collect();
  const before = process.memoryUsage().heapUsed;
  churn(15_000);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(18e6);
});
