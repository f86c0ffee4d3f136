import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { plantRepositoryContract } from '@plant-store/contracts-stores';
import { expect, test } from 'vitest';

test('docs/storage-adapters.md has a paragraph for every clause of the contract', () => {
  const guide = readFileSync(join(import.meta.dirname, '../../../docs/storage-adapters.md'), 'utf8');
  const named = [...guide.matchAll(/\*\*(PR-\d+)\*\*/g)].map(([, id]) => id);
  expect([...new Set(named)].toSorted()).toEqual(plantRepositoryContract.clauses.map(({ id }) => id).toSorted());
});
