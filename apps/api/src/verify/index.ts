export { verifyStore } from './verify-store.ts';
