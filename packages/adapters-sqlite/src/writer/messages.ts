import { PlantRefused, StoreMisconfigured, StoreUnavailable } from '@plant-store/domain';

/** What a process asks of its writer. Answered out of order: an insert may wait for a lock while another call is served. */
export interface Call {
  readonly number: number;
  readonly operation: string;
  readonly parameters: readonly unknown[];
}

/** The outcome of the call with the same number. */
export type Reply = { readonly number: number } & ({ readonly result: unknown } | { readonly failure: Failure });

/** An error, with what is lost between processes otherwise: its class and its own properties. */
interface Failure {
  readonly kind: keyof typeof classes;
  readonly message: string;
  /** Its stack, and what SQLite adds, or Node for a file. */
  readonly properties: object;
  readonly cause: Failure | undefined;
}

export function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) return failureOf(new Error(String(error)));
  return {
    kind: kinds.find((kind) => error instanceof classes[kind]) ?? 'other',
    message: error.message,
    properties: { ...error, stack: error.stack },
    cause: error.cause === undefined ? undefined : failureOf(error.cause),
  };
}

/** The error that {@link failureOf} was given. */
export function errorOf({ kind, message, properties, cause }: Failure): Error {
  const error = new classes[kind](message, cause && { cause: errorOf(cause) });
  return Object.assign(error, properties);
}

/** A class comes before those that it extends. */
const classes = {
  misconfigured: StoreMisconfigured,
  unavailable: StoreUnavailable,
  refused: PlantRefused,
  other: Error,
};

const kinds = Object.keys(classes) as (keyof typeof classes)[];
