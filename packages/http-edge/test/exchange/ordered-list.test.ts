import { expect, test } from 'vitest';
import { ListMember, OrderedList } from '../../src/exchange/ordered-list.ts';

class Item extends ListMember {
  readonly name: string;

  constructor(name: string) {
    super();
    this.name = name;
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

test('a member of another list is not deleted, and cannot be added', () => {
  const [list, another] = [new OrderedList<Item>(), new OrderedList<Item>()];
  const item = new Item('a');
  another.add(item);
  list.delete(item);
  expect(() => list.add(item)).toThrow('it is in another list');
  expect([list.size, another.size]).toEqual([0, 1]);
});

test('a member that was deleted refers to no other: a chain of them would keep each other alive', () => {
  const list = new OrderedList<Item>();
  const items = ['a', 'b', 'c'].map((name) => new Item(name));
  for (const item of items) list.add(item);
  for (const item of items) {
    list.delete(item);
    expect(Object.values(item).filter((value) => value instanceof Item)).toEqual([]);
  }
});
