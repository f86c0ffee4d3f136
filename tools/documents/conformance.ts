import { sampleUrls, storeAt } from '@plant-store/api/reference';
import { type StoreHarness, storeContracts } from '@plant-store/contracts-stores';
import type { StoreCapabilities } from '@plant-store/domain';
import { files, read } from './repository.ts';
import { table } from './table.ts';

/** What each capability means to an operator. */
const meanings: Readonly<Record<Exclude<keyof StoreCapabilities, 'timeoutMs'>, string>> = {
  durable: 'keeps its plants when the service is stopped and started',
  survivesCrash: "survives the service's crash (SIGKILL)",
  survivesServerCrash: "survives the database server's crash (SIGKILL)",
  shared: 'may be used by several services at the same time',
  external: 'answers 503 in time when its database or file cannot, and recovers by itself',
  observed: 'reports metrics of its writes and its queue',
};

/** An adapter, with what its own tests run. */
interface Store {
  readonly engine: string;
  readonly harness: StoreHarness;
  /** The text of its tests of contracts. */
  readonly tests: string;
}

/** Of every engine in the table of `apps/api`. An adapter has the name before the colon of its URLs. */
async function stores(): Promise<readonly Store[]> {
  return Promise.all(
    sampleUrls.map(async (url) => {
      const engine = url.replace(/:.*/, '');
      const tests = files(`packages/adapters-${engine}/test/*.test.ts`).map(read).join('\n');
      return { engine, harness: await storeAt(url, { onError: () => {} }).harness(), tests };
    }),
  );
}

export async function storeCapabilities(): Promise<string> {
  const all = await stores();
  const capabilities = Object.keys(meanings) as (keyof typeof meanings)[];
  return table(
    ['a store on', ...all.map(({ engine }) => engine)],
    [
      ...capabilities.map((name) => [
        meanings[name],
        ...all.map(({ engine, harness }) =>
          harness.capabilities[name]
            ? 'yes'
            : name === 'survivesServerCrash' && !hasServer(engine)
              ? 'no server'
              : 'no',
        ),
      ]),
      ['answers within, by default', ...all.map(({ harness }) => `${harness.capabilities.timeoutMs} ms`)],
    ],
  );
}

/** Which stores keep which clauses: those with the same verdicts of all stores are one row. */
export async function storeClauses(): Promise<string> {
  const all = await stores();
  const clauses = storeContracts.flatMap((contract) => contract.clauses);
  const rows = Map.groupBy(clauses, ({ id, appliesTo = () => true }) =>
    all
      .map(({ harness, tests }) => {
        if (!runsWhole(tests) || !appliesTo(harness)) return 'not promised';
        return notChecked(tests).includes(id) ? 'not checked' : 'kept';
      })
      .join(' | '),
  );
  return table(
    ['clauses', ...all.map(({ engine }) => engine)],
    [...rows].map(([verdicts, those]) => [those.map(({ id }) => id).join(', '), verdicts]),
  );
}

/** Whether there is a package that starts the engine's server for the tests. */
function hasServer(engine: string): boolean {
  return files('packages/testing-*/package.json').includes(`packages/testing-${engine}/package.json`);
}

/**
 * Whether a test runs all clauses, or says which file runs the others and fails without it. A test that selects some is one
 * more.
 */
function runsWhole(tests: string): boolean {
  return runsIn(tests).some((run) => !/^ +clauses: |\{ clauses: /m.test(run));
}

/** The clauses that the adapter's tests may leave unchecked; any other is red there. */
function notChecked(tests: string): readonly string[] {
  return runsIn(tests).flatMap((run) => /notChecked: \[[^\]]*/.exec(run)?.[0].match(/\w+-\d+/g) ?? []);
}

/** Calls that begin a line: what a comment says runs nothing. */
function runsIn(tests: string): readonly string[] {
  return tests.match(/^ *describeContract\(storeContracts,.*?\);/gms) ?? [];
}
