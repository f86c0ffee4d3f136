import { expect, test } from 'vitest';
import { jwtVariables } from '../../src/config/jwt-settings.ts';
import { settings } from '../../src/config/settings.ts';

test.each(Object.entries({ ...settings, ...jwtVariables }))('the default of %s is in its form', (_, setting) => {
  if ('default' in setting) expect(setting.value.safeParse(setting.default).success).toBe(true);
});
