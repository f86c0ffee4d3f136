import { createHttpServer, errorCatalogue, type HttpServerOptions } from '@plant-store/adapters-http';
import { openMemory } from '@plant-store/adapters-memory';
import { storeHarness as memoryHarness } from '@plant-store/adapters-memory/harness';
import { migratePostgres, openPostgres, type PostgresOptions } from '@plant-store/adapters-postgres';
import { storeHarness as postgresHarness } from '@plant-store/adapters-postgres/harness';
import { openSqlite } from '@plant-store/adapters-sqlite';
import { storeHarness as sqliteHarness } from '@plant-store/adapters-sqlite/harness';
import { anyVerifier, digestVerifier, parseTokenEntry } from '@plant-store/adapters-tokens';
import { jwtVerifier } from '@plant-store/adapters-tokens/jwt';
import { type DeployedService, httpContract } from '@plant-store/contracts-http';
import type { Contract } from '@plant-store/contracts-kit';
import type { StoreHarness } from '@plant-store/contracts-stores';
import { type PlantStore, useCases } from '@plant-store/domain';

export const contract: Contract<DeployedService> = httpContract;
export const subjects: readonly StoreHarness[] = [
  memoryHarness(),
  postgresHarness('postgres://localhost/plants'),
  sqliteHarness('sqlite:plants.db'),
];
export const jwt: typeof jwtVerifier = jwtVerifier;
export const numbers: readonly number[] = Object.values(errorCatalogue).map(([error]) => error);

export async function serve(options: PostgresOptions, entry: string): Promise<string> {
  await migratePostgres(options);
  const stores: PlantStore[] = [await openPostgres(options), await openSqlite({ path: 'plants.db' }), openMemory()];
  const tokens = anyVerifier([digestVerifier([{ digests: [parseTokenEntry(entry)] }])]);
  const made: HttpServerOptions[] = stores.map((store) => ({ useCases: useCases(store), tokens }));
  const [first] = made;
  if (first === undefined) throw new Error('there is no store');
  // @ts-expect-error A server requires a token verifier.
  createHttpServer({ useCases: first.useCases });
  return createHttpServer(first).listen({ port: 3000 });
}
