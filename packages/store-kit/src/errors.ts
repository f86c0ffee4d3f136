import { PlantRefused, StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';
import type { Failure } from '@plant-store/group-commit';

/**
 * What an error means: a {@link Failure} of the batch, or
 * - `missing`: a table does not exist.
 * - `misconfigured`: waiting does not help. The URL, the table, or a user, database or setting of the server has to change.
 * - `unavailable`: a later retry may help.
 * - `defect`: a bug of this program.
 */
type Meaning = Exclude<Failure, 'other'> | 'missing' | 'misconfigured' | 'unavailable' | 'defect';

/** The meaning of an error, and what the operator can do. */
export type ErrorRow = readonly [meaning: Meaning, hint?: string];

/** Makes a part of a table of errors: the same row for several codes. */
export const describeCodes = (codes: readonly (number | string)[], ...row: ErrorRow): Record<string, ErrorRow> =>
  Object.fromEntries(codes.map((code) => [code, row]));

/** Classifies an engine's errors and translates them into the port's. */
export interface StoreErrors {
  /** Returns the port's error. Defects and errors of the port are returned unchanged. It shows no plant. */
  translate(error: unknown): Error;
  /** The same for a statement that holds no client's plant. If it is refused, the database is misconfigured. */
  translateOwn(error: unknown): Error;
  /** What an error, translated or not, means for the plants that were written. */
  classify(error: unknown): Failure;
  /** Whether a table does not exist. */
  isTableMissing(error: unknown): boolean;
}

/**
 * Makes the error translation of an engine.
 *
 * @param engine its name in messages, such as `PostgreSQL`.
 * @param find returns the row of an error, or undefined if the engine did not report it. Errors that are no system errors either count as
 *   a lost connection.
 * @param withoutPlants removes what an engine's error may show of a plant.
 */
export function storeErrors(
  engine: string,
  find: (error: unknown) => ErrorRow | undefined,
  withoutPlants: (error: Error) => Error = (error) => error,
): StoreErrors {
  function findRow(error: unknown): ErrorRow {
    if (PlantRefused.is(error)) return ['refused'];
    if (StoreUnavailable.is(error)) return error.cause === undefined ? ['unavailable'] : findRow(error.cause);
    // Node throws it if a host has several addresses and none accepts the connection.
    if (error instanceof AggregateError && error.errors.length > 0) return findRow(error.errors[0]);
    // One with a cause is no bug: `fetch failed`.
    if (error instanceof TypeError && error.cause !== undefined) return findRow(error.cause);
    if (error instanceof TypeError || error instanceof RangeError) return ['defect'];
    return find(error) ?? findSystemError(readCode(error)) ?? ['transient'];
  }

  const translateTo = (Refused: typeof PlantRefused | typeof StoreMisconfigured) => (error: unknown) => {
    if (!(error instanceof Error)) return new Error(String(error));
    if (StoreUnavailable.is(error) || PlantRefused.is(error)) return error;
    const [meaning, hint] = findRow(error);
    const cause = withoutPlants(error);
    if (meaning === 'defect') return cause;
    const code = readCode(cause) && ` (${readCode(cause)})`;
    const advice = meaning === 'missing' ? NOT_MIGRATED : hint;
    const message = `${engine}: ${readMessage(cause)}${code}${advice ? `; ${advice}` : ''}`;
    if (meaning === 'refused') return new Refused(message, { cause });
    return new (meaning === 'misconfigured' ? StoreMisconfigured : StoreUnavailable)(message, { cause });
  };

  return {
    translate: translateTo(PlantRefused),
    translateOwn: translateTo(StoreMisconfigured),
    classify(error) {
      const [meaning] = findRow(error);
      return meaning === 'refused' || meaning === 'locked' || meaning === 'transient' ? meaning : 'other';
    },
    isTableMissing: (error) => findRow(error)[0] === 'missing',
  };
}

function readMessage(error: Error): string {
  return error instanceof AggregateError ? error.errors.map(({ message }) => message).join(', ') : error.message;
}

function readCode(error: unknown): string {
  return error instanceof Error && 'code' in error && error.code !== undefined ? String(error.code) : '';
}

/** The row of a system error or of Node's TLS. A host that is unreachable may be starting up. */
function findSystemError(code: string): ErrorRow | undefined {
  if (/CERT|^UNABLE_TO_VERIFY/.test(code)) return ['misconfigured', UNTRUSTED];
  if (code === 'ENOTFOUND') return ['misconfigured', "check the host's name"];
  return /^(ECONNREFUSED|EHOSTUNREACH|ENOENT|ETIMEDOUT)$/.test(code) ? ['transient', UNREACHABLE] : undefined;
}

const UNREACHABLE = 'check that it runs and that host and port are right';
const UNTRUSTED =
  "check the server's certificate, its name and the clocks, and name the file of its authority in the URL (sslrootcert or ssl-ca) or in NODE_EXTRA_CA_CERTS";

/** What a message says if the table is missing. */
const NOT_MIGRATED = 'the database is not migrated, or the table was dropped: run the migrations, or restore it';
