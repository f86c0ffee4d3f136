/** Common to OpenTelemetry's exporters. */
interface Exporter<Items> {
  export(items: Items, done: (result: { readonly code: number; readonly error?: Error }) => void): void;
}

const SUCCESS = 0;

/**
 * Makes an exporter warn once when it fails, and again only after a success: a receiver that is down for a night is one line
 * of the log. Failures are hidden from OpenTelemetry, which would only report each of them.
 */
export function warnOncePerOutage<Items>(exporter: Exporter<Items>, warn: (message: string) => void): void {
  const send = exporter.export.bind(exporter);
  let isOut = false;
  exporter.export = (items, done) =>
    send(items, ({ code, error }) => {
      if (code !== SUCCESS && !isOut) warn(error?.message || 'the receiver rejected the data');
      isOut = code !== SUCCESS;
      done({ code: SUCCESS });
    });
}
