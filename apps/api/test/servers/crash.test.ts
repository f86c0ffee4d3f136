import { survivesCrashes } from '../survives-crashes.ts';
import { engine, server } from './server.ts';

survivesCrashes(engine, server.freshDatabase);
