export { serve } from './serve.ts';
export { SHUTDOWN_MS } from './signals.ts';
