import { survivesCrashes } from '../survives-crashes.ts';
import { onEveryServer } from './every-server.ts';

await onEveryServer((engine, server) => survivesCrashes(engine, server.freshDatabase));
