import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Beside the cache of the package's other tests, not here.
  cacheDir: '../../node_modules/.vite-browser',
  test: {
    name: 'browser',
    root: import.meta.dirname,
    include: ['*.browser.ts'],
    setupFiles: '../../../../tools/tests/fail-on-warnings.ts',
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
