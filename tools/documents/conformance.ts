import { storageAdapters } from '@plant-store/api/reference';
import { type StoreHarness, storeContracts } from '@plant-store/contracts-stores';
import type { StoreCapabilities } from '@plant-store/domain';
import { parseAst } from 'vitest/node';
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
  /** With which options its tests run the contracts of stores. */
  readonly runs: readonly Options[];
}

/** Of every adapter of `apps/api`, which has the name before the colon of its URLs. */
async function stores(): Promise<readonly Store[]> {
  return Promise.all(
    storageAdapters.map(async ({ form }) => {
      const engine = form.replace(/:.*/, '');
      const { storeHarness } = await import(`../../packages/adapters-${engine}/src/harness/index.ts`);
      const runs = files(`packages/adapters-${engine}/test/*.test.ts`).flatMap((path) => runsIn(read(path)));
      return { engine, harness: await storeHarness(form), runs };
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
      .map(({ harness, runs }) => {
        // One that selects clauses is one more; what another file is to run fails without it.
        if (runs.every(({ clauses }) => clauses) || !appliesTo(harness)) return 'not promised';
        // Any other clause that is not checked is red there.
        return runs.some(({ notChecked }) => notChecked?.elements.some(({ value }) => value === id))
          ? 'not checked'
          : 'kept';
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
  return files('testing/*/package.json').includes(`testing/${engine}/package.json`);
}

type Options = { readonly [name in 'clauses' | 'notChecked']?: { readonly elements: readonly { value: unknown }[] } };

/** The options of each call of describeContract with the contracts of stores. Parsed: what a comment says runs nothing. */
function runsIn(source: string): readonly Options[] {
  return nodesIn(parseAst(source, { lang: 'ts' })).flatMap(({ callee, arguments: [contracts, , options] = [] }) =>
    callee?.name === 'describeContract' && contracts?.name === 'storeContracts'
      ? [Object.fromEntries((options?.properties ?? []).map(({ key, value }) => [key?.name, value]))]
      : [],
  );
}

/** What is read of the nodes of a syntax tree. */
interface Node {
  readonly name?: string;
  readonly callee?: Node;
  readonly arguments?: readonly Node[];
  readonly properties?: readonly Node[];
  readonly key?: Node;
  readonly value?: unknown;
}

function nodesIn(tree: unknown): readonly Node[] {
  return typeof tree === 'object' && tree !== null ? [tree, ...Object.values(tree).flatMap(nodesIn)] : [];
}
