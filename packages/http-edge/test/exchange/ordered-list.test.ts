import { expect, test } from 'vitest';
import { ListMember, OrderedList } from '../../src/exchange/ordered-list.ts';

function membersOf(list: OrderedList<ListMember>): readonly ListMember[] {
  const members: ListMember[] = [];
  for (let member = list.first; member; member = member.next) members.push(member);
  return members;
}

test.each([
  ['from the first', [0, 1, 2, 3]],
  ['from the last', [3, 2, 1, 0]],
  ['from the middle', [1, 3, 0, 2]],
])('members are in the order in which they were added, deleted %s; a deleted one refers to no other', (_, order) => {
  const list = new OrderedList<ListMember>();
  const members = Array.from({ length: 4 }, () => new ListMember());
  for (const member of [...members, ...members]) list.add(member);
  let left = members;
  for (const at of order) {
    const deleted = members[at] as ListMember;
    left = left.filter((member) => member !== deleted);
    for (let time = 1; time <= 2; time += 1) list.delete(deleted);
    expect([membersOf(list), list.size]).toEqual([left, left.length]);
    // A chain of them would keep each other alive.
    expect(Object.values(deleted)).toEqual([undefined, undefined, undefined]);
  }
  list.add(members[0] as ListMember);
  expect(membersOf(list)).toEqual([members[0]]);
});

test('a member of another list is not deleted, and cannot be added', () => {
  const [list, another] = [new OrderedList<ListMember>(), new OrderedList<ListMember>()];
  const member = new ListMember();
  another.add(member);
  list.delete(member);
  expect(() => list.add(member)).toThrow('it is in another list');
  expect([list.size, another.size]).toEqual([0, 1]);
});
