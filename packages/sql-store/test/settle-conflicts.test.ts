import { plants, settleConflicts } from '@plant-store/sql-store';
import { expect, test, vi } from 'vitest';

const plantsWith = (...ids: bigint[]) => ids.map((id) => ({ id, name: 'Moss' }));

test('conflicts: what is found is not asked for again', async () => {
  const rows = {
    findUnlocked: vi.fn(async () => new Map([[1n, plants.exists({ name: 'Fern' })]])),
    notStored: vi.fn(async () => plantsWith(2n)),
  };
  await settleConflicts(plants, rows, plantsWith(1n), () => {});
  expect(rows.notStored).not.toHaveBeenCalled();
  await settleConflicts(plants, rows, plantsWith(1n, 2n), () => {});
  expect(rows.notStored).toHaveBeenCalledExactlyOnceWith(plantsWith(2n));
});
