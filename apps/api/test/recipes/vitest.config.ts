import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Beside the cache of the package's other tests, not here.
  cacheDir: '../../node_modules/.vite-recipes',
  test: {
    name: 'recipes',
    root: import.meta.dirname,
    include: ['*.replay.ts'],
    // A worker for each: what a step starts is at work on one core, mostly.
    maxWorkers: 3,
    // A step installs, compiles, and runs the tests of a package or two.
    testTimeout: 300_000,
    hookTimeout: 120_000,
  },
});
