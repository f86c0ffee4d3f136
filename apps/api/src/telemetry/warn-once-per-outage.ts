/** What OpenTelemetry's exporters have in common. */
interface Exporter<Items> {
  export(items: Items, done: (result: { readonly code: number; readonly error?: Error }) => void): void;
}

const SUCCESS = 0;

/**
 * Makes an exporter warn when it cannot export, and then not again until it could: a receiver that is gone for a night is
 * one line. OpenTelemetry does nothing with a failure but report it each time, so it is told of none.
 */
export function warnOncePerOutage<Items>(exporter: Exporter<Items>, warn: (message: string) => void): void {
  const send = exporter.export.bind(exporter);
  let isOut = false;
  exporter.export = (items, done) =>
    send(items, ({ code, error }) => {
      if (code !== SUCCESS && !isOut) warn(error?.message || 'the receiver does not take what it is sent');
      isOut = code !== SUCCESS;
      done({ code: SUCCESS });
    });
}
