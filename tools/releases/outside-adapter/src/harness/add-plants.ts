// A process of its own, started by file-log-harness.ts.

import { addPlantsWith } from '@plant-store/contracts-stores/crash';
import { openFileLog } from '../store.ts';

addPlantsWith(openFileLog);
