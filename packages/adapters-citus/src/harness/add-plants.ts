// A process of its own, started by citus-harness.ts.

import { addPlantsWith } from '@plant-store/contracts-stores/crash';
import { openCitus } from '../store.ts';

addPlantsWith(openCitus);
