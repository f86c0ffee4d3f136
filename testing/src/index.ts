export { checkHistory, type RecordedAnswer, type RecordedCall } from './check-history.ts';
export { type DedicatedServer, dedicatedServer, ownServerBy } from './dedicated-server.ts';
export { exitWhileServerHangs } from './exit-while-server-hangs.ts';
export { freePort, listening, type OnTestFinished, scratchDirectory } from './places.ts';
export { chosenServer, type Engine, newDatabase, type ProvidedServer, sharedByTheRun } from './shared-server.ts';
