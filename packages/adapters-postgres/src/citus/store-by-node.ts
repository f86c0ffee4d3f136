import type { PlantStore } from '@plant-store/domain';
import { groupCommitStore, withTimeout } from '@plant-store/group-commit';
import { type Database, openDatabase } from '../driver/database.ts';
import type { CompleteOptions } from '../options.ts';
import { nodeEngine } from './node-engine.ts';
import { readDistribution, type ShardMap } from './shard-map.ts';
import { sharedObserver } from './shared-observer.ts';

/**
 * A store on a database whose table of plants may be distributed over the nodes of a Citus cluster. While it is not,
 * everything goes to one store. Once it is, each node has a store of its own: queue, batches, circuit breaker and
 * connections, so that the plants of a node that is dead, frozen or slow do not hold up those of the others.
 *
 * @param openWhole opens the store for a table that is not distributed.
 */
export async function storeByNode(
  options: CompleteOptions,
  openWhole: (db: Database, options: CompleteOptions) => PlantStore,
): Promise<PlantStore> {
  const shared = sharedObserver(options.observer);
  const partial = { ...options, observer: shared.part() };
  let map: ShardMap | undefined;
  const stores = new Map<string, PlantStore>();
  let reading: Promise<void> | undefined;
  let again: NodeJS.Timeout | undefined;
  let isClosed = false;

  const db = openDatabase(partial, () => void (map ?? readMap()));
  const whole = openWhole(db, partial);

  function readMap(): Promise<void> {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  }

  async function read(): Promise<void> {
    // While it cannot be read, the last one is as good as any.
    const distribution = await readDistribution(options).catch(() => map ?? 'none');
    if (isClosed || distribution === 'none') return;
    clearTimeout(again);
    again = setTimeout(() => void readMap(), READ_EVERY_MS).unref();
    map = distribution === 'not distributed' ? undefined : distribution;
    if (!map) return;
    for (const node of map.nodes) if (!stores.has(node)) stores.set(node, storeOf(node, map));
  }

  function storeOf(node: string, first: ShardMap): PlantStore {
    const poolSize = Math.max(MIN_POOL_SIZE, Math.floor(options.poolSize / first.nodes.size));
    const observer = shared.part((state) =>
      options.onWarning(
        state === 'open'
          ? `Citus node ${node} cannot store plants: those of its shards get a 503, the others are stored`
          : `Citus node ${node} stores plants again`,
      ),
    );
    const engine = nodeEngine(openDatabase({ ...options, poolSize, observer }), node, () => map ?? first);
    return groupCommitStore(engine, options, observer);
  }

  const storesInUse = () => [...(map?.nodes ?? [])].flatMap((node) => stores.get(node) ?? []);

  await withTimeout(readMap(), options.timeoutMs).catch(() => {});
  return {
    plants: {
      add: (plant) => ((map && stores.get(map.shardOf(plant.id).node)) ?? whole).plants.add(plant),
    },
    async check() {
      const inUse = storesInUse();
      if (inUse.length === 0) return whole.check();
      // One node that stores plants makes the service worth its requests; without any it is down.
      await Promise.any(inUse.map((store) => store.check())).catch(({ errors }: AggregateError) => {
        throw errors[0];
      });
    },
    async close() {
      isClosed = true;
      clearTimeout(again);
      await Promise.all([whole, ...stores.values()].map((store) => store.close()));
    },
  };
}

/** 10 s: for so long a shard that moves to another node may cost batches their second phase. */
const READ_EVERY_MS = 10_000;

/** 4: two writes, a conflict, and a probe while both writes hang. */
const MIN_POOL_SIZE = 4;
