import { PlantRefused, StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';

/**
 * What an error means:
 * - `misconfigured`: a retry never helps. The URL, the table, or a user, database or setting of the server has to change.
 * - `lost`: the connection is broken. An immediate retry may help.
 * - `transient`: an immediate retry may help.
 * - `refused`: the engine rejects this plant. A retry never helps.
 * - `unavailable`: a later retry may help.
 * - `defect`: a bug of this program.
 */
type Meaning = 'misconfigured' | 'lost' | 'transient' | 'refused' | 'unavailable' | 'defect';

/**
 * The meaning of an error, and what the operator can do. A question mark says that a table of the wrong shape can cause the same
 * error, so the table has to be checked first.
 */
export type ErrorRow = readonly [meaning: Meaning | `${Meaning}?`, hint?: string];

/** Classifies an engine's errors and translates them into the port's. */
export interface StoreErrors {
  /** Returns the port's error, with the engine's as its cause. Returns defects unchanged. Neither shows a plant. */
  translate(error: unknown): unknown;
  /** Whether the connection is broken. */
  isConnectionLost(error: unknown): boolean;
  /** Whether an immediate retry may help. */
  isTransient(error: unknown): boolean;
  /** Whether the engine rejects the plant itself. */
  isRefused(error: unknown): boolean;
  /** Whether a table of the wrong shape can cause the error. */
  mayBeCausedByTable(error: unknown): boolean;
}

/**
 * Makes the error translation of an engine.
 *
 * @param engine its name in messages, such as `PostgreSQL`, or the path of its file.
 * @param classify returns the meaning of an error, or undefined if the engine did not report it. Errors that are no system
 *   errors either count as `lost`.
 * @param withoutPlants removes what an engine's error may show of a plant.
 */
export function storeErrors(
  engine: string,
  classify: (error: unknown) => ErrorRow | undefined,
  withoutPlants: (error: Error) => Error = (error) => error,
): StoreErrors {
  function rowOf(error: unknown): ErrorRow {
    if (PlantRefused.is(error)) return ['refused'];
    if (StoreUnavailable.is(error)) return error.cause === undefined ? ['unavailable'] : rowOf(error.cause);
    // Node throws it if a host has several addresses and none accepts the connection.
    if (error instanceof AggregateError && error.errors.length > 0) return rowOf(error.errors[0]);
    return classify(error) ?? systemErrors[codeOf(error)] ?? ['lost'];
  }
  const meaningOf = (row: ErrorRow) => row[0].replace('?', '') as Meaning;
  const means = (error: unknown, ...meanings: Meaning[]) => meanings.includes(meaningOf(rowOf(error)));

  return {
    translate(error) {
      if (!(error instanceof Error) || StoreUnavailable.is(error) || PlantRefused.is(error)) return error;
      // A bug must not look like an outage.
      if (error instanceof TypeError || error instanceof RangeError) return error;
      const row = rowOf(error);
      const [meaning, hint] = [meaningOf(row), row[1]];
      const cause = withoutPlants(error);
      if (meaning === 'defect') return cause;
      const code = codeOf(cause) && ` (${codeOf(cause)})`;
      const message = `${engine}: ${messageOf(cause)}${code}${hint ? `; ${hint}` : ''}`;
      if (meaning === 'refused') return new PlantRefused(message, { cause });
      return new (meaning === 'misconfigured' ? StoreMisconfigured : StoreUnavailable)(message, { cause });
    },
    isConnectionLost: (error) => means(error, 'lost'),
    isTransient: (error) => means(error, 'lost', 'transient'),
    isRefused: (error) => means(error, 'refused'),
    mayBeCausedByTable: (error) => rowOf(error)[0].endsWith('?'),
  };
}

function messageOf(error: Error): string {
  return error instanceof AggregateError ? error.errors.map(({ message }) => message).join(', ') : error.message;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && error.code !== undefined ? String(error.code) : '';
}

const unreachable: ErrorRow = ['lost', 'check that it runs and that host and port are right'];

const untrusted: ErrorRow = [
  'misconfigured',
  "the server's certificate is not trusted: name the file of its authority in the URL (sslrootcert or ssl-ca), or set NODE_EXTRA_CA_CERTS to it",
];

/** By the code of a system error or of Node's TLS. A host that is unreachable may be starting up. */
const systemErrors: Readonly<Record<string, ErrorRow>> = {
  ECONNREFUSED: unreachable,
  EHOSTUNREACH: unreachable,
  ENOENT: unreachable,
  ETIMEDOUT: unreachable,
  ENOTFOUND: ['misconfigured', "check the host's name"],
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  CERT_HAS_EXPIRED: ['misconfigured', "renew the server's certificate"],
  CERT_NOT_YET_VALID: ['misconfigured', "check the clocks of both machines, and the server's certificate"],
  ERR_TLS_CERT_ALTNAME_INVALID: ['misconfigured', "give the host's name as the server's certificate has it"],
};

/** What a message says if the table is missing. */
export const NOT_MIGRATED = 'the database is not migrated, or the table was dropped: run the migrations, or restore it';
