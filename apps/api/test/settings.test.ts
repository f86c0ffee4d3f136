import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { settingsMarkdown } from '../src/config-command/settings-text.ts';
import { jwtVariables } from '../src/jwt-settings.ts';
import { settings } from '../src/settings.ts';
import { otlpVariables } from '../src/telemetry/otlp-settings.ts';

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

test('the README lists the settings as they are', () => {
  expect(read('README.md')).toContain(`\n${settingsMarkdown(settings)}\n`);
});

test('docs/tokens.md lists those of JWTs as they are', () => {
  expect(read('docs/tokens.md')).toContain(`\n${settingsMarkdown(jwtVariables)}\n`);
});

test('docs/telemetry.md lists those of OpenTelemetry as they are', () => {
  expect(read('docs/telemetry.md')).toContain(`\n${settingsMarkdown(otlpVariables)}\n`);
});

test.each(Object.entries({ ...settings, ...jwtVariables, ...otlpVariables }))(
  'the default of %s is in its form',
  (_, setting) => {
    if ('default' in setting) expect(setting.value.safeParse(setting.default).success).toBe(true);
  },
);
