// A process of its own, started by postgres-harness.ts.

import { addPlantsWith } from '@plant-store/contracts-stores/crash';
import { openPostgres } from '../store.ts';

addPlantsWith(openPostgres);
