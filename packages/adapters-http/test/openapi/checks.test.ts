import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openApiDocument } from '../../src/openapi/document.ts';

const post = 'paths > /plants > post';
const newPlant = 'components > schemas > NewPlant';
const json = 'application/json';

test.each(['openapi-lint', 'openapi-diff'])('%s accepts the committed description', async (check) => {
  expect(await findingsOf(check)).toBeUndefined();
});

test.each([
  ['an unused component', 'components > schemas > Fern', { type: 'object' }, 'no-unused-components'],
  ['an undeclared security scheme', 'paths > /plants > post > security', [{ key: [] }], 'security-defined'],
  ['a description without a contact', 'info > contact', undefined, 'info-contact'],
  ['an operation without a description', `${post} > description`, undefined, 'operation-description'],
  ['an undeclared tag', `${post} > tags`, ['ferns'], 'operation-tag-defined'],
  [
    'an example that does not match its schema',
    `${post} > requestBody > content > ${json} > examples > x`,
    { value: {} },
    'required',
  ],
])('openapi-lint rejects %s', async (_fault, place, value, rule) => {
  expect(await findingsOf('openapi-lint', changed(place, value))).toContain(rule);
});

test.each([
  ['a path is gone', 'paths > /plants', undefined],
  ['a status is gone', `${post} > responses > 401`, undefined],
  ['the request has a new required field', `${newPlant} > required`, ['id', 'name', 'height']],
  ['an optional field of the request is required', `${newPlant} > required`, ['id', 'name', 'tag']],
  ['the id is narrower', `${newPlant} > properties > id > format`, 'int32'],
  ['the id is a text', `${newPlant} > properties > id > type`, 'string'],
  ['names are shorter', `${newPlant} > properties > name > maxLength`, 100],
  ['other members are rejected', `${newPlant} > additionalProperties`, false],
  ['a Plant may be without its name', 'components > schemas > Plant > required', []],
  ['a tag may be null', 'components > schemas > Plant > properties > tag > type', ['string', 'null']],
  ['a header is no longer sent', `${post} > responses > 401 > headers`, undefined],
  ['X-Request-Id is no longer sent', `${post} > responses > 200 > headers > X-Request-Id`, undefined],
  ['a header is required', `${post} > parameters > 0 > required`, true],
  ['the operation has another name', `${post} > operationId`, 'addPlant'],
  ['the authentication scheme is another', 'components > securitySchemes > bearerAuth > scheme', 'basic'],
])('openapi-diff rejects a description in which %s', async (_change, place, value) => {
  expect(await findingsOf('openapi-diff', changed(place, value))).toContain('major');
});

test.each([
  ['a path', 'paths > /ferns', { get: { operationId: 'listFerns', responses: { 200: { description: 'Ferns.' } } } }],
  ['a status', `${post} > responses > 409`, { description: 'A conflict.' }],
  ['an optional field of the request', `${newPlant} > properties > height`, { type: 'number' }],
  ['an optional header of the request', `${post} > parameters > 1`, { in: 'header', name: 'X', schema: {} }],
  ['a kind of failure', `${post} > responses > 400 > content > ${json} > examples > x`, { value: { error: 40099 } }],
  ['a sentence', `${post} > description`, 'Says more.'],
])('openapi-diff accepts %s that is added', async (_change, place, value) => {
  expect(await findingsOf('openapi-diff', changed(place, value))).toBeUndefined();
});

/** What a check prints about a description, by default the committed one; undefined if it accepts it. */
async function findingsOf(check: string, description?: object): Promise<string | undefined> {
  const directory = await mkdtemp(join(tmpdir(), 'plant-store-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const file = join(directory, 'openapi.json');
  if (description) await writeFile(file, JSON.stringify(description));
  const script = join(import.meta.dirname, '../../checks', check);
  return new Promise((resolve) => {
    execFile('bash', description ? [script, file] : [script], (error, stdout, stderr) =>
      resolve(error ? stdout + stderr : undefined),
    );
  });
}

/** The description with this value at this place; undefined removes what is there. */
function changed(place: string, value: unknown): object {
  const document = structuredClone(openApiDocument) as Record<string, unknown>;
  const names = place.split(' > ');
  const last = names.pop() ?? '';
  const parent = names.reduce((above, name) => above[name] as Record<string, unknown>, document);
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return document;
}
