import { defineConfig } from 'vitest/config';

export default defineConfig({ test: { include: ['test/programs/*.ts'], exclude: ['test/programs/vitest.config.ts'] } });
