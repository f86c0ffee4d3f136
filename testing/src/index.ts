export { checkHistory, type RecordedAnswer, type RecordedCall } from './check-history.ts';
export { exitWhileServerHangs } from './exit-while-server-hangs.ts';
export { freePort, listening, type OnTestFinished, scratchDirectory } from './temporary-resources.ts';
