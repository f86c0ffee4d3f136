import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectTo } from '../running-service.ts';

/** So many at a time: the kernel drops those that do not fit into the accept queue, and tries again a second later. */
const OPENED_AT_ONCE = 200;

/**
 * Opens connections that send bytes as they are, and count the responses once they read them.
 *
 * @throws if one of them cannot connect, such as for a limit on open files.
 */
export async function openAttackers(url: string, connections: number) {
  const sockets: Socket[] = [];
  const counts = new Map<number, number>();
  while (sockets.length < connections) {
    const some = Array.from({ length: Math.min(OPENED_AT_ONCE, connections - sockets.length) }, () => connectTo(url));
    await Promise.all(some.map((socket) => once(socket, 'connect')));
    sockets.push(...some);
  }
  for (const socket of sockets) socket.on('error', () => {}).pause();

  function countFrom(socket: Socket): void {
    let rest = '';
    socket.setEncoding('latin1').on('data', (text: string) => {
      rest += text;
      let end = 0;
      for (const { 0: match, 1: status, 2: error, index } of rest.matchAll(/HTTP\/1\.1 (\d{3})|"error":(\d{5})/g)) {
        const outcome = Number(status ?? error);
        counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
        end = index + match.length;
      }
      // One may have come in part.
      rest = rest.slice(Math.max(end, rest.length - 12));
    });
    socket.resume();
  }

  return {
    /** Sends a part on each, and resolves once the kernel has taken it; after at most two seconds. */
    async send(partOf: (at: number) => string): Promise<void> {
      for (const [at, socket] of sockets.entries()) socket.write(partOf(at), 'latin1');
      for (let times = 0; times < 40 && sockets.some(({ writableLength }) => writableLength > 0); times += 1)
        await sleep(50);
    },
    read: () => sockets.forEach(countFrom),
    /** How many responses had this status, or this number in their Error record. */
    count: (outcome: number) => counts.get(outcome) ?? 0,
    reset: () => sockets.forEach((socket) => void socket.resetAndDestroy()),
  };
}
