export { fixedIds } from '@plant-store/contracts-http';
export { type ServiceToVerify, verifyService } from './verify-service.ts';
export { type StoreToVerify, verifyStore } from './verify-store.ts';
