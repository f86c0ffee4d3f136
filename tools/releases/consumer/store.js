import assert from 'node:assert/strict';
import { runContract } from '@plant-store/contracts-kit';
import { plantRepositoryContract } from '@plant-store/contracts-stores';
import { createPlant, StoreUnavailable } from '@plant-store/domain';

/** A store as a stranger would write it, in plain JavaScript. */
function openMap() {
  const stored = new Map();
  let closed = false;
  const assertOpen = () => {
    if (closed) throw new StoreUnavailable('the map is closed');
  };
  return {
    plants: {
      async add({ id, ...plant }) {
        assertOpen();
        const there = stored.get(id);
        if (there) return { outcome: 'exists', plant: { ...there } };
        stored.set(id, plant);
        return { outcome: 'added' };
      },
    },
    check: async () => assertOpen(),
    close: async () => {
      closed = true;
    },
  };
}

const create = createPlant(openMap().plants);
const { outcome, plant } = await create({ id: 9223372036854775807n, name: 'Fern' });
const again = await create({ id: 9223372036854775807n, name: 'Moss' });

// Time-outs of the contract keep no process alive; while it runs, this does.
const alive = setInterval(() => {}, 1_000);
const capabilities = {
  durable: false,
  survivesCrash: false,
  survivesServerCrash: false,
  shared: false,
  external: false,
  timeoutMs: 1_000,
};
const { failed, passed } = await runContract(
  plantRepositoryContract,
  { capabilities, prepare: async () => ({ open: async () => openMap(), dispose: async () => {} }) },
  {
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms).unref()),
    nextTurn: () => new Promise((resolve) => setImmediate(resolve)),
  },
);
assert.deepEqual(
  { outcome, plant, again: again.outcome, failed },
  { outcome: 'created', plant: { name: 'Fern' }, again: 'id-taken', failed: 0 },
);
// The others are not promised.
assert.ok(passed > 5);
process.stdout.write("a stranger's store passes the contract\n");
clearInterval(alive);
