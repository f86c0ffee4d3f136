import { realTime } from '@plant-store/contracts-kit';
import { StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';
import type { StoreHarness } from '../../src/index.ts';
import { modelHarness } from '../model-harness.ts';

// An adapter of another project, for verify-store.test.ts. The path of a URL selects a fault.

const { capabilities, prepare } = modelHarness(() => ({}), realTime);

const faults: Readonly<Record<string, Error>> = {
  '/down': new StoreUnavailable('the shelf is down'),
  '/full': new StoreMisconfigured('the shelf is full'),
};

export const storageAdapter = {
  form: 'shelf://…',
  urls: /^shelf:\/\//,
  at(url: string) {
    const { pathname = '' } = URL.parse(url) ?? {};
    return {
      open: async () => (faults[pathname] ? Promise.reject(faults[pathname]) : (await prepare()).open()),
      status: async () => [{ name: '001_shelf', applied: pathname !== '/new' }],
    };
  },
};

export async function storeHarness(url: string): Promise<StoreHarness> {
  return {
    capabilities: { ...capabilities, shared: false },
    scratchLocation: 'another shelf',
    async prepare() {
      if (url.endsWith('/locked')) throw new Error('no key\u001b');
      const { export: _, ...prepared } = await prepare();
      return prepared;
    },
  };
}
