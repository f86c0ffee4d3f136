export { fixedIds } from '@plant-store/contracts-http';
export { verifyService } from './verify-service.ts';
export { verifyStore } from './verify-store.ts';
