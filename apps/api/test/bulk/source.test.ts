import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { openSource } from '../../src/bulk/import/source.ts';

test.each(['-', import.meta.filename])('an interruption ends reading %s, even before it has begun', async (file) => {
  const interruption = new AbortController();
  const stdin = new PassThrough();
  const { stream } = await openSource(file, stdin, interruption.signal);
  interruption.abort();
  await expect(buffer(stream)).rejects.toThrow('abort');
});
