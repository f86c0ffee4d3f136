import { PlantRefused, StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';

/**
 * What an error means:
 * - `misconfigured`: waiting does not help; the URL, the table, or the server's users, databases or settings have to be changed.
 * - `lost`: the connection cannot be used again; worth a retry at once.
 * - `transient`: worth a retry at once.
 * - `refused`: the plant itself is refused, so that sending it again will not help.
 * - `unavailable`: the store cannot answer for now.
 * - `defect`: nothing of these.
 */
type Meaning = 'misconfigured' | 'lost' | 'transient' | 'refused' | 'unavailable' | 'defect';

/**
 * The meaning, and what the operator can do. With a question mark the error is what a table that has been changed may fail with as
 * well: one has to look at it.
 */
export type ErrorRow = readonly [meaning: Meaning | `${Meaning}?`, hint?: string];

/** What a store throws for what its engine reports. */
export interface StoreErrors {
  /** The store's own error for an engine's, which is its cause. Defects come back as they are. None shows a plant. */
  translate(error: unknown): unknown;
  /** Whether the failure leaves its connection unusable. */
  isLost(error: unknown): boolean;
  /** Whether the failure is worth a retry at once. */
  isTransient(error: unknown): boolean;
  /** Whether the engine refuses the plant itself. */
  isRefused(error: unknown): boolean;
  /** Whether the table may be why, which has to be looked at before anything else is blamed. */
  isDoubtful(error: unknown): boolean;
}

/**
 * @param engine what it is called in messages: `PostgreSQL`, or the path of its file.
 * @param classify says what an error means that the engine has reported; undefined for one that it has not, which leaves the
 *   connection unusable.
 * @param withoutPlants removes what an engine's error may show of a plant, before it becomes a cause.
 */
export function storeErrors(
  engine: string,
  classify: (error: unknown) => ErrorRow | undefined,
  withoutPlants: (error: Error) => Error = (error) => error,
): StoreErrors {
  function rowOf(error: unknown): ErrorRow {
    if (error instanceof PlantRefused) return ['refused'];
    if (error instanceof StoreUnavailable) return error.cause === undefined ? ['unavailable'] : rowOf(error.cause);
    // A name that has several addresses: one that may come back is worth waiting for.
    if (error instanceof AggregateError && error.errors.length > 0) return rowOf(error.errors[0]);
    return classify(error) ?? ofSystem[codeOf(error)] ?? ['lost'];
  }
  const meaningOf = (row: ErrorRow) => row[0].replace('?', '') as Meaning;
  const means = (error: unknown, ...meanings: Meaning[]) => meanings.includes(meaningOf(rowOf(error)));

  return {
    translate(error) {
      if (!(error instanceof Error) || error instanceof StoreUnavailable || error instanceof PlantRefused) return error;
      // Defects must not pass for an outage.
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
    isLost: (error) => means(error, 'lost'),
    isTransient: (error) => means(error, 'lost', 'transient'),
    isRefused: (error) => means(error, 'refused'),
    isDoubtful: (error) => rowOf(error)[0].endsWith('?'),
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

/** By a system's code, or that of Node's TLS. A host that is known but unreachable may be starting up. */
const ofSystem: Readonly<Record<string, ErrorRow>> = {
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

/** What to do about a table that is not there. */
export const NOT_MIGRATED = 'the database is not migrated, or the table was dropped: run the migrations, or restore it';
