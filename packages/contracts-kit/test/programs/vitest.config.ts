import { defineConfig } from 'vitest/config';

// The one file here that runs no contract: it only names describeContract().
export default defineConfig({ test: { include: ['test/programs/*.ts'], exclude: ['test/programs/vitest.config.ts'] } });
