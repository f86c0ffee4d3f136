import { isThisMachine } from '@plant-store/store-kit/connection-url';
import type { Fault } from './setting.ts';

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
