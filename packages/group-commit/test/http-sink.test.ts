import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { listening } from '@plant-store/testing-servers';
import { expect, onTestFinished, test } from 'vitest';
import { openSink } from './http-sink.ts';

test('the README shows the example that is tested here', () => {
  const [readme, example] = ['../README.md', 'http-sink.ts'].map((file) =>
    readFileSync(join(import.meta.dirname, file), 'utf8'),
  );
  // Mutation tests put a comment before it.
  expect(readme).toContain(`\`\`\`ts\n${example?.slice(example.indexOf('import'))}\`\`\``);
});

test('one POST carries a batch, each caller gets an answer, and a lost connection is retried', async () => {
  const bodies: { readonly id: string; readonly text: string }[][] = [];
  let isLosing = true;
  const server = createServer(async (request, response) => {
    if (request.method === 'HEAD') return response.end();
    const events = JSON.parse(await text(request));
    bodies.push(events);
    if (isLosing) {
      isLosing = false;
      return response.destroy();
    }
    const answers = events.map(({ text }: { text: string }) => (text === '' ? { error: 'it is empty' } : {}));
    return response.end(JSON.stringify(answers));
  });
  const sink = openSink(`http://127.0.0.1:${await listening(server, onTestFinished)}/events`);
  await sink.check();
  const events = ['hello', '', 'bye'].map((each, at) => ({ id: `${at}`, text: each }));
  const results = await Promise.allSettled([...events, { id: '0', text: 'hello' }].map((event) => sink.submit(event)));
  expect(results).toMatchObject([
    { value: 'stored' },
    { reason: { message: 'it is empty' } },
    { value: 'stored' },
    { value: 'stored' },
  ]);
  expect(bodies).toEqual([events, events]);
  await sink.close();
  await expect(sink.submit({ id: '9', text: 'late' })).rejects.toThrow('the engine is closed');
});
