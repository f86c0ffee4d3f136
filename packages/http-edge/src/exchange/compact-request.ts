import { IncomingMessage } from '../runtime/node-http.ts';
import { connectionOf } from './exchange.ts';
import { GrowingBuffer } from './growing-buffer.ts';
import { ignoreRest } from './ignore-rest.ts';

/** How many chunks a body may have, besides one for each {@link BYTES_A_CHUNK}: a small body has one. */
const CHUNKS = 256;

const BYTES_A_CHUNK = 64;

/** The code of the `clientError` for a body in too many chunks. */
export const TOO_MANY_CHUNKS = 'ERR_TOO_MANY_CHUNKS';

/**
 * A request whose body takes a byte of memory for each byte while nobody reads it, in however many pieces it arrives. Node
 * keeps a Buffer for each piece, which are 300 bytes for a chunk of one.
 *
 * A body in very many chunks is refused like one that cannot be parsed, with a `clientError`: each chunk takes about
 * a microsecond, and what arrives together on all connections is read in one turn of the event loop.
 */
export class CompactRequest extends IncomingMessage {
  #pieces = 0;
  #received = 0;
  /** The pieces behind the first one that nobody has read. */
  #held: GrowingBuffer | undefined;
  /** Whether somebody waits for the next piece. */
  #isWanted = false;

  override push(piece: Buffer | null): boolean {
    if (piece === null) {
      this.#release();
      return super.push(null);
    }
    this.#pieces += 1;
    this.#received += piece.length;
    if (this.#pieces > CHUNKS && this.#hasTooManyChunks()) {
      this.#refuse();
      return false;
    }
    if (this.#isWanted || this.readableLength === 0) {
      this.#isWanted = false;
      return super.push(piece);
    }
    this.#held ??= new GrowingBuffer();
    this.#held.append(piece);
    return this.readableLength + this.#held.length < this.readableHighWaterMark;
  }

  override _read(size: number): void {
    this.#isWanted = true;
    super._read(size);
    this.#release();
  }

  #release(): void {
    const held = this.#held;
    if (!held) return;
    this.#held = undefined;
    this.#isWanted = false;
    super.push(held.bytes);
  }

  #hasTooManyChunks(): boolean {
    // Other bodies have as many pieces as the network makes of them.
    const isChunked = this.headers['transfer-encoding'] !== undefined;
    return isChunked && this.#pieces > CHUNKS + this.#received / BYTES_A_CHUNK;
  }

  #refuse(): void {
    const { socket } = this;
    const { server } = socket as typeof socket & { server?: { emit(event: string, ...args: unknown[]): boolean } };
    const error = Object.assign(new Error('too many chunks'), { code: TOO_MANY_CHUNKS });
    if (!server?.emit('clientError', error, socket)) socket.destroy(error);
    connectionOf(socket).closeAfterResponse = true;
    ignoreRest(socket);
  }
}
