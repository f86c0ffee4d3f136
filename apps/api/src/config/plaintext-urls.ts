import { isThisMachine } from '@plant-store/store-kit/connection-url';
import type { Fault } from './setting.ts';

/**
 * Which URLs would take a secret to another machine in plaintext, and what to do about it: the store's, and the collector's of
 * traces if it is sent a token. The URL of a key set is always https.
 *
 * @param tlsAdvice what to add to `DATABASE_URL`, if its adapter says so.
 */
export function plaintextUrls(environment: NodeJS.ProcessEnv, tlsAdvice: string | undefined): readonly Fault[] {
  const urls: Fault[] = [];
  if (tlsAdvice)
    urls.push([
      'DATABASE_URL',
      `the connection is not encrypted, so the password and the plants can be read on the way: add ${tlsAdvice}`,
    ]);
  if (environment['OTEL_SDK_DISABLED'] === 'true' || environment['OTEL_TRACES_EXPORTER'] === 'none') return urls;
  // The specific variable takes the place of the general one (OpenTelemetry's specification of its OTLP exporter).
  const named = (what: string) =>
    [`OTEL_EXPORTER_OTLP_TRACES_${what}`, `OTEL_EXPORTER_OTLP_${what}`].find((name) => environment[name]) ?? '';
  const name = named('ENDPOINT');
  const given = environment[name] ?? '';
  // Of gRPC: a host and a port without a scheme.
  const isInsecure = !given.includes('://') && environment[named('INSECURE')] === 'true';
  const url = URL.parse(isInsecure ? `http://${given}` : given);
  const hasSecret = named('HEADERS') || url?.username || url?.password || url?.search;
  if (url?.protocol === 'http:' && hasSecret && !isThisMachine(url.hostname))
    urls.push([name, 'a secret, in its headers or in the URL, can be read on the way: use https://…']);
  return urls;
}
