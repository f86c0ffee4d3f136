import { ModelStore } from '../model/model-store.ts';
import type { StoreMutant } from './mutant.ts';

/** Break PR-19: opening in an outage settles in time, and what it opened recovers. */
export const opening: readonly StoreMutant[] = [
  {
    does: 'connects when it is opened, for as long as it takes',
    breaks: 'PR-19',
    Store: class extends ModelStore {
      override async open(): Promise<void> {
        await this.connection.reach();
      }
    },
  },
  {
    does: 'never settles if it is opened in an outage',
    breaks: 'PR-19',
    Store: class extends ModelStore {
      override async open(): Promise<void> {
        if (this.database.outage) await new Promise(() => {});
      }
    },
  },
  {
    does: 'throws an error of its driver if it is opened in an outage',
    breaks: 'PR-19',
    Store: class extends ModelStore {
      override async open(): Promise<void> {
        if (this.database.outage) throw new Error('connect ECONNREFUSED');
      }
    },
  },
  {
    does: 'stays useless if it was opened in an outage',
    breaks: 'PR-19',
    Store: class extends ModelStore {
      override async open(): Promise<void> {
        if (this.database.outage) await this.close();
      }
    },
  },
];
