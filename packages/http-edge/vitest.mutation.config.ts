import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, mergeConfig } from 'vitest/config';
import shared from '../../vitest.mutation.config.ts';

const { exports }: { exports: Record<string, { development: string }> } = JSON.parse(
  readFileSync(join(import.meta.dirname, 'package.json'), 'utf8'),
);

/** The HTTP contract is checked in adapters-http, whose tests look here for the copy that has the mutants. */
export default mergeConfig(
  shared,
  defineConfig({
    resolve: {
      alias: Object.entries(exports).map(([path, { development }]) => ({
        find: new RegExp(`^@plant-store/http-edge${path.slice(1)}$`),
        replacement: join(process.cwd(), development),
      })),
    },
    test: { include: [join(import.meta.dirname, '../adapters-http/test/contract.test.ts')] },
  }),
);
