import { defineConfig } from 'vitest/config';

/* The one file here that runs no contract: a comment calls nothing.
describeContract(contract, harness);
*/
export default defineConfig({ test: { include: ['test/programs/*.ts'], exclude: ['test/programs/vitest.config.ts'] } });
