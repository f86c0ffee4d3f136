import pg from 'pg';

/** The pool's clients: pg's, which otherwise leave a connection behind when they cannot connect. */
export class PoolClient extends pg.Client {
  /**
   * Set when a wait for a standby was cancelled. PostgreSQL reports success all the same, with a warning that the commit
   * may be lost with the primary.
   */
  cancelledWait: Error | undefined;
  /** Called when the connection is lost, whether or not a statement runs on it. */
  onLost: (error: Error) => void = () => {};
  readonly #unusable: Error | undefined;

  /** Files that the connection string names are read each time. If one is missing, connecting fails, not this. */
  constructor(config?: pg.ClientConfig) {
    const unusable = whyUnusable(config);
    super(unusable ? {} : config);
    this.#unusable = unusable;
    // Without a listener a terminated backend would end this process.
    this.on('error', (error) => this.onLost(error));
    this.on('notice', ({ routine, message }) => {
      // By the function that warns: the message is in the server's language, and its code is that of any warning.
      if (routine === 'SyncRepWaitForLSN') this.cancelledWait = new Error(message);
    });
  }

  /** If it fails on this side, for lack of a password, say, the server's end would otherwise stay open for a minute. */
  override connect(): Promise<pg.Client>;
  override connect(callback: (error: Error) => void): void;
  override connect(callback?: (error: Error) => void): Promise<pg.Client> | undefined {
    // The pool does not call this form.
    if (!callback) return super.connect();
    if (this.#unusable) process.nextTick(callback, this.#unusable);
    else
      super.connect((error: Error) => {
        if (error) void this.end();
        callback(error);
      });
    return undefined;
  }
}

/** Why a connection string cannot be used: it cannot be read, or a file that it names. */
export function whyUnusable(config?: pg.ClientConfig): Error | undefined {
  try {
    new pg.Client(config);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
