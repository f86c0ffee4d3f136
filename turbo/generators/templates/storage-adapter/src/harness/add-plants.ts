// A process of its own, started by new-engine-harness.ts.

import { addPlantsWith } from '@plant-store/contracts-stores/crash';
import { openNewEngine } from '../store.ts';

addPlantsWith(openNewEngine);
