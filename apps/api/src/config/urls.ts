import { readFileSync } from 'node:fs';
import { isThisMachine } from '@plant-store/store-kit/connection-url';
import type { Fault } from './setting.ts';

const MASK = '***';

/**
 * Masks a URL: keeps the scheme, the host, the path and {@link PUBLIC_PARAMETERS}, and replaces everything else by `***`, because it
 * may be a secret. A URL without a host, such as `sqlite:plants.db`, is unchanged, unless it has an `@`. An invalid URL becomes `***`.
 */
export function maskedUrl(text: string): string {
  const url = URL.parse(text);
  if (!url) return MASK;
  const { protocol, host, pathname, username, password, searchParams, hash } = url;
  if (pathname.includes('@')) return MASK;
  if (!/^[^/]*:\/\//.test(url.href)) return /[@?#\\]/.test(text) ? MASK : text;
  const parameters = [...searchParams].map(([name, value]) => isPublic(name, value) && `${name}=${value}`);
  const shown = parameters.filter(Boolean);
  if (shown.length < parameters.length || hash) shown.push(MASK);
  return `${protocol}//${username || password ? `${MASK}@` : ''}${host}${pathname}${shown.length > 0 ? `?${shown.join('&')}` : ''}`;
}

/** The query parameters that are no secret, of the stores of this repository. */
const PUBLIC_PARAMETERS = ['host', 'port', 'prepare', 'ssl', 'sslmode', 'sslnegotiation', 'ssl-mode'];

/** Values are shown decoded, so they must not look like further parameters or lines. `@` may follow a password. */
const isPublic = (name: string, value: string) => PUBLIC_PARAMETERS.includes(name) && /^[\w.:/-]*$/.test(value);

/** Masks a list of tokens. Only their number remains visible. */
export function maskedTokens(list: string): string {
  return list
    .split(',')
    .map(() => MASK)
    .join(',');
}

/**
 * Reads a file with one URL, which keeps its password out of the environment and out of process lists.
 * @throws {Error} if the file cannot be read or does not contain exactly one URL. The message does not contain the content.
 */
export function readUrlFile(path: string): string {
  const url = readText(path).trim();
  if (!url) throw new Error(`${path} is empty; write the URL of a store into it`);
  if (/[\r\n]/.test(url)) throw new Error(`${path} has several lines; write one URL`);
  return url;
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`cannot read ${path} (${(error as NodeJS.ErrnoException).code})`);
  }
}

/**
 * The URLs that would send a secret to another machine in plaintext, with a remedy: the store's, and the trace collector's if it
 * gets a token. URLs of key sets always use https.
 *
 * @param tlsAdvice the remedy for `DATABASE_URL`, from its adapter; undefined if the URL is safe.
 */
export function plaintextUrls(environment: NodeJS.ProcessEnv, tlsAdvice: string | undefined): readonly Fault[] {
  const urls: Fault[] = [];
  if (tlsAdvice)
    urls.push([
      'DATABASE_URL',
      `the connection is not encrypted, so the password and the plants can be read on the way: add ${tlsAdvice}`,
    ]);
  if (environment['OTEL_SDK_DISABLED'] === 'true' || environment['OTEL_TRACES_EXPORTER'] === 'none') return urls;
  // The signal-specific variable overrides the general one (OpenTelemetry specification, OTLP exporter).
  const variableFor = (option: string) =>
    [`OTEL_EXPORTER_OTLP_TRACES_${option}`, `OTEL_EXPORTER_OTLP_${option}`].find((name) => environment[name]) ?? '';
  const name = variableFor('ENDPOINT');
  const given = environment[name] ?? '';
  // A gRPC endpoint may have no scheme.
  const isInsecure = !given.includes('://') && environment[variableFor('INSECURE')] === 'true';
  const url = URL.parse(isInsecure ? `http://${given}` : given);
  const hasSecret = variableFor('HEADERS') || url?.username || url?.password || url?.search;
  if (url?.protocol === 'http:' && hasSecret && !isThisMachine(url.hostname))
    urls.push([name, 'a secret, in its headers or in the URL, can be read on the way: use https://…']);
  return urls;
}
