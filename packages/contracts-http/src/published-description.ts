import { ContractViolation } from '@plant-store/contracts-kit';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Answer } from './answer.ts';
import { ask } from './ask.ts';
import type { DeployedService } from './deployed-service.ts';
import { broken, jsonObjectIn } from './expectations.ts';

/** The OpenAPI description that a service publishes, ready to be compared with what the service does. */
export interface PublishedDescription {
  /** What stands at these names, one below the other; undefined where nothing does. */
  at(...names: readonly string[]): unknown;
  /** What the value has against the schema at these names, as a sentence; undefined where it has nothing. */
  faultOf(value: unknown, ...schema: readonly string[]): string | undefined;
}

/**
 * Reads the description as anyone can.
 * @throws {ContractViolation} when it is not there.
 */
export async function readDescription(service: DeployedService): Promise<PublishedDescription> {
  const answer = await askForDescription(service);
  const promised = '200, application/json, an OpenAPI document';
  if (answer.status !== 200) broken(answer, promised);
  const document = jsonObjectIn(answer, promised);
  // A schema may have keywords that are not JSON Schema's (draft 2020-12, section 6.5).
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(document, 'description');
  return {
    at: (...names) => names.reduce<unknown>(member, document),
    faultOf(value, ...names) {
      const pointer = names.map((name) => `/${encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))}`);
      try {
        const valid = ajv.validate({ $ref: `description#${pointer.join('')}` }, value);
        return valid ? undefined : ajv.errorsText(ajv.errors, { dataVar: 'it' });
      } catch (error) {
        throw new ContractViolation(answer.did, `no schema at ${names.join(' > ')}: ${error}`, 'a JSON Schema there');
      }
    },
  };
}

/** Asks for the description without a token, unless the question has one. */
export function askForDescription(
  service: DeployedService,
  { method = 'GET', authorization }: { readonly method?: string; readonly authorization?: string | undefined } = {},
): Promise<Answer> {
  return ask(service, { method, path: '/openapi.json', headers: { authorization, 'content-type': undefined } });
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
