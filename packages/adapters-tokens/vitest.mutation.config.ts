import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What waits for an issuer comes last: most mutants are killed before. */
class SlowLast extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isSlow = ({ moduleId }: TestSpecification) => Number(/jwks-url|contract/.test(moduleId));
    return files.toSorted((a, b) => isSlow(a) - isSlow(b));
  }
}

/** The tests that mutants are run against. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // The heap of a process without a mutant.
    exclude: ['test/nothing-clear.test.ts'],
    isolate: false,
    sequence: { sequencer: SlowLast },
    testTimeout: 8_000,
    hookTimeout: 8_000,
  },
});
