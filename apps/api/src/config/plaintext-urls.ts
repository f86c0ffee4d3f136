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
  // The specific variable takes the place of the general one (OpenTelemetry's specification of its OTLP exporter).
  const names = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'];
  const name = names.find((each) => environment[each]) ?? '';
  const url = URL.parse(environment[name] ?? '');
  const headers = environment['OTEL_EXPORTER_OTLP_TRACES_HEADERS'] ?? environment['OTEL_EXPORTER_OTLP_HEADERS'];
  if (
    url?.protocol === 'http:' &&
    !isThisMachine(url.hostname) &&
    (headers || url.username || url.password || url.search)
  )
    urls.push([name, 'a secret, in its headers or in the URL, can be read on the way: use https://…']);
  return urls;
}
