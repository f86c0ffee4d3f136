/** A number of a catalogue and what it means, for people. */
export interface CatalogueEntry {
  /** The Error record's `error`, an int32: the HTTP status × 100 + a counter. */
  readonly error: number;
  readonly meaning: string;
}

/** The kinds of error that the edge itself responds with. A catalogue has these, and those of its operations. */
export type EdgeErrorKind =
  | 'body-too-large'
  | 'internal-error'
  | 'malformed-http'
  | 'method-not-allowed'
  | 'no-such-path'
  | 'overloaded'
  | 'request-timeout'
  | 'unsupported-media-type';

/** Every kind of error that a client can get. */
export type ErrorCatalogue = Readonly<Record<EdgeErrorKind, CatalogueEntry> & Record<string, CatalogueEntry>>;

/** The HTTP status of an entry, which its number contains. */
export function statusOf({ error }: CatalogueEntry): number {
  return Math.floor(error / 100);
}

/** An Error record, as it goes out. */
export interface ErrorRecord {
  readonly status: number;
  readonly error: number;
  readonly body: string;
}

/** Makes the Error record of a kind, with this message. A kind that is not in the catalogue is an internal error. */
export type ErrorRecords = (kind: string, message: string) => ErrorRecord;

export function errorRecords(catalogue: ErrorCatalogue): ErrorRecords {
  const entries = new Map<string, CatalogueEntry>(Object.entries(catalogue));
  return (kind, message) => {
    const entry = entries.get(kind) ?? catalogue['internal-error'];
    const { error } = entry;
    return { status: statusOf(entry), error, body: JSON.stringify({ error, message }) };
  };
}
