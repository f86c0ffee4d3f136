import { expect, test } from 'vitest';
import { chooseServer, type Engine } from '../src/shared-server.ts';

/** An engine whose server does not respond and is not installed. */
const engine = {
  variables: { url: 'URL', image: 'IMAGE' },
  container: {
    image: 'localhost:1/no-such-image',
    port: 1,
    prepare: (container) => container,
    urlAt: (host) => `it://test:test@${host}`,
  },
  check: () => Promise.reject(new Error('connect ECONNREFUSED')),
  startInstalled: async () => undefined,
} satisfies Partial<Engine> as Partial<Engine> as Engine;

test.each<[environment: NodeJS.ProcessEnv, message: RegExp]>([
  [
    { URL: 'it://me:s3cret@host' },
    /^URL cannot be used \(connect ECONNREFUSED\): set it to it:\/\/user:password@host of/,
  ],
  // The registry is unreachable, so the container cannot start even with Docker.
  [{ IMAGE: 'localhost:1/no-such-image' }, /^IMAGE cannot be used \(.*\): start Docker and name an image/s],
  [{ URL: 'it://host', IMAGE: 'image' }, /^URL and IMAGE name two servers for the tests: unset one of them/],
])('if the configured server cannot be used, no other one is chosen: %o', async (environment, message) => {
  const choosing = chooseServer(environment, engine, 'prefix_');
  await expect(choosing).rejects.toThrow(message);
  await expect(choosing).rejects.not.toThrow('s3cret');
});

test('without any server the choice is undefined', async () => {
  expect(await chooseServer({}, engine, 'prefix_')).toBeUndefined();
});
