/** The plant was not confirmed. The message is that of the last Error record. Without a response, `cause` says why. */
export class PlantStoreError extends Error {
  override readonly name = 'PlantStoreError';
  /** The status of the last response; undefined if the last attempt got none. */
  readonly status: number | undefined;
  /** The number in its Error record, such as 40005; undefined without one, for example if a proxy responded. */
  readonly error: number | undefined;
  /** The ID of the last request in the log of the service. */
  readonly requestId: string | undefined;
  /** How often the plant was sent; 0 if no token came in time. */
  readonly attempts: number;
  /** Whether the outcome of an attempt is unknown. Then send the same plant again later, which is safe. */
  readonly mayBeStored: boolean;

  constructor(message: string, failure: Omit<PlantStoreError, keyof Error>, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.status = failure.status;
    this.error = failure.error;
    this.requestId = failure.requestId;
    this.attempts = failure.attempts;
    this.mayBeStored = failure.mayBeStored;
  }
}
