import type { Server, ServerResponse } from 'node:http';
import type { FastifyBaseLogger } from 'fastify';

/** How often it is looked whose time is over, in milliseconds. */
const LOOK_EVERY_MS = 1_000;

/** The answers that were made and whose callers have not read them: what the kernel has taken counts as read. */
export interface UnreadAnswers {
  /** One more; where they are too many, the connection of the one that is unread for the longest time is cut off. */
  readonly add: (response: ServerResponse) => void;
  /** It was read, or its connection is closed. */
  readonly delete: (response: ServerResponse) => void;
}

/**
 * Bounds how many answers are waiting for their callers to read them, and for how long. A caller may read as slowly as it
 * likes, but what is kept for it stays small altogether, and its connection is free again after a while.
 *
 * @param withinMs how long an answer may take to be read, in milliseconds; it is at most a second more.
 */
export function limitUnreadAnswers(
  server: Server,
  max: number,
  withinMs: number,
  log: FastifyBaseLogger,
): UnreadAnswers {
  // In the order in which they were made.
  const madeAt = new Map<ServerResponse, number>();
  let cutOff = 0;
  const look = setInterval(() => {
    const due = performance.now() - withinMs;
    for (const [response, at] of madeAt) {
      if (at > due) break;
      cut(response);
    }
    if (cutOff > 0)
      log.warn({ cutOff, maxUnread: max, withinMs }, 'connections were cut off that did not read their answers');
    cutOff = 0;
  }, LOOK_EVERY_MS).unref();
  server.once('close', () => clearInterval(look));

  return {
    add(response) {
      const [longest] = madeAt.size >= max ? madeAt.keys() : [];
      if (longest) cut(longest);
      madeAt.set(response, performance.now());
    },
    delete: (response) => void madeAt.delete(response),
  };

  function cut(response: ServerResponse): void {
    madeAt.delete(response);
    const { socket } = response.req;
    if (socket.destroyed) return;
    socket.destroy();
    cutOff += 1;
  }
}
