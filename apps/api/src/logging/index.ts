export { type Log, openLog } from './log.ts';
