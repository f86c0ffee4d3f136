import type { NewPlant, PlantExport, PlantStore } from '@plant-store/domain';
import { type Opener, openInProcess } from './crash/open-in-process.ts';
import type { EndFault, PreparedStore, StoreHarness } from './store-harness.ts';

/** What the author of a storage adapter supplies for {@link adapterHarness}. All functions but `scratch` get the options of a scratch database. */
export interface AdapterHarnessOptions<Options extends object>
  extends Pick<StoreHarness, 'capabilities' | 'scratchLocation'>,
    Pick<PreparedStore, 'failCommits' | 'killServer'> {
  /**
   * The time-out of the stores, in milliseconds. By default that of the capabilities. A longer one is for clauses that wait for no
   * time-out, so that no add of theirs is late on a busy machine.
   */
  readonly timeoutMs?: number | undefined;
  /** Creates an empty database, another one in each call, and leaves the operator's own alone. */
  scratch(): Promise<ScratchDatabase<Options>>;
  /** Creates the tables of a new scratch database. */
  migrate(options: Options): Promise<unknown>;
  /** Opens a store with these limits, in milliseconds. */
  open(options: Options & { readonly timeoutMs: number; readonly maxWaitMs: number }): Promise<PlantStore>;
  /** Where a process finds `open`; for the capability `survivesCrash`. */
  readonly opener?: Opener;
  /** Makes the database refuse this plant, see {@link PreparedStore.refuse}. */
  refuse?(options: Options, plant: NewPlant): Promise<unknown>;
  /** Starts an outage, see {@link PreparedStore.startOutage}. */
  startOutage?(options: Options): Promise<EndFault>;
  /** Plants the faults that the store looks for, see {@link PreparedStore.faults}. */
  readonly faults?: Readonly<Record<string, (options: Options) => Promise<EndFault>>>;
  /** Returns the export of the database, see {@link PreparedStore.export}. */
  export?(options: Options): PlantExport;
}

/** What a test changes of an adapter's harness: faults of a server that belongs to it, which it may therefore kill, or the time-out. */
export type HarnessChanges = Pick<PreparedStore, 'failCommits' | 'killServer' | 'startOutage'> &
  Pick<AdapterHarnessOptions<object>, 'timeoutMs'>;

/** An empty database, schema or file that a clause works in. */
export interface ScratchDatabase<Options extends object> {
  /** The options with which the adapter opens it. */
  readonly options: Options;
  /** Frees all its resources and deletes its data. */
  drop(): Promise<void>;
}

/** Makes the harness of a storage adapter. */
export function adapterHarness<Options extends object>(adapter: AdapterHarnessOptions<Options>): StoreHarness {
  const { scratchLocation, timeoutMs = adapter.capabilities.timeoutMs } = adapter;
  const capabilities = { ...adapter.capabilities, timeoutMs };
  return { capabilities, ...(scratchLocation && { scratchLocation }), prepare: () => prepare(adapter, timeoutMs) };
}

/** 1 min: a clause adds many plants at once. Even on a slow machine, the store must not reject some of them as too late. */
const PATIENT_MS = 60_000;

async function prepare<Options extends object>(
  adapter: AdapterHarnessOptions<Options>,
  timeoutMs: number,
): Promise<PreparedStore> {
  const limits = { timeoutMs, maxWaitMs: PATIENT_MS };
  const { opener, refuse, startOutage, faults, export: read, failCommits, killServer } = adapter;
  const { options, drop } = await adapter.scratch();
  await adapter.migrate(options).catch((error) => drop().then(() => Promise.reject(error)));
  let dropping: Promise<void> | undefined;
  const planting = Object.entries(faults ?? {}).map(([name, plant]) => [name, () => plant(options)] as const);
  return {
    open: () => adapter.open({ ...options, ...limits }),
    // Drops the database once. A second call gets the same error.
    dispose: () => (dropping ??= drop()),
    ...(opener && { openInProcess: () => openInProcess(opener, { ...options, ...limits }) }),
    ...(refuse && { refuse: (plant) => refuse(options, plant) }),
    ...(startOutage && { startOutage: () => startOutage(options) }),
    ...(faults && { faults: Object.fromEntries(planting) }),
    ...(read && { export: () => read(options) }),
    ...(failCommits && { failCommits }),
    ...(killServer && { killServer }),
  };
}
