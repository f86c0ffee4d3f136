import { freshDatabase } from '@plant-store/testing-postgres';

/** The command with a database of its own in the place of the one that a document names. */
export async function onFreshDatabase(command: string): Promise<string> {
  const database = `'${await freshDatabase()}'`;
  return command.replace(/postgres:\S+/, () => database);
}
