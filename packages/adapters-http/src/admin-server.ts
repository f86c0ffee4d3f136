import { type AdminServerOptions, createAdminServer as createWithErrors } from '@plant-store/http-edge';
import type { FastifyInstance } from 'fastify';
import { errorCatalogue } from './operations/operations.ts';

/** Makes the admin listener, whose Error records have the numbers of the public one. */
export function createAdminServer(options: AdminServerOptions): FastifyInstance {
  return createWithErrors(options, errorCatalogue);
}
