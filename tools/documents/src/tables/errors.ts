import { errorCatalogue, type ErrorKind, statusOf } from '@plant-store/adapters-http';
import { markdownTable } from './markdown-table.ts';

/** Every kind of failure that a caller can meet. */
export function errorsTable(): string {
  const kinds = Object.keys(errorCatalogue) as ErrorKind[];
  return markdownTable(
    ['error', 'status', 'kind', 'meaning'],
    kinds.map((kind) => [errorCatalogue[kind].error, statusOf(kind), kind, errorCatalogue[kind].meaning]),
  );
}
