import type { NewPlant } from '@plant-store/domain';
import { token } from './edge-server.ts';
import { divide, type Framed } from './reference-framing.ts';
import { readPlant } from './reference-plant.ts';

/** A request, read strictly by the rules of the interface. */
export interface ReadRequest {
  readonly method: string;
  /** The response may be 200 with this plant, and with no other. */
  readonly plant?: NewPlant;
  /** The response may be 200 with the description, or with the addresses of the service. */
  readonly asksForDescription: boolean;
  /** Its response is the last one on the connection. */
  readonly last: boolean;
  /** It may get 100 Continue. */
  readonly expects: boolean;
}

/** The requests in the bytes of a connection. */
export interface Reading {
  readonly requests: readonly ReadRequest[];
  /** They are followed by something that is not a complete request. */
  readonly rest: boolean;
}

export function read(bytes: Buffer): Reading {
  const { requests, rest } = divide(bytes);
  const readings = requests.map(readRequest);
  const last = readings.findIndex((request) => request.last);
  return last < 0 ? { requests: readings, rest } : { requests: readings.slice(0, last + 1), rest: false };
}

function readRequest(request: Framed): ReadRequest {
  const { method, target, minorVersion } = request;
  const connection = all(request, 'connection')
    .join()
    .toLowerCase()
    .split(',')
    .map((option) => option.trim());
  const expectations = all(request, 'expect').map((value) => value.toLowerCase());
  const expects = expectations.join() === '100-continue';
  const sound = !target.includes('#') && hasHost(request) && (expects || expectations.length === 0);
  const plant = sound && method === 'POST' && isFor(target, '/plants') ? plantIn(request) : undefined;
  return {
    method,
    ...(plant ? { plant } : {}),
    asksForDescription:
      sound && ['GET', 'HEAD'].includes(method) && ['/', '/openapi.json'].some((path) => isFor(target, path)),
    last:
      all(request, 'upgrade').length > 0 ||
      (minorVersion === 0 ? !connection.includes('keep-alive') : connection.includes('close')),
    expects: expects && minorVersion === 1,
  };
}

/** A target in origin-form, or in absolute-form for any host: a proxy may have changed that. */
function isFor(target: string, path: string): boolean {
  const [, written] = /^(?:https?:\/\/[^/?#]+)?(\/[^?]*)(?:\?.*)?$/i.exec(target) ?? [];
  try {
    return written !== undefined && decodeURIComponent(written) === path;
  } catch {
    return false;
  }
}

function plantIn(request: Framed): NewPlant | undefined {
  if (!['authorization', 'content-type'].every((name) => once(request, name))) return undefined;
  const [authorization = ''] = all(request, 'authorization');
  const [type = ''] = all(request, 'content-type');
  const [media, ...parameters] = type
    .toLowerCase()
    .split(';')
    .map((part) => part.replace(/^[ \t]+|[ \t]+$/g, ''));
  const encoding = all(request, 'content-encoding').join().toLowerCase();
  const acceptable =
    /^bearer +(\S+)$/i.exec(authorization)?.[1] === token &&
    media === 'application/json' &&
    parameters.every((parameter) => ['', 'charset=utf-8', 'charset="utf-8"'].includes(parameter)) &&
    (all(request, 'content-encoding').length === 0 || encoding === 'identity');
  return acceptable ? readPlant(request.body) : undefined;
}

function hasHost(request: Framed): boolean {
  const hosts = all(request, 'host');
  if (hosts.length > 1 || (hosts.length === 0 && request.minorVersion === 1)) return false;
  return /^(\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(:\d*)?$/i.test(hosts[0] ?? '');
}

function once(request: Framed, name: string): boolean {
  return all(request, name).length <= 1;
}

function all({ headers }: Framed, name: string): string[] {
  return headers.filter(([candidate]) => candidate === name).map(([, value]) => value);
}
