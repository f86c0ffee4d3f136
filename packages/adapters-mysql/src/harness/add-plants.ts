// A process of its own, started by mysql-harness.ts.

import { addPlantsWith } from '@plant-store/contracts-stores/crash';
import { openMysql } from '../store.ts';

addPlantsWith(openMysql);
