export { checkHistory, type RecordedAnswer, type RecordedCall } from './check-history.ts';
export { freePort, listening, type OnTestFinished, scratchDirectory } from './temporary-resources.ts';
