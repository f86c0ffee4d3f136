import { z } from 'zod';
import { invalid } from '../errors.ts';
import { maskedPairs, maskedUrl } from './masked.ts';
import {
  type Form,
  type OptionsOf,
  oneOf,
  optionsOf,
  readSettings,
  type Settings,
  text,
  textOf,
  wholeNumber,
} from './setting.ts';

/** The standard variables that this service reads itself; OpenTelemetry's packages read the rest. */
export interface OtlpSettings extends OptionsOf<typeof otlpVariables> {
  readonly traces: boolean;
  readonly metrics: boolean;
}

const url = { form: 'http://… or https://…', value: z.url({ protocol: /^https?$/ }), masked: maskedUrl };
const protocol = oneOf('http/protobuf');
const exporter = { ...oneOf('otlp', 'none'), default: 'otlp' } as const;

/** The settings for traces and metrics over OTLP, as OpenTelemetry's specification names them. */
export const otlpVariables = {
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    meaning: 'OTLP receiver, such as a collector; without one, nothing is exported',
    ...url,
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: { meaning: 'OTLP receiver for traces only, including the path', ...url },
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: { meaning: 'OTLP receiver for metrics only, including the path', ...url },
  OTEL_EXPORTER_OTLP_PROTOCOL: {
    meaning: 'export protocol; only one is supported',
    ...protocol,
    default: 'http/protobuf',
  },
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: { meaning: 'export protocol for traces', ...protocol },
  OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: { meaning: 'export protocol for metrics', ...protocol },
  OTEL_EXPORTER_OTLP_HEADERS: {
    meaning: 'headers sent to the receiver',
    ...text('comma-separated name=value pairs'),
    masked: () => '***',
  },
  OTEL_EXPORTER_OTLP_TIMEOUT: {
    meaning: 'export timeout in milliseconds',
    ...wholeNumber(1, 600_000),
    unset: '10000',
  },
  OTEL_SDK_DISABLED: { meaning: 'true disables the export', ...anyCase('true', 'false'), default: 'false' },
  OTEL_SERVICE_NAME: { meaning: 'name of the service', ...text('a string'), unset: 'plant-store' },
  OTEL_RESOURCE_ATTRIBUTES: {
    meaning: 'further resource attributes',
    ...text('comma-separated name=value pairs'),
    masked: maskedPairs,
  },
  OTEL_TRACES_EXPORTER: { meaning: 'none disables traces', ...exporter },
  OTEL_METRICS_EXPORTER: { meaning: 'none disables metrics', ...exporter },
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
    option: 'sampler',
  },
  OTEL_TRACES_SAMPLER_ARG: {
    meaning: 'sampling ratio of the traceidratio samplers',
    form: 'a number from 0 to 1',
    value: z
      .string()
      .regex(/^\d*\.?\d+$/)
      .transform(Number)
      .refine((ratio) => ratio <= 1),
    default: '1',
    option: 'samplerRatio',
  },
  OTEL_METRIC_EXPORT_INTERVAL: {
    meaning: 'interval between metric exports in milliseconds',
    ...wholeNumber(1, 86_400_000),
    default: '60000',
    option: 'metricIntervalMs',
  },
} as const satisfies Settings;

/** Words in any case, as the specification writes Booleans. */
function anyCase<const Word extends string>(...words: readonly Word[]): Form<Word> {
  const { form, value } = oneOf(...words);
  return { form, value: z.string().toLowerCase().pipe(value) };
}

const endpoints = [
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT',
] as const;

/** Whether anything is exported: an endpoint is set and `OTEL_SDK_DISABLED` is not true. */
export function isOtlpOn(environment: NodeJS.ProcessEnv): boolean {
  if (textOf(environment, 'OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return false;
  return endpoints.some((name) => textOf(environment, name) !== undefined);
}

/**
 * Reads the `OTEL_` variables.
 * @throws {ConfigError} listing the invalid and unsupported values.
 */
export function readOtlpSettings(environment: NodeJS.ProcessEnv): OtlpSettings {
  const { values, faults } = readSettings(otlpVariables, environment);
  if (faults.length > 0) throw invalid(faults);
  const both = values.OTEL_EXPORTER_OTLP_ENDPOINT;
  return {
    ...optionsOf(otlpVariables, values),
    traces: isFor(both ?? values.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, values.OTEL_TRACES_EXPORTER),
    metrics: isFor(both ?? values.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT, values.OTEL_METRICS_EXPORTER),
  };
}

function isFor(endpoint: string | undefined, by: 'otlp' | 'none'): boolean {
  return endpoint !== undefined && by === 'otlp';
}
