import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Tests that take seconds come last: most mutants are killed before. */
class SlowLast extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isSlow = ({ moduleId }: TestSpecification) =>
      Number(/contract|connections|server-settings|locked-rows|jwks-url|overload|simulation/.test(moduleId));
    return files.toSorted((a, b) => isSlow(a) - isSlow(b));
  }
}

/** With MUTATION_TESTS=contract they are the contract's alone: what survives then names a missing clause. So with `simulation`. */
const files = process.env['MUTATION_TESTS'] ?? '*';

/** The tests that mutants of a package are run against, unless it has a vitest.mutation.config.ts of its own. */
export default defineConfig({
  test: {
    include: [`test/**/${files}.test.ts`],
    // It looks at the heap of another process, which has no mutant.
    exclude: ['test/nothing-clear.test.ts'],
    // One worker for all files of a mutant's run; the next run has another.
    isolate: false,
    sequence: { sequencer: SlowLast },
    // A mutant that hangs is to cost no more; tests that take seconds have longer.
    testTimeout: 8_000,
    hookTimeout: 8_000,
  },
});

/** The same for a package whose tests need a server: one for all of them. */
export const onServer = (engine: string) =>
  defineConfig({
    test: {
      globalSetup: [`@plant-store/testing-${engine}/global-setup`],
      include: ['test/**/*.test.ts'],
      // Half of the time of all tests. Mutants do not meet what it says of a server that is killed or freezes.
      exclude: ['test/contract-on-{killed,frozen}-server.test.ts'],
      isolate: false,
      sequence: { sequencer: SlowLast },
      testTimeout: 30_000,
      hookTimeout: 30_000,
    },
  });
