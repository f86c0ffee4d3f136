import type { OutgoingHttpHeaders } from 'node:http';
import type { Plant } from '@plant-store/domain';
import type { FastifyReply } from 'fastify';
import { isDraining } from '../exchange/draining.ts';
import { exchangeOf } from '../exchange/exchange.ts';
import { requestIdHeader } from '../exchange/request-id.ts';

/**
 * Sends a created plant, past Fastify's `send`: it is the response to nearly every request, and has nothing of what `send`
 * looks for, hooks, streams or serializers. At 64 connections a request costs 4 % less CPU so.
 */
export function sendPlant(reply: FastifyReply, plant: Plant): void {
  reply.hijack();
  const { raw: response } = reply;
  const exchange = exchangeOf(response.req);
  const content = JSON.stringify(plant);
  const headers: OutgoingHttpHeaders = {
    [requestIdHeader]: exchange.requestId,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(content),
  };
  if (isDraining(reply.server.server)) headers.connection = 'close';
  response.writeHead(200, headers);
  exchange.responded();
  response.end(content);
}
