export { SHUTDOWN_MS, serve } from './serve.ts';
