import type { NewPlant, PlantExport, PlantStore } from '@plant-store/domain';
import type { StoreObserver } from '@plant-store/store-kit';
import { addInKilledProcess } from './crash/add-in-killed-process.ts';
import type { PreparedStore, StoreHarness } from './store-harness.ts';

/** What the author of a storage adapter supplies for {@link adapterHarness}. All but `scratch` get the options of a place. */
export interface CheckedAdapter<Options extends object>
  extends Pick<StoreHarness, 'capabilities' | 'scratchPlace'>,
    Pick<PreparedStore, 'failCommits' | 'killServer'> {
  /** Makes an empty place beside the operator's own, which is left alone; another one each time. */
  scratch(): Promise<ScratchPlace<Options>>;
  migrate(options: Options): Promise<unknown>;
  open(options: Options & { readonly maxWaitMs: number; readonly observer?: StoreObserver }): Promise<PlantStore>;
  /** The path of a program that calls `addPlantsWith`, as `addInKilledProcess` takes it; with the capability `survivesCrash`. */
  readonly addPlants?: string;
  /** Sets the place up to reject a plant; see {@link PreparedStore.refusedPlant}. */
  refuse?(options: Options, plant: NewPlant): Promise<unknown>;
  /** See those of {@link PreparedStore}. */
  startOutage?(options: Options): Promise<() => Promise<void>>;
  spoil?(options: Options): Promise<() => Promise<void>>;
  refuseAll?(options: Options): Promise<() => Promise<void>>;
  /** The options with a setting that waiting does not fix, for {@link PreparedStore.openMisconfigured}. */
  misconfigured?(options: Options): Options;
  export?(options: Options): PlantExport;
}

/** What may be done to a server that belongs to the test. */
export type ServerFaults = Pick<PreparedStore, 'failCommits' | 'killServer' | 'startOutage'>;

/** An empty place for plants. */
export interface ScratchPlace<Options extends object> {
  /** Those that the adapter opens it with. */
  readonly options: Options;
  /** Frees everything, data included. */
  drop(): Promise<void>;
}

/** Makes the harness of a storage adapter. */
export function adapterHarness<Options extends object>(adapter: CheckedAdapter<Options>): StoreHarness {
  const { capabilities, scratchPlace } = adapter;
  return { capabilities, ...(scratchPlace && { scratchPlace }), prepare: () => prepare(adapter) };
}

async function prepare<Options extends object>(adapter: CheckedAdapter<Options>): Promise<PreparedStore> {
  const { addPlants, refuse, startOutage, spoil, refuseAll, misconfigured, export: read } = adapter;
  const { failCommits, killServer } = adapter;
  const { options, drop } = await adapter.scratch();
  await adapter.migrate(options).catch((error) => drop().then(() => Promise.reject(error)));
  let dropping: Promise<void> | undefined;
  // A clause adds many at once: even a slow machine must not refuse some.
  const open = (given: Options, observer?: StoreObserver) =>
    adapter.open({ ...given, maxWaitMs: 60_000, ...(observer && { observer }) });
  return {
    open: (observer) => open(options, observer),
    // Once: a second call gets the same error.
    dispose: () => (dropping ??= drop()),
    ...(addPlants && { addUntilKilled: (plants) => addInKilledProcess(addPlants, { options, plants }) }),
    ...(refuse && { refusedPlant: () => refuse(options, refused).then(() => refused) }),
    ...(startOutage && { startOutage: () => startOutage(options) }),
    ...(spoil && { spoil: () => spoil(options) }),
    ...(refuseAll && { refuseAll: () => refuseAll(options) }),
    ...(misconfigured && { openMisconfigured: () => open(misconfigured(options)) }),
    ...(read && { export: () => read(options) }),
    ...(failCommits && { failCommits }),
    ...(killServer && { killServer }),
  };
}

const refused: NewPlant = { id: -7n, name: 'Heracleum mantegazzianum' };
