import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { storageAdapter } from '@plant-store/adapters-sqlite/storage-adapter';
import { textFields } from '@plant-store/domain';
import { scratchDirectory } from '@plant-store/testing';
import { expect, onTestFinished, test } from 'vitest';

// Code, tables and contracts loop over the list `textFields`. If it left a field out, they all would, and every other test would pass.
const packages = join(import.meta.dirname, '../../../packages');
const source = await readFile(join(packages, 'domain/src/plant.ts'), 'utf8');
const [, members = ''] = /^export interface Plant \{\n(.*?)^\}/ms.exec(source) ?? [];
const fields = [...members.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, name = '']) => name).toSorted();

test('the list of fields has each field that the interface Plant declares', () => {
  expect(fields).toContain('name');
  expect(textFields.toSorted()).toEqual(fields);
});

test('the table has a column for the id and for each field of Plant', async () => {
  const path = join(await scratchDirectory(onTestFinished), 'plants.db');
  await storageAdapter.at(`sqlite:${path}`, { onError: () => {} }).migrate();
  using database = new DatabaseSync(path);
  const columns = database.prepare("SELECT name FROM pragma_table_info('plants')").all();
  expect(columns.map(({ name }) => `${name}`).toSorted()).toEqual(['id', ...fields].toSorted());
});

test('the description has a property for each field of Plant', async () => {
  const description = JSON.parse(await readFile(join(packages, 'adapters-http/openapi.json'), 'utf8'));
  const { Plant, NewPlant } = description.components.schemas;
  expect(Object.keys(Plant.properties).toSorted()).toEqual(fields);
  expect(Object.keys(NewPlant.properties).toSorted()).toEqual(['id', ...fields].toSorted());
});
