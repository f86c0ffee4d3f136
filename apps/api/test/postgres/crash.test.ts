import { freshDatabase } from '@plant-store/testing-postgres';
import { survivesCrashes } from '../survives-crashes.ts';

survivesCrashes('postgres', freshDatabase);
