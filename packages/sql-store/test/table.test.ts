import { textFields } from '@plant-store/domain';
import { double, int64, optional, plants, table, text } from '@plant-store/sql-store';
import { expect, test } from 'vitest';

test('the columns of the table of plants are its id and its texts, in the order of records', () => {
  expect(plants.columns.map(({ name }) => name)).toEqual(['id', ...textFields]);
});

test('the key comes first, wherever it is declared', () => {
  const { key, columns } = table({ name: 'a', noun: 'b', key: 'k', columns: { x: double, k: text } });
  expect([key.name, ...columns.map(({ name }) => name)]).toEqual(['k', 'k', 'x']);
});

test('a row becomes a record, whatever its driver has for a number; an absent value is no member of it', () => {
  const { recordIn, exists } = table({
    name: 'a',
    noun: 'b',
    key: 'k',
    columns: { k: int64, n: optional(int64), d: optional(double), t: optional(text) },
  });
  expect(recordIn({ k: '9223372036854775807', n: null, d: '1.5', t: '' })).toStrictEqual({
    k: 2n ** 63n - 1n,
    d: 1.5,
    t: '',
  });
  expect(exists({ k: 1n, n: '2', d: undefined, other: 'x' })).toStrictEqual({
    done: { outcome: 'exists', b: { n: 2n } },
  });
});

test('records are written in the order of their keys', () => {
  const sorted = plants.sorted([10n, -1n, 9n].map((id) => ({ id, name: '' })));
  expect(sorted.map(({ id }) => id)).toEqual([-1n, 9n, 10n]);
});

test.each(['Plants', 'a b', 'a;', '1a', ''])('the name %j is refused: it would be part of statements', (name) => {
  const columns = { id: int64, name: text };
  expect(() => table({ name, noun: 'plant', key: 'id', columns })).toThrow(RangeError);
  expect(() => table({ name: 'plants', noun: 'plant', key: 'id', columns: { ...columns, [name]: text } })).toThrow(
    'expected lower-case letters, digits and underscores',
  );
});
