import { afterAll, vi } from 'vitest';

// A worker takes one file after another: where a fake clock stays, a test of another package waits for ever.
afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});
