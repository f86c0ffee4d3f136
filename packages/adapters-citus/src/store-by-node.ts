import { openDatabase, openKysely, openOn, storeUnavailable } from '@plant-store/adapters-postgres/driver';
import { type PlantStore, StoreMisconfigured } from '@plant-store/domain';
import { openPlantStore, plantStoreOf, plants, unobserved, withTimeout } from '@plant-store/sql-store';
import { readDurability } from './cluster/durability.ts';
import { isRemote } from './cluster/remote-error.ts';
import { readShardMap, type ShardMap } from './cluster/shard-map.ts';
import { nodeEngine } from './node-engine.ts';
import type { CompleteOptions } from './options.ts';
import { sharedObserver } from './shared-observer.ts';

/**
 * A store on a database whose table of plants may be distributed over the nodes of a Citus cluster. While it is not,
 * everything goes to one store. Once it is, each node has a store of its own: queue, batches, circuit breaker and
 * connections, so that the plants of a node that is dead, frozen or slow do not hold up those of the others.
 *
 * @param readEveryMs is how often the map of shards is read.
 * @param askEveryMs is how often the nodes are asked whether their commits are durable.
 */
export async function storeByNode(
  options: CompleteOptions,
  readEveryMs = READ_EVERY_MS,
  askEveryMs = ASK_EVERY_MS,
): Promise<PlantStore> {
  const shared = sharedObserver(options.observer);
  let map: ShardMap | undefined;
  const partial = { ...options, observer: shared.part(() => map === undefined) };
  /** By node: those of the map. */
  const stores = new Map<string, PlantStore>();
  const retired = new Set<Promise<void>>();
  const notDurable = new Set<string>();
  const failing = new Set<string>();
  let asking: Promise<void> | undefined;
  let askAt = 0;
  let again: NodeJS.Timeout | undefined;
  let isClosed = false;

  // A connection that nobody else uses: the map is read even while every other one hangs.
  const catalog = openKysely({ ...options, poolSize: 1, observer: unobserved });
  const whole = plantStoreOf(openOn(openDatabase(partial, { isRemote }), plants, partial));

  /** Again and again: Citus, the distribution of the table and its nodes may come and go while the service runs. */
  async function read(): Promise<void> {
    let current: ShardMap | undefined;
    try {
      current = await readShardMap(catalog);
      failing.delete(CATALOG);
    } catch (error) {
      // While it cannot be read, the last one is as good as any.
      current = map;
      warnOnce(CATALOG, error);
    }
    if (isClosed) return;
    again = setTimeout(() => void read(), readEveryMs).unref();
    map = current;
    for (const [node, store] of stores) if (!map?.nodes.has(node)) retire(node, store);
    if (!map) return;
    for (const node of map.nodes) if (!stores.has(node)) open(node, map);
    if (performance.now() < askAt) return;
    askAt = performance.now() + askEveryMs;
    asking ??= askNodes();
  }

  /** A file that the URL names may be missing while it is replaced. */
  function open(node: string, first: ShardMap): void {
    const what = `Citus node ${node} cannot be used, and is tried again; until then its plants are stored as if they were not distributed.`;
    try {
      stores.set(node, storeOf(node, first));
      failing.delete(what);
    } catch (error) {
      warnOnce(what, error);
    }
  }

  /** Apart from the map, which must be read even while a node hangs. */
  async function askNodes(): Promise<void> {
    try {
      for (const [node, isDurable] of await readDurability(options)) {
        if (isDurable) notDurable.delete(node);
        else notDurable.add(node);
      }
      failing.delete(DURABILITY);
    } catch (error) {
      warnOnce(DURABILITY, error);
    }
    asking = undefined;
  }

  /** When it begins to fail, not each time. */
  function warnOnce(what: string, error: unknown): void {
    if (!isClosed && !failing.has(what)) options.onWarning(`${what} ${storeUnavailable(error).message}`);
    failing.add(what);
  }

  function storeOf(node: string, first: ShardMap): PlantStore {
    const poolSize = Math.max(MIN_POOL_SIZE, Math.floor(options.poolSize / first.nodes.size));
    // A node that left and came back has another. Nobody asks before this one is open.
    const isInUse = () => stores.get(node) === store;
    const observer = shared.part(isInUse, (state) => {
      if (isInUse()) options.onWarning(`Citus node ${node} ${changes[state]}`);
      else if (!stores.has(node)) options.onWarning(`Citus node ${node} ${changes.left}`);
    });
    function assertDurable(): void {
      if (notDurable.has(node)) throw new StoreMisconfigured(`Citus node ${node}: ${NOT_DURABLE}`);
    }
    const store = openPlantStore(
      nodeEngine(
        openDatabase({ ...options, poolSize, observer }, { isRemote }),
        node,
        () => map ?? first,
        assertDurable,
      ),
      { ...options, maxWrites: options.maxWritesPerNode, observer, sessionsView: 'citus_stat_activity' },
    );
    return store;
  }

  /**
   * What it holds is still written, to wherever the shards are now, while a server takes it; then its circuit and its
   * connections close.
   */
  function retire(node: string, store: PlantStore): void {
    stores.delete(node);
    const closing = store.close().catch(options.onError);
    retired.add(closing);
    void closing.then(() => retired.delete(closing));
  }

  await withTimeout(
    read().then(() => asking),
    options.timeoutMs,
  ).catch(() => {});
  return {
    plants: {
      add: (plant) => ((map && stores.get(map.shardOf(plant.id).node)) ?? whole).plants.add(plant),
    },
    async check() {
      if (stores.size === 0) return whole.check();
      // One node that stores plants makes the service worth its requests; without any it is down.
      await Promise.any([...stores.values()].map((store) => store.check())).catch(({ errors }: AggregateError) => {
        throw errors[0];
      });
    },
    async close() {
      isClosed = true;
      clearTimeout(again);
      await Promise.all([catalog.destroy(), ...retired, ...[whole, ...stores.values()].map((store) => store.close())]);
    },
  };
}

/**
 * 1 s: for so long plants of a table that was just distributed are stored as if it were not, each batch with a commit in two
 * phases, and those of a shard that moves to another node as well.
 */
const READ_EVERY_MS = 1_000;

/** 10 s: a worker's `synchronous_commit` hardly ever changes, and asking takes a connection to each. */
const ASK_EVERY_MS = 10_000;

/**
 * 9: a write or two, a conflict, and six probes. While the node hangs, a probe every 5 s holds a connection, until the first
 * is dropped after 30 s.
 */
const MIN_POOL_SIZE = 9;

const CATALOG =
  'Whether plants are distributed by Citus could not be read, and is tried again; until then they are stored as before, or as if they were not.';

const DURABILITY = 'Whether the commits of the Citus nodes are durable could not be read, and is tried again.';

const NOT_DURABLE =
  'synchronous_commit is off, so a crash of the node loses what was acknowledged: set it to on there (ALTER SYSTEM SET synchronous_commit = on; SELECT pg_reload_conf())';

const changes = {
  open: 'cannot store plants: those of its shards get a 503, the others are stored',
  closed: 'stores plants again',
  left: 'has no shards any more',
};
