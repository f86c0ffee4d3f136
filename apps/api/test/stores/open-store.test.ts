import { type PlantStore, StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openWhenReachable } from '../../src/stores/open-store.ts';

const store = {} as PlantStore;
const [starting, locked] = [new StoreUnavailable('it starts'), new StoreUnavailable('it is locked')];
const unknownHost = Object.assign(new Error('who'), { code: 'ENOTFOUND' });
const noContainer = new StoreMisconfigured('who', { cause: new AggregateError([unknownHost]) });

test('it is opened again every second, and why it is not open is told once for each reason', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const open = vi.fn<() => Promise<PlantStore>>().mockResolvedValue(store);
  for (const failure of [starting, starting, locked, noContainer]) open.mockRejectedValueOnce(failure);
  const onUnavailable = vi.fn<(reason: string) => void>();
  const opening = openWhenReachable(open, onUnavailable);
  await vi.advanceTimersByTimeAsync(4_000);
  expect(await opening).toBe(store);
  expect(onUnavailable.mock.calls).toEqual([['it starts'], ['it is locked'], ['who']]);
});
