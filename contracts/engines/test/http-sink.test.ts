import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describeContract } from '@plant-store/contracts-kit/vitest';
import { Unavailable } from '@plant-store/group-commit';
import { listening } from '@plant-store/testing';
import { expect, onTestFinished, test } from 'vitest';
import { type EngineHarness, engineContract, type StoredItem } from '../src/index.ts';
import { httpSink, openSink } from './http-sink.ts';

interface Event {
  readonly id: string;
  readonly text: string;
}

/** A server that stores events by id, and refuses empty ones. */
async function openServer() {
  const stored = new Map<string, string>();
  const server = {
    url: '',
    stored,
    bodies: [] as Event[][],
    fault: undefined as undefined | ((to: ServerResponse) => void),
  };
  const listener = createServer(async (request, response) => {
    if (request.method === 'HEAD') return server.fault ? server.fault(response) : response.end();
    const events: Event[] = JSON.parse(await text(request));
    server.bodies.push(events);
    const written = events.filter((event) => event.text !== '' && !stored.has(event.id));
    for (const { id, text } of written) stored.set(id, text);
    if (server.fault) return server.fault(response);
    return response.end(JSON.stringify(events.map((event) => (event.text === '' ? { error: 'it is empty' } : {}))));
  });
  server.url = `http://127.0.0.1:${await listening(listener, onTestFinished)}/events`;
  return server;
}

const harness: EngineHarness<Event, 'stored'> = {
  async prepare() {
    const server = await openServer();
    const hanging: ServerResponse[] = [];
    const fault = (effect: (response: ServerResponse) => void) => async () => {
      server.fault = effect;
      return async () => {
        server.fault = undefined;
        for (const response of hanging) response.destroy();
      };
    };
    return {
      Unavailable,
      open: async () => httpSink(server.url),
      item: (number, text) => ({ id: `${number}`, text }),
      stored: async () => [...server.stored].map(([id, text]): StoredItem => ({ number: Number(id), text })),
      dispose: async () => {},
      refused: { id: 'refused', text: '' },
      outages: {
        'the server hangs': fault((response) => hanging.push(response)),
        'the server is overloaded': fault((response) => response.writeHead(503).end()),
      },
      loseResponses: fault((response) => response.end('<html>')),
    };
  },
};

// This server does not say what was already stored, and has no locks.
describeContract(engineContract, harness, { notChecked: ['GE-1', 'GE-5', 'GE-6', 'GE-7', 'GE-8', 'GE-9'] });

test('the README shows parts of the engine and of the harness that are tested here', () => {
  const read = (file: string) => readFileSync(join(import.meta.dirname, file), 'utf8').replaceAll(/^ +/gm, '');
  const shown = read('../../../libraries/group-commit/README.md').matchAll(
    /```ts\n(export|async|Unavailable)(.*?)```/gs,
  );
  const tested = read('http-sink.ts') + read('http-sink.test.ts');
  const isTested = [...shown].map(([, start = '', rest = '']) => tested.includes(start + rest));
  expect(isTested).toEqual([true, true, true]);
});

test('one POST carries a batch, each caller gets a result, and a lost connection is retried', async () => {
  const server = await openServer();
  server.fault = (response) => {
    server.fault = undefined;
    response.destroy();
  };
  const sink = openSink(server.url);
  const events = ['hello', '', 'bye'].map((each, at) => ({ id: `${at}`, text: each }));
  const results = await Promise.allSettled([...events, { id: '0', text: 'hello' }].map((event) => sink.submit(event)));
  expect(results).toMatchObject([
    { value: 'stored' },
    { reason: { message: 'it is empty' } },
    { value: 'stored' },
    { value: 'stored' },
  ]);
  expect(server.bodies).toEqual([events, events]);
  await sink.close();
});
