import { expect, test } from 'vitest';
import { cannotListenMessage } from '../src/cannot-listen.ts';

test.each([
  ['PORT', 'EACCES', 'no permission to listen on port 80: set PORT to a port above 1023'],
  ['ADMIN_PORT', 'EACCES', 'no permission to listen on port 80: set ADMIN_PORT to a port above 1023'],
  ['PORT', 'ENOTFOUND', 'here is not an address of this machine: set HOST to one that is'],
  ['ADMIN_PORT', 'EADDRNOTAVAIL', 'here is not an address of this machine: set ADMIN_HOST to one that is'],
] as const)('the listener of %s that fails with %s names its own settings', (setting, code, message) => {
  const error = Object.assign(new Error('listen failed'), { code });
  expect(cannotListenMessage(error, setting, 'here', 80)).toBe(message);
});
