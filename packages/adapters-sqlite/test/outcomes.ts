import { migrateSqlite, openSqlite, sqliteExport, sqliteMigrationStatus } from '@plant-store/adapters-sqlite';

/** What all that opens a file does: it succeeds, or throws. */
export async function outcomesAt(path: string): Promise<readonly string[]> {
  // The start of a writer may take a busy machine seconds, and opening would resolve before.
  const options = { path, timeoutMs: 20_000 };
  const calls = [
    () => sqliteMigrationStatus(options),
    () => migrateSqlite(options),
    () => openSqlite(options).then((store) => store.close()),
    async () => {
      for await (const _ of sqliteExport(options).readAll());
    },
  ];
  const outcomeOf = (call: () => Promise<unknown>) =>
    call().then(
      () => 'success',
      (error: Error) => `${error.constructor.name}: ${error.message}`,
    );
  return Promise.all(calls.map(outcomeOf));
}
