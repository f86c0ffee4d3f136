export { logBuffer } from './log-buffer.ts';
export { createLogger } from './logger.ts';
