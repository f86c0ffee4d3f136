import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { rawRequest } from '@plant-store/contracts-http/wire';
import { connectTo, TOKEN } from '../running-service.ts';
import type { SentPlant } from './plants.ts';

/**
 * Sends a share of a request, from 0 to 1, and resets the connection without waiting for a response.
 *
 * @returns whether the client left before the end, or sent all of it and lost the response.
 */
export async function leaveAfter(url: string, plant: SentPlant, share: number): Promise<'left' | 'lost'> {
  const request = requestOf(plant);
  const length = Math.floor(request.length * share);
  const socket = await connected(url);
  await new Promise<void>((resolve) => socket.write(request.subarray(0, length), () => resolve()));
  // A reset, as from a client that was killed.
  socket.resetAndDestroy();
  return length < request.length ? 'left' : 'lost';
}

/** The result of a slow request. */
export interface Closed {
  readonly closedAfterMs: number;
  readonly response: string;
}

/** Sends one part immediately and the other byte by byte, until the connection is closed. */
export async function sendSlowly(url: string, plant: SentPlant, slowPart: 'headers' | 'body'): Promise<Closed> {
  const request = requestOf(plant);
  const socket = await connected(url);
  const start = performance.now();
  let response = '';
  let open = true;
  const closed = once(socket, 'close').then(() => {
    open = false;
  });
  socket.setEncoding('utf8').on('data', (text: string) => {
    response += text;
  });
  let at = slowPart === 'headers' ? 0 : request.indexOf('\r\n\r\n') + 4;
  socket.write(request.subarray(0, at));
  // The last byte is never sent.
  for (; open; at = Math.min(at + 1, request.length - 2)) {
    socket.write(request.subarray(at, at + 1));
    await Promise.race([sleep(500), closed]);
  }
  return { closedAfterMs: performance.now() - start, response };
}

async function connected(url: string): Promise<Socket> {
  const socket = connectTo(url).on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

function requestOf(plant: SentPlant): Buffer {
  const body = Buffer.from(JSON.stringify(plant)).toString('latin1');
  return Buffer.from(rawRequest({ baseUrl: 'http://x', token: TOKEN }, { body }), 'latin1');
}
