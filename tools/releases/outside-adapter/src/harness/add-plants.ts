// file-log-harness.ts starts this as a process.

import { addPlantsWith } from '@plant-store/contracts-stores/crash';
import { openFileLog } from '../store.ts';

addPlantsWith(openFileLog);
