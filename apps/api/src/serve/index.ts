export { EXIT_MS } from './exit-guard.ts';
export { serve } from './serve.ts';
export { SHUTDOWN_MS } from './signals.ts';
