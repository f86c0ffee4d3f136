export { cachedDirectory } from './cached-directory.ts';
export { type DedicatedServer, dedicatedServer, type ServerProgram } from './dedicated-server.ts';
export { inMemory } from './in-memory.ts';
export {
  acceptsConnections,
  logOf,
  type OnSpawn,
  type ServerCommand,
  type ServerProcess,
  spawnServer,
} from './server-process.ts';
export { type Started, sharedByTheRun } from './shared-by-the-run.ts';
