import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';

/** A finding of the linter, in one line. */
export async function lint(document: unknown): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source: JSON.stringify(document), config });
  return problems.map(({ severity, ruleId, message, location }) => {
    const where = location.map(({ pointer }) => pointer).join(' ');
    return `${severity} ${ruleId}: ${message} (${where})`;
  });
}

/** The errors of a document according to the schema of OpenAPI, or undefined. */
export async function schemaFaults(document: unknown): Promise<unknown> {
  const { valid, errors } = await new Validator({ strict: false }).validate(
    document as Record<string, unknown>,
  );
  return valid ? undefined : errors;
}
