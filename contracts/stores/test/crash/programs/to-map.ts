import { addPlantsWith } from '../../../src/crash/index.ts';
import { openMap } from './open-map.ts';

addPlantsWith(openMap);
