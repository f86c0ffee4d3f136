// A process of its own, started by postgres-under-test.ts.

import { addPlantsWith } from '@plant-store/contracts-stores/crash';
import { openPostgres } from '../store.ts';

addPlantsWith(openPostgres);
