import { expect, test } from 'vitest';
import { boundedStore } from '../src/bounded-store.ts';
import type { StoreHarness } from '../src/store-harness.ts';

test('a bounded repository is no promise, and has no method but those of the store', async () => {
  const plants = { add: async () => ({ outcome: 'added' }) as const };
  const store = { plants, check: async () => {}, close: async () => {} };
  const harness = { capabilities: { timeoutMs: 1_000 } } as StoreHarness;
  const bounded = boundedStore(harness, store, {} as never).plants;
  expect(await bounded).toBe(bounded);
  expect(Reflect.get(bounded, Symbol.iterator)).toBeUndefined();
  expect(`${bounded}`).toBe('[object Object]');
});
