import { expect, test } from 'vitest';
import { engines } from '../../src/stores/engines.ts';
import { isShared, storeAt } from '../../src/stores/index.ts';

const urls = ['postgres://host/plants', 'mysql://host/plants', 'sqlite:plants.db', 'memory:'];

test.each(urls)('%s is shared by several processes only if its adapter promises that', async (url) => {
  const { capabilities } = await storeAt(url, { onError: () => {} }).harness();
  expect(isShared(url)).toBe(capabilities.shared);
});

test('every engine has a URL here', () => {
  expect(engines.filter((engine) => !urls.some((url) => engine.urls.test(url)))).toEqual([]);
});
