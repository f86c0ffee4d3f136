import { z } from 'zod';
import { ConfigError } from './config.ts';
import { maskedUrl } from './masked.ts';
import { type Form, oneOf, readSettings, type Settings, text, textOf, wholeNumber } from './setting.ts';

/** What of the standard variables this service reads itself; OpenTelemetry's own packages read the rest. */
export interface OtlpSettings {
  readonly traces: boolean;
  readonly metrics: boolean;
  readonly sampler: Sampler;
  /** The share of traces that the `traceidratio` samplers keep, from 0 to 1. */
  readonly samplerRatio: number;
  readonly metricIntervalMs: number;
}

/** The samplers of the specification that need nothing from elsewhere. */
type Sampler = z.output<(typeof otlpVariables)['OTEL_TRACES_SAMPLER']['value']>;

const url = { form: 'http://… or https://…', value: z.url({ protocol: /^https?$/ }), masked: maskedUrl };
const protocol = oneOf('http/protobuf');
const exporter = { ...oneOf('otlp', 'none'), default: 'otlp' } as const;

/** The settings of traces and metrics over OTLP, by their names in OpenTelemetry's specification. */
export const otlpVariables = {
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    meaning: 'the OTLP receiver, such as a collector; nothing is exported without one',
    ...url,
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: { meaning: 'the same for traces alone, with its path', ...url },
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: { meaning: 'the same for metrics alone, with its path', ...url },
  OTEL_EXPORTER_OTLP_PROTOCOL: {
    meaning: 'the protocol; there is one',
    ...protocol,
    default: 'http/protobuf',
  },
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: { meaning: 'the same for traces alone', ...protocol },
  OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: { meaning: 'the same for metrics alone', ...protocol },
  OTEL_EXPORTER_OTLP_HEADERS: {
    meaning: 'headers for the receiver',
    ...text('name=value, with commas between them'),
    masked: () => '***',
  },
  OTEL_EXPORTER_OTLP_TIMEOUT: {
    meaning: 'how long an export may take, in milliseconds',
    ...wholeNumber(1, 600_000),
    unset: '10000',
  },
  OTEL_SDK_DISABLED: { meaning: 'true: nothing is exported', ...anyCase('true', 'false'), default: 'false' },
  OTEL_SERVICE_NAME: { meaning: 'the name of the service', ...text('a text'), unset: 'plant-store' },
  OTEL_RESOURCE_ATTRIBUTES: {
    meaning: 'more about where it runs',
    ...text('name=value, with commas between them'),
  },
  OTEL_TRACES_EXPORTER: { meaning: 'none: no traces', ...exporter },
  OTEL_METRICS_EXPORTER: { meaning: 'none: no metrics', ...exporter },
  OTEL_TRACES_SAMPLER: {
    meaning: 'which requests are traced',
    ...oneOf(
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ),
    default: 'parentbased_always_on',
  },
  OTEL_TRACES_SAMPLER_ARG: {
    meaning: 'the share of requests that the samplers by ratio choose',
    form: 'a number from 0 to 1',
    value: z
      .string()
      .regex(/^\d*\.?\d+$/)
      .transform(Number)
      .refine((ratio) => ratio <= 1),
    default: '1',
  },
  OTEL_METRIC_EXPORT_INTERVAL: {
    meaning: 'how often metrics are exported, in milliseconds',
    ...wholeNumber(1, 86_400_000),
    default: '60000',
  },
} satisfies Settings;

/** The specification's Booleans, which are written in any case. */
function anyCase<const Word extends string>(...words: readonly Word[]): Form<Word> {
  const { form, value } = oneOf(...words);
  return { form, value: z.string().toLowerCase().pipe(value) };
}

const endpoints = [
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT',
] as const;

/** Whether anything is exported: an endpoint is set, and `OTEL_SDK_DISABLED` is not true. */
export function isOtlpOn(environment: NodeJS.ProcessEnv): boolean {
  if (textOf(environment, 'OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return false;
  return endpoints.some((name) => textOf(environment, name) !== undefined);
}

/**
 * Reads the `OTEL_` variables.
 * @throws {ConfigError} listing those that ask for what this service cannot do.
 */
export function readOtlpSettings(environment: NodeJS.ProcessEnv): OtlpSettings {
  const { values, faults } = readSettings(otlpVariables, environment);
  if (faults.length > 0)
    throw new ConfigError(`The configuration is wrong:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
  const both = values.OTEL_EXPORTER_OTLP_ENDPOINT;
  return {
    traces: isFor(both ?? values.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, values.OTEL_TRACES_EXPORTER),
    metrics: isFor(both ?? values.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT, values.OTEL_METRICS_EXPORTER),
    sampler: values.OTEL_TRACES_SAMPLER,
    samplerRatio: values.OTEL_TRACES_SAMPLER_ARG,
    metricIntervalMs: values.OTEL_METRIC_EXPORT_INTERVAL,
  };
}

function isFor(endpoint: string | undefined, by: 'otlp' | 'none'): boolean {
  return endpoint !== undefined && by === 'otlp';
}
