// A process of its own, started by sqlite-harness.ts.

import { addPlantsWith } from '@plant-store/contracts-stores/crash';
import { openSqlite } from '../store.ts';

addPlantsWith(openSqlite);
