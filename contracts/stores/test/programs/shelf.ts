import { realTime } from '@plant-store/contracts-kit';
import { StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';
import type { StorageAdapter } from '@plant-store/store-kit';
import type { StoreHarness } from '../../src/index.ts';
import { modelHarness } from '../model-harness.ts';

// An adapter of another project, for verify-store.test.ts. The path of a URL selects a fault.

const { capabilities, prepare: prepareWithExport } = modelHarness(() => ({}), realTime);

async function prepare() {
  const { export: _, ...prepared } = await prepareWithExport();
  return prepared;
}

const faults: Readonly<Record<string, Error>> = {
  '/new': new Error('opening it would create it'),
  '/down': new StoreUnavailable('the shelf is down'),
  '/full': new StoreMisconfigured('the shelf is full'),
};

export const storageAdapter: StorageAdapter = {
  form: 'shelf://…',
  urls: /^shelf:\/\//,
  tlsAdvice(url) {
    if (url.endsWith('?tls=maybe')) throw new Error('tls: expected on or off');
    return url.endsWith('?tls=on') ? undefined : 'tls=on';
  },
  at(url) {
    const { pathname = '' } = URL.parse(url) ?? {};
    return {
      async open() {
        if (faults[pathname]) throw faults[pathname];
        return (await prepare()).open();
      },
      migrate: async () => [],
      status: async () => [{ name: '001_shelf', applied: false }],
      ...(pathname === '/new' && { files: async () => [] }),
    };
  },
};

export async function storeHarness(url: string): Promise<StoreHarness> {
  const harness = { capabilities: { ...capabilities, shared: false }, scratchLocation: 'another shelf', prepare };
  if (url.includes('/wild')) throw new Error('nobody tends it');
  if (url.includes('/endless')) return { ...harness, prepare: () => new Promise(() => {}) };
  if (url.includes('/locked')) return { ...harness, prepare: () => Promise.reject(new Error('no key\u001b')) };
  if (url.includes('/jammed'))
    return {
      ...harness,
      prepare: async () => ({ ...(await prepare()), open: () => Promise.reject(new StoreUnavailable('it is jammed')) }),
    };
  if (url.includes('/broken'))
    return {
      ...harness,
      async prepare() {
        const prepared = await prepare();
        await prepared.database.startOutage();
        return prepared;
      },
    };
  if (url.includes('/single')) {
    const only = await prepare();
    return { ...harness, prepare: async () => only };
  }
  return harness;
}
