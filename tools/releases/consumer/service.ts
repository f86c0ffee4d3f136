import { createHttpServer, errorCatalogue, type HttpServerOptions } from '@plant-store/adapters-http';
import { type DeployedService, httpContract } from '@plant-store/adapters-http/contract';
import { openMemory } from '@plant-store/adapters-memory';
import { memoryUnderTest } from '@plant-store/adapters-memory/under-test';
import { migratePostgres, openPostgres, type PostgresOptions } from '@plant-store/adapters-postgres';
import { postgresUnderTest } from '@plant-store/adapters-postgres/under-test';
import { openSqlite } from '@plant-store/adapters-sqlite';
import { sqliteUnderTest } from '@plant-store/adapters-sqlite/under-test';
import { anyVerifier, digestVerifier, jwtVerifier, parseTokenEntry } from '@plant-store/adapters-tokens';
import { createPlant, type PlantStore } from '@plant-store/domain';
import type { Contract, StoreUnderTest } from '@plant-store/domain/contract';

export const contract: Contract<DeployedService> = httpContract;
export const subjects: readonly StoreUnderTest[] = [
  memoryUnderTest,
  postgresUnderTest('postgres://localhost/plants'),
  sqliteUnderTest('plants.db'),
];
export const jwt: typeof jwtVerifier = jwtVerifier;
export const numbers: readonly number[] = Object.values(errorCatalogue).map(({ error }) => error);

export async function serve(options: PostgresOptions, entry: string): Promise<string> {
  await migratePostgres(options);
  const stores: PlantStore[] = [await openPostgres(options), await openSqlite({ path: 'plants.db' }), openMemory()];
  const tokens = anyVerifier([digestVerifier([{ digests: [parseTokenEntry(entry)] }])]);
  const made: HttpServerOptions[] = stores.map(({ plants }) => ({ createPlant: createPlant(plants), tokens }));
  const [first] = made;
  if (first === undefined) throw new Error('there is no store');
  // @ts-expect-error There is no server without somebody who verifies tokens.
  createHttpServer({ createPlant: first.createPlant });
  return createHttpServer(first).listen({ port: 3000 });
}
