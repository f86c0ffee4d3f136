import { afterAll, vi } from 'vitest';

// A worker runs several test files. A fake clock that is left would make a later file wait for ever.
afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});
