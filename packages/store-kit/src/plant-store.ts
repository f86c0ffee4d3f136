import {
  type AddResult,
  type NewPlant,
  type PlantStore,
  type Ports,
  plantOf,
  StoreMisconfigured,
  StoreOverloaded,
  StoreUnavailable,
  textFields,
} from '@plant-store/domain';
import {
  type BatchEngine,
  type GroupCommitLimits,
  groupCommit,
  groupCommitLimits,
  type ItemSpec,
  withTimeout as inTime,
} from '@plant-store/group-commit';
import type { StoreObserver } from './store-observer.ts';

/** The interface that a storage adapter implements. {@link openPlantStore} turns it into a PlantStore. */
export interface PlantEngine extends BatchEngine<NewPlant, AddResult> {
  /**
   * The ports of the store that need no group commit. In the store their methods throw StoreUnavailable in time, and from the call of
   * `close`, which does not wait for their calls in flight.
   */
  readonly ports?: OtherPorts;
}

type OtherPorts = Omit<Ports, 'plants'>;

/**
 * Adds must not be acknowledged, because a crash would lose the plants, or the table would change or reject them. After this
 * error adds are rejected until a probe succeeds.
 */
export class StoreUnsafe extends StoreMisconfigured {
  static override readonly code: string = 'ERR_STORE_UNAVAILABLE_MISCONFIGURED_UNSAFE';
  override readonly name: string = 'StoreUnsafe';
}

/** What messages say about locks of other sessions. */
export interface LockHints {
  /** The view of the database in which an operator finds sessions with locks. */
  readonly sessionsView?: string;
  /** Describes the session that blocks adds; undefined if it is unknown. */
  readonly lockedBy?: () => string | undefined;
  /** What commits wait for that is no lock, such as `a synchronous standby`; undefined if there is nothing. */
  readonly waitsFor?: () => string | undefined;
}

/** Opens a PlantStore that writes in batches. @throws {RangeError} if a limit is out of its range. */
export function openPlantStore(
  engine: PlantEngine,
  options: GroupCommitLimits & LockHints & { readonly observer: StoreObserver },
): PlantStore {
  const { submit, check, close } = groupCommit(engine, specOf(options), options, options.observer);
  const { timeoutMs = groupCommitLimits.timeoutMs.default } = options;
  let isClosed = false;
  const limit =
    (method: Method) =>
    async (...given: readonly unknown[]) => {
      if (isClosed) throw new StoreUnavailable(CLOSED);
      return withTimeout(method(...given), timeoutMs);
    };
  return {
    ...(Object.fromEntries(
      Object.entries<object>(engine.ports ?? {}).map(([name, port]) => [name, eachMethod(port, limit)]),
    ) as OtherPorts),
    plants: { add: submit },
    check,
    close() {
      isClosed = true;
      return close();
    },
  };
}

type Method = (...given: readonly unknown[]) => Promise<unknown>;

/** A port with methods that are made from those of another one, which may be an instance of a class. */
function eachMethod(port: object, make: (method: Method) => Method): Readonly<Record<string, Method>> {
  const methods: Record<string, Method> = {};
  for (let owner = port; owner && owner !== Object.prototype; owner = Object.getPrototypeOf(owner))
    for (const name of Object.getOwnPropertyNames(owner)) {
      const method: unknown = Reflect.get(port, name);
      if (typeof method === 'function' && name !== 'constructor') methods[name] ??= make(method.bind(port));
    }
  return methods;
}

/** The size of a plant for `maxBatchSize`, in UTF-16 code units of its texts. */
function plantSize(plant: NewPlant): number {
  let size = 0;
  for (const field of textFields) size += plant[field]?.length ?? 0;
  return size;
}

const specOf = ({
  sessionsView,
  lockedBy = () => undefined,
  waitsFor = () => undefined,
}: LockHints): ItemSpec<NewPlant, bigint, AddResult> => ({
  keyOf: ({ id }) => id,
  sizeOf: plantSize,
  // A row instead would save servers an object for each plant, and every other engine would have to turn null into absent.
  snapshot: (plant) => ({ id: plant.id, ...plantOf(plant) }),
  repeat: (result, first) => (result.outcome === 'added' ? { outcome: 'exists', plant: plantOf(first) } : result),
  errors: {
    Unavailable: StoreUnavailable,
    Overloaded: StoreOverloaded,
    Misconfigured: StoreMisconfigured,
    Unsafe: StoreUnsafe,
  },
  messages: {
    timedOut: (ms) => {
      const [holder, awaited] = [lockedBy(), waitsFor()];
      if (awaited) return `${timedOut(ms)}: commits wait for ${awaited}`;
      return `${timedOut(ms)}${holder ? `: ${holder} has locked the table plants, or rows of it` : ''}`;
    },
    overloaded: (waiting, ms) => `${waiting} adds are waiting for the store, the oldest for ${ms} ms`,
    unsettled(ids) {
      const [holder, awaited] = [lockedBy(), waitsFor()];
      const rows = rowsOf(ids);
      if (awaited) return `commits wait for ${awaited}, and so does an earlier add of ${rows}`;
      const where = sessionsView === undefined ? '' : ` (see ${sessionsView})`;
      return holder
        ? `${holder} has locked ${rows}: end its transaction`
        : `another session has locked ${rows}: end its transaction${where}`;
    },
    closed: CLOSED,
  },
});

/** Waits at most `ms` milliseconds, and does not cancel the work. @throws {StoreUnavailable} on timeout. */
export function withTimeout<T>(work: Promise<T>, ms: number): Promise<T> {
  return inTime(work, ms, () => new StoreUnavailable(timedOut(ms)));
}

const CLOSED = 'the store is closed';

const timedOut = (ms: number) => `the store did not respond within ${ms} ms`;

/** Unlocked rows wait with the locked rows of their batch, so the message names the whole batch. */
function rowsOf(ids: readonly bigint[]): string {
  return ids.length === 1
    ? `the row of plant ${ids[0]}`
    : `rows among those of plants ${ids.slice(0, 3).join(', ')}${ids.length > 3 ? ', …' : ''}`;
}
