import { survivesCrashes } from '../survives-crashes.ts';
import { engine, onServer, server } from './server.ts';

await onServer(() => survivesCrashes(engine, server.freshDatabase));
