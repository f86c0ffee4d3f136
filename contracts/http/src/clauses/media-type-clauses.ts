import type { Clause } from '@plant-store/contracts-kit';
import type { DeployedService } from '../deployed-service.ts';
import { expectAccepted, expectError, expectNotStored } from '../expectations/expectations.ts';
import { forEachCase } from '../expectations/for-each-case.ts';
import { exchange, rawRequest } from '../http/raw-request.ts';
import { sendRequest } from '../http/send-request.ts';
import { aPlant, jsonOf } from '../new-plants.ts';

/** What the body is declared to be. */
export const mediaTypeClauses: readonly Clause<DeployedService>[] = [
  {
    id: 'HC-28',
    title: 'application/json is accepted in any case, with charset=utf-8 or utf8, quoted or not, and other parameters',
    check: (service) => forEachCase(accepted, (type) => expectAccepted(service, { headers: { 'content-type': type } })),
  },
  {
    id: 'HC-29',
    title: 'any other media type or charset, or none, is refused',
    check: async (service) => {
      await forEachCase(refused, async (type) => {
        const plant = aPlant();
        const response = await sendRequest(service, { headers: { 'content-type': type }, body: jsonOf(plant) });
        expectError(response, 'unsupported-media-type');
        await expectNotStored(service, plant.id, response);
      });
      const twice = rawRequest(service, { lines: ['Content-Type: text/plain'] });
      const response = await exchange(service, 'two Content-Type headers', twice);
      expectError(response, ['unsupported-media-type', 'malformed-http']);
    },
  },
  {
    id: 'HC-30',
    title: 'a body with a Content-Encoding other than identity is refused',
    check: async (service) => {
      await expectAccepted(service, { headers: { 'content-encoding': 'identity' } });
      await forEachCase(encodings, async (encoding) => {
        const other = aPlant();
        const response = await sendRequest(service, { headers: { 'content-encoding': encoding }, body: jsonOf(other) });
        expectError(response, 'unsupported-media-type');
        await expectNotStored(service, other.id, response);
      });
    },
  },
];

const accepted = [
  'application/json',
  'Application/JSON',
  'application/json;charset=utf-8',
  'application/json; charset=utf-8',
  'application/json; charset=UTF-8',
  'application/json ; Charset=Utf-8',
  'application/json;charset="utf-8"',
  'APPLICATION/JSON; CHARSET="UTF-8"',
  'application/json;charset=utf8',
  'application/json; version=1',
  'application/json;odata.metadata=minimal',
  'application/json; version=1; charset="utf8"; odata.metadata=minimal',
];

const refused = [
  undefined,
  'text/plain',
  'text/plain; charset=utf-8',
  'text/json',
  'text/html',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/octet-stream',
  'application/xml',
  'application/jsonx',
  'application/json5',
  'application/json-seq',
  'application/vnd.api+json',
  'xapplication/json',
  'application',
  'json',
  '*/*',
  'text/plain; application/json',
  'application/json, text/plain',
  'application/json; charset=iso-8859-1',
  'application/json; charset=utf-16',
  'application/json; charset="latin1"',
  'application/json; charset=utf-8x',
  'application/json; version=1; charset=utf-16',
];

const encodings = ['gzip', 'GZIP', 'br', 'deflate', 'zstd', 'identity, gzip', 'x-unknown'];
