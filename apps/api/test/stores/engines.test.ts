import { expect, test } from 'vitest';
import { engines } from '../../src/stores/engines.ts';
import { databaseUrlForms, exportUrlForms, sampleUrls } from '../../src/stores/index.ts';

test('a URL of the form that messages name is one of that engine, and of no other', () => {
  expect(sampleUrls.map((url) => engines.filter((engine) => engine.urls.test(url)))).toEqual(
    engines.map((engine) => [engine]),
  );
});

test('messages name the form of each engine, and those of an export no store that has none', () => {
  expect(databaseUrlForms().split(/, | or /)).toEqual(engines.map(({ form }) => form));
  expect(exportUrlForms().split(/, | or /)).toContain('sqlite:<path>');
  expect(exportUrlForms().split(/, | or /)).not.toContain('memory:');
});
