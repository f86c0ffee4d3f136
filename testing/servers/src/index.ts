export { cachedDirectory } from './cached-directory.ts';
export { checkHistory, type RecordedAnswer, type RecordedCall } from './check-history.ts';
export { chosenServer, type ServerChoice } from './chosen-server.ts';
export { type ServerContainer, type StartedServer, startContainer } from './container.ts';
export { type DedicatedServer, dedicatedServer, type ServerProgram } from './dedicated-server.ts';
export { exitWhileServerHangs } from './exit-while-server-hangs.ts';
export { freePort, listening, type OnTestFinished } from './listening.ts';
export { ownServerBy } from './own-server.ts';
export { printable, rawCharacters } from './raw-characters.ts';
export { scratchDirectory } from './scratch-directory.ts';
export {
  acceptsConnections,
  logOf,
  type OnSpawn,
  type ServerCommand,
  type ServerProcess,
  spawnServer,
} from './server-process.ts';
export { type Started, sharedByTheRun } from './shared-by-the-run.ts';
