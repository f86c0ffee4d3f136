import { z } from 'zod';
import type { DescribedRecord, JsonObject, Operation } from '../operations/operation.ts';

/** The Error record of the interface. */
const errorRecord = z.object({
  error: z.int32().meta({ description: 'Numeric error indicator: the number of this kind of error.', format: 'int32' }),
  message: z.string().meta({ description: 'Error message text, for people.' }),
});

/**
 * The records as JSON Schemas (draft 2020-12), by their names in the interface. They say nothing of other members: those of a
 * request are ignored, and those of a later version's response must not break a client that validates.
 */
export function openApiSchemas(operations: readonly Pick<Operation, 'body' | 'response'>[]): JsonObject {
  const records = operations.flatMap<DescribedRecord>(({ body, response }) => (body ? [response, body] : [response]));
  return {
    ...Object.fromEntries(records.map(({ name, schema }) => [name, schemaOf(schema)])),
    Error: schemaOf(errorRecord),
  };
}

function schemaOf(record: z.ZodType): JsonObject {
  // As input: an output would be closed to other members.
  const { $schema, ...schema } = z.toJSONSchema(record, { io: 'input', unrepresentable: bigintAsInt64 });
  return schema;
}

/**
 * The format alone says the range. As `minimum` and `maximum` its bounds would be rounded by every reader whose numbers
 * are doubles: 9223372036854775807 becomes 9223372036854775808, which is no int64.
 */
function bigintAsInt64({ zodSchema }: { readonly zodSchema: z.core.$ZodTypes }) {
  return zodSchema._zod.def.type === 'bigint' ? { type: 'integer' as const, format: 'int64' } : 'throw';
}
