import { mutantTable } from '@plant-store/contracts-kit';
import { ModelStore } from '../model/model-store.ts';
import type { StoreMutant } from './mutant.ts';

/** Break PR-19: opening in an outage settles in time, and what it opened recovers. */
export const opening: readonly StoreMutant[] = mutantTable({
  'PR-19': {
    'connects when it is opened, for as long as it takes': class extends ModelStore {
      override async open(): Promise<void> {
        await this.connection.reach();
      }
    },
    'stays useless if it was opened in an outage': class extends ModelStore {
      override async open(): Promise<void> {
        if (this.database.outage) await this.close();
      }
    },
  },
});
