import { expect, test } from 'vitest';
import { untilAborted } from '../src/index.ts';

test('work that begins after an interruption is not waited for', async () => {
  const work = new Promise<never>(() => {});
  await expect(untilAborted(work, AbortSignal.abort(new Error('interrupted')))).rejects.toThrow('interrupted');
});
